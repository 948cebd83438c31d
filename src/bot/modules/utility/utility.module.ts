import { defineModule } from '../define-module.js';

/** `/help`, `/ping` and `/say`. */
export const utility = defineModule({
  id: 'utility',
  name: 'Utility',
  version: '1.0.0',
  author: 'Licensing Gateway',
  description: 'Help with what one may use, a sign of life, and messages in the name of the bot.',
  enabledByDefault: true,
  events: [{ key: 'said', label: 'Somebody let the bot say something' }],
  commands: [
    {
      name: 'help',
      description: 'The commands that you may use',
      rules: { ephemeral: true },
      async run(call, ctx) {
        const lines = ctx.commandsFor(call).map(({ usage, description }) => `\`${usage}\` ${description}`);
        const description = lines.join('\n').slice(0, 4096);
        await call.reply({ embed: { title: 'What you can use', description } });
      },
    },
    {
      name: 'ping',
      description: 'Whether the bot is there, and how far away',
      async run(call, ctx) {
        // NaN or -1 until the first heartbeat was answered.
        const ping = ctx.client?.ws.ping ?? -1;
        await call.reply(ping >= 0 ? `Pong! ${Math.round(ping)} ms to the platform.` : 'Pong!');
      },
    },
    {
      name: 'say',
      description: 'Sends a message in the name of the bot',
      rules: { permissions: ['ManageMessages'], ephemeral: true },
      options: [
        { name: 'channel', description: 'Where to send it', type: 'channel', required: true },
        {
          name: 'text',
          description: 'What to say; {user}, {server}, {channel} and {date} are filled in',
          type: 'string',
          required: true,
        },
      ],
      async run(call, ctx) {
        const channel = String(call.options['channel']);
        const server = call.guildId === null ? undefined : ctx.client?.guilds.cache.get(call.guildId);
        const message = ctx.fill(
          { content: String(call.options['text']) },
          {
            user: `<@${call.user.id}>`,
            channel: `<#${channel}>`,
            date: ctx.now().toISOString().slice(0, 10),
            ...(server && { server: server.name }),
          },
        );
        await ctx.send(channel, message);
        ctx.tell('said', `${call.user.tag} let the bot write in <#${channel}>`);
        await call.reply(`Sent to <#${channel}>.`);
      },
    },
  ],
});
