import type { Json } from './form.rules.js';
import type { Interaction, Interactions } from './interactions.js';
import type { SandboxGateway } from './sandbox-gateway.js';
import type { World, WorldMessage } from './world.js';

/** The messages of a channel that are shown: the latest ones. */
const SHOWN_MAX = 100;
/** How long the platform waits for the first answer to a slash command or a click. */
const ANSWER_MS = 3_000;
/** How long it is shown that there was none. */
const FAILURE_SHOWN_MS = 60_000;
/** What activities are called, by their type. A custom one has its text alone. */
const ACTIVITIES = ['Playing', 'Streaming', 'Listening to', 'Watching', '', 'Competing in'];

export interface Viewed {
  readonly world: World;
  readonly gateway: SandboxGateway;
  readonly users: Interactions;
}

/** All that the sandbox's page shows, as JSON. Messages for one member alone are in it: who looks is all of them. */
export function viewOf({ world, gateway, users }: Viewed, now: Date): Json {
  const members = [...world.members.values()].filter(({ user }) => !user.bot);
  const directs = members.map(({ user }) => world.direct(user.id));
  const channels = [...world.channels.values(), ...directs];
  return {
    server: { id: world.guild.id, name: world.guild.name },
    bot: { id: world.bot.id, name: world.bot.username, connected: gateway.hears, ...presenceOf(gateway) },
    members: members.map(({ user, roles }) => ({ id: user.id, name: user.username, roles })),
    roles: [...world.roles.values()]
      .filter(({ id }) => id !== world.guild.id)
      .map(({ id, name }) => ({ id, name })),
    channels: channels.map(({ id, name, type, recipient }) => ({
      ...{ id, name, kind: KINDS[type], member: recipient?.id ?? null },
    })),
    commands: [...world.commands].flatMap(([scope, commands]) =>
      commands.map(({ name, description, options = [] }) => ({
        ...{ name, description, options, isGlobal: scope === 'global' },
      })),
    ),
    messages: channels.flatMap(({ id }) => {
      const all = world.messages.get(id) ?? [];
      return all.slice(-SHOWN_MAX).map((message) => messageOf(message, users, all));
    }),
    calls: users.all.flatMap((call) => callOf(call, world, now)),
  };
}

const KINDS = { 0: 'text', 1: 'direct', 2: 'voice' } as const;

function presenceOf({ presences }: SandboxGateway): Json {
  const { status = 'online', activities } = presences.at(-1) ?? {};
  const [first] = (activities ?? []) as readonly { name: string; type: number; state?: string }[];
  if (!first) return { status, activity: '' };
  const text = first.type === 4 ? (first.state ?? first.name) : first.name;
  return { status, activity: `${ACTIVITIES[first.type] ?? ''} ${text}`.trim() };
}

function messageOf(message: WorldMessage, users: Interactions, all: readonly WorldMessage[]): Json {
  const { id, channel_id: channel, content, embeds, components, timestamp: at } = message;
  const { id: authorId, username, bot } = message['author'] as { id: string; username: string; bot: boolean };
  const caller = message['interaction_metadata'] as
    { name: string; user: { id: string; username: string } } | undefined;
  const { message_id: target } = (message['message_reference'] ?? {}) as { message_id?: string };
  const answered = all.find((other) => other.id === target);
  return {
    ...{ id, channel, content, embeds, components, at },
    author: { id: authorId, name: username, isBot: bot },
    isEdited: message['edited_timestamp'] !== null,
    caller: caller ? { name: caller.user.username, did: caller.name } : null,
    answers: answered
      ? { name: (answered['author'] as { username: string }).username, content: answered['content'] }
      : null,
    /** The one member who sees it; null: everybody does. */
    onlyFor: caller && !users.isSeenBy(message, '') ? caller.user.id : null,
  };
}

/** What was called and has no answer yet. */
function callOf(
  { id, channelId, member, name, callback, message, at }: Interaction,
  { bot }: World,
  now: Date,
): Json[] {
  const isThinking = callback?.type === 5 && message === undefined;
  if (callback && !isThinking) return [];
  const ageMs = now.getTime() - at.getTime();
  if (ageMs > FAILURE_SHOWN_MS && !isThinking) return [];
  const isLate = !callback && ageMs >= ANSWER_MS;
  const state = isThinking ? 'thinking' : isLate ? 'failed' : 'waiting';
  return [{ id, channel: channelId, onlyFor: member.user.id, name, state, bot: bot.username }];
}
