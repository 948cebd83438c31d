import type { GuildMember, PartialGuildMember } from 'discord.js';
import type { OutgoingMessage } from '../../messages/outgoing-message.js';
import { defineModule } from '../define-module.js';
import type { ModuleContext } from '../define-module.js';

type Member = GuildMember | PartialGuildMember;

/** Greets new members, gives them a role, and says goodbye. */
export const welcome = defineModule({
  id: 'welcome',
  name: 'Welcome',
  version: '1.0.0',
  author: 'Licensing Gateway',
  description: 'Greets new members, gives them a role, and says goodbye to those who leave.',
  config: [
    {
      id: 'joining',
      label: 'Joining',
      settings: [
        {
          key: 'channel',
          label: 'Channel',
          type: 'channel',
          required: true,
          description: 'Where members are greeted.',
        },
        {
          key: 'text',
          label: 'Greeting',
          type: 'text',
          default: 'Welcome to {server}, {user}!',
          minLength: 1,
          maxLength: 2000,
          description: 'May hold {user}, {server}, {channel} and {date}.',
        },
        {
          key: 'template',
          label: 'Template',
          type: 'template',
          description: 'A saved message that is sent in place of the greeting.',
        },
        { key: 'role', label: 'Role', type: 'role', description: 'Given to new members.' },
      ],
    },
    {
      id: 'leaving',
      label: 'Leaving',
      settings: [
        { key: 'enabled', label: 'Say goodbye', type: 'boolean', default: false },
        {
          key: 'text',
          label: 'Goodbye',
          type: 'text',
          default: '{user} has left {server}.',
          minLength: 1,
          maxLength: 2000,
        },
      ],
    },
  ],
  events: [
    { key: 'member.joined', label: 'A member joined' },
    { key: 'member.left', label: 'A member left' },
    { key: 'role.failed', label: 'The role could not be given' },
  ],
  commands: [
    {
      name: 'welcome',
      description: 'Tries the greeting out',
      rules: { permissions: ['ManageGuild'], ephemeral: true },
      async run(call, ctx) {
        const guild = ctx.client?.guilds.cache.get(call.guildId ?? '');
        const values = { user: `<@${call.user.id}>`, server: guild?.name ?? 'this server' };
        await call.reply(await greeting(ctx, values));
      },
    },
  ],
  setup(ctx) {
    ctx.on('guildMemberAdd', async (member) => {
      if (member.user.bot) return;
      ctx.tell('member.joined', `${member.user.tag} joined ${member.guild.name}`);
      // Whether or not the channel takes the greeting.
      await Promise.all([giveRole(ctx, member), greet(ctx, member)]);
    });
    ctx.on('guildMemberRemove', async (member) => {
      if (member.user.bot) return;
      ctx.tell('member.left', `${member.user.tag} left ${member.guild.name}`);
      if (ctx.setting('leaving', 'enabled') !== true) return;
      const text = String(ctx.setting('leaving', 'text'));
      // A mention of somebody who is gone shows as a number.
      await sendTo(ctx, member, { content: text }, member.user.tag);
    });
  },
});

async function greet(ctx: ModuleContext, member: Member): Promise<void> {
  const user = `<@${member.id}>`;
  const message = await greeting(ctx, { user, server: member.guild.name });
  // Whoever is greeted is the one who may be pinged.
  await sendTo(ctx, member, { ...message, allowedMentions: { users: [member.id] } }, user);
}

async function greeting(
  ctx: ModuleContext,
  values: { readonly user: string; readonly server: string },
): Promise<OutgoingMessage> {
  const id = ctx.setting('joining', 'template');
  const template = typeof id === 'string' ? await ctx.template(id) : undefined;
  const message = template ?? { content: String(ctx.setting('joining', 'text')) };
  return ctx.fill(message, { ...values, ...placeOf(ctx) });
}

async function sendTo(
  ctx: ModuleContext,
  member: Member,
  message: OutgoingMessage,
  user: string,
): Promise<void> {
  const channel = String(ctx.setting('joining', 'channel'));
  await ctx.send(channel, ctx.fill(message, { user, server: member.guild.name, ...placeOf(ctx) }));
}

function placeOf(ctx: ModuleContext): { readonly channel: string; readonly date: string } {
  const date = ctx.now().toISOString().slice(0, 10);
  return { channel: `<#${String(ctx.setting('joining', 'channel'))}>`, date };
}

async function giveRole(ctx: ModuleContext, member: GuildMember): Promise<void> {
  const role = ctx.setting('joining', 'role');
  if (typeof role !== 'string') return;
  try {
    await member.roles.add(role, 'Given to new members');
  } catch (error) {
    const reason = (error as Error).message;
    ctx.tell('role.failed', `${member.user.tag} can't be given <@&${role}>: ${reason}`);
    ctx.log.warn(`The role ${role} can't be given: ${reason}`);
  }
}
