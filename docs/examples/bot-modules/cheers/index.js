// A module of one file. Put its folder into BOT.MODULES_DIR, restart the server and enable it:
// docs/guides/bot-modules.md goes through it line by line.

/** @type {import('../../../../src/bot/modules/define-module.js').ModuleDefinition} */
export default {
  id: 'cheers',
  name: 'Cheers',
  version: '1.0.0',
  author: 'You',
  description: 'Counts cheers, and celebrates new licenses.',

  config: [
    {
      id: 'main',
      label: 'Cheers',
      settings: [
        { key: 'word', label: 'Word', type: 'string', default: 'hooray', minLength: 1, maxLength: 20 },
        {
          key: 'channel',
          label: 'Channel',
          type: 'channel',
          description: 'Where new licenses are celebrated.',
        },
      ],
    },
  ],

  events: [{ key: 'cheered', label: 'Somebody cheered' }],

  commands: [
    {
      name: 'cheer',
      description: 'Cheers for somebody',
      options: [{ name: 'whom', description: 'For whom', type: 'user', required: true }],
      rules: { cooldown: { seconds: 10, uses: 2, scope: 'user' } },
      async run(call, ctx) {
        const word = ctx.setting('main', 'word');
        await call.reply(`${word}, <@${call.options.whom}>!`);
        ctx.tell('cheered', `${call.user.tag} cheered`);
      },
    },
    {
      name: 'stock',
      description: 'How many licenses there are, for staff',
      rules: { permissions: ['ManageGuild'], ephemeral: true },
      async run(call, ctx) {
        const { totalCount } = await ctx.graphql('query Stock { licenses(first: 1) { totalCount } }');
        await call.reply(`There are ${totalCount} licenses.`);
      },
    },
  ],

  setup(ctx) {
    // An event of the client; taken off when the module is disabled.
    ctx.on('messageCreate', async (message) => {
      if (message.author.bot || !message.content.includes(ctx.setting('main', 'word'))) return;
      await message.react('🎉');
    });
    // An entry of the activity log.
    ctx.onEvent('license.created', async () => {
      const channel = ctx.setting('main', 'channel');
      if (channel !== null && ctx.client) await ctx.send(channel, { content: 'A new license. Cheers!' });
    });
    ctx.onConfig(() => ctx.log.info(`The word is ${ctx.setting('main', 'word')} now`));
    ctx.onDisable(() => ctx.log.info('No more cheers'));
  },
};
