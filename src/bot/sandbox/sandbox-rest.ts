import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Faults } from './faults.js';
import { checkCommands, checkMessage, checkProfile } from './form.rules.js';
import type { Json } from './form.rules.js';
import type { Interactions } from './interactions.js';
import { readJson, sendJson } from './json-http.js';
import {
  FormErrors,
  PlatformError,
  missingPermissions,
  notFound,
  unauthorized,
  unknownMessage,
} from './platform-error.js';
import type { SandboxGateway } from './sandbox-gateway.js';
import type { World, WorldChannel } from './world.js';

export interface RestParts {
  readonly world: World;
  readonly gateway: SandboxGateway;
  readonly interactions: Interactions;
  readonly faults: Faults;
  readonly gatewayUrl: () => string;
}

interface Call extends RestParts {
  readonly path: Readonly<Record<string, string>>;
  readonly body: Json;
  /** The body as it came: a bulk overwrite is a list. */
  readonly items: readonly Json[];
}

/** The answer's body; undefined is 204. */
type Answer = (call: Call) => unknown;

/** `false`: the token in the path is the credential. */
interface Row {
  readonly answer: Answer;
  readonly isOpen?: true;
}

const PREFIX = '/api/v10';
const NAME_CHANGES_AN_HOUR = 2;

/** The REST API, version 10, as far as the bot uses it. */
const ROUTES: Readonly<Record<string, Row>> = {
  'GET /gateway/bot': {
    answer: ({ gatewayUrl }) => ({
      ...{ url: gatewayUrl(), shards: 1 },
      session_start_limit: { total: 1000, remaining: 1000, reset_after: 86_400_000, max_concurrency: 1 },
    }),
  },
  'GET /users/@me': { answer: ({ world }) => world.bot },
  'PATCH /users/@me': { answer: changeProfile },
  'POST /users/@me/channels': {
    answer: ({ world, body }) => world.channelPayload(world.direct(String(body['recipient_id']))),
  },
  'GET /channels/:channel': { answer: ({ world, path }) => world.channelPayload(channelOf(world, path)) },
  'POST /channels/:channel/messages': { answer: createMessage },
  'POST /channels/:channel/typing': { answer: () => undefined },
  'GET /channels/:channel/messages/:message': { answer: (call) => messageOf(call) },
  'PATCH /channels/:channel/messages/:message': { answer: editMessage },
  'DELETE /channels/:channel/messages/:message': { answer: deleteMessage },
  'GET /guilds/:guild/members/:member': {
    answer: ({ world, path }) => world.memberPayload(world.member(path['member'] ?? '')),
  },
  'PUT /guilds/:guild/members/:member/roles/:role': { answer: addRole },
  'DELETE /guilds/:guild/members/:member/roles/:role': { answer: removeRole },
  'GET /applications/:application/commands': { answer: (call) => commandsOf(call, 'global') },
  'PUT /applications/:application/commands': { answer: (call) => overwriteCommands(call, 'global') },
  'GET /applications/:application/guilds/:guild/commands': {
    answer: (call) => commandsOf(call, call.path['guild'] ?? ''),
  },
  'PUT /applications/:application/guilds/:guild/commands': {
    answer: (call) => overwriteCommands(call, call.path['guild'] ?? ''),
  },
  'POST /interactions/:id/:token/callback': {
    isOpen: true,
    answer: ({ interactions, path, body }) => {
      interactions.callback(path['token'] ?? '', body);
    },
  },
  'POST /webhooks/:application/:token': {
    isOpen: true,
    answer: ({ interactions, path, body }) => interactions.followUp(path['token'] ?? '', body),
  },
  'GET /webhooks/:application/:token/messages/@original': {
    isOpen: true,
    answer: ({ interactions, path }) => interactions.original(path['token'] ?? ''),
  },
  'PATCH /webhooks/:application/:token/messages/@original': {
    isOpen: true,
    answer: ({ interactions, path, body }) => interactions.edit(path['token'] ?? '', body),
  },
};

/** Answers one request, or misbehaves as the faults say. */
export async function answerRest(parts: RestParts, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { pathname } = new URL(req.url ?? '/', 'http://sandbox');
  const path = pathname.startsWith(PREFIX) ? pathname.slice(PREFIX.length) : undefined;
  const method = req.method ?? 'GET';
  const fault = path === undefined ? undefined : parts.faults.restFault(method, path);
  if (fault === 'hang') return;
  if (fault) {
    sendJson(res, fault.status, fault.body ?? { message: 'fault', code: 0 }, fault.headers);
    return;
  }
  try {
    const found = path === undefined ? undefined : find(method, path);
    if (!found) throw notFound();
    if (!found.row.isOpen && req.headers.authorization !== `Bot ${parts.world.token}`) throw unauthorized();
    const sent = await readJson(req);
    const items = Array.isArray(sent) ? (sent as Json[]) : [];
    const body = Array.isArray(sent) ? {} : (sent as Json);
    const answer = found.row.answer({ ...parts, path: found.path, body, items });
    if (method !== 'GET') parts.world.changed();
    sendJson(res, answer === undefined ? 204 : 200, answer);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    sendJson(res, error.status, error.body, error.headers);
  }
}

function find(method: string, path: string): { row: Row; path: Record<string, string> } | undefined {
  const parts = path.split('/').map(decoded);
  for (const [key, row] of Object.entries(ROUTES)) {
    const [wantedMethod, pattern = ''] = key.split(' ');
    const wanted = pattern.split('/');
    if (wantedMethod !== method || wanted.length !== parts.length) continue;
    const matches = wanted.every((part, index) => part.startsWith(':') || part === parts[index]);
    if (!matches) continue;
    const named = wanted.flatMap((part, index) =>
      part.startsWith(':') ? [[part.slice(1), parts[index] ?? '']] : [],
    );
    return { row, path: Object.fromEntries(named) as Record<string, string> };
  }
  return undefined;
}

function changeProfile({ world, gateway, body }: Call): unknown {
  checkProfile(body);
  const { username, avatar } = body;
  if (typeof username === 'string' && username !== world.bot.username) {
    if (!world.mayRename(NAME_CHANGES_AN_HOUR)) {
      const errors = new FormErrors();
      const message = 'You are changing your username or Discord Tag too fast. Try again later.';
      errors.add(['username'], 'USERNAME_RATE_LIMIT', message);
      errors.throwIfAny();
    }
    world.bot.username = username;
  }
  // The platform stores the image and gives out its hash.
  if (avatar !== undefined) world.bot.avatar = avatar === null ? null : `avatar-${world.snowflake()}`;
  gateway.dispatch('USER_UPDATE', world.bot);
  return world.bot;
}

function createMessage({ world, gateway, path, body }: Call): unknown {
  const channel = channelOf(world, path);
  if (!channel.isWritable) throw missingPermissions();
  if (channel.type === 2) throw new PlatformError(400, 50_008, 'Cannot send messages in a non-text channel');
  checkMessage(body);
  const repeated =
    body['enforce_nonce'] === true ? world.messageByNonce(channel.id, body['nonce']) : undefined;
  if (repeated) return repeated;
  const message = world.addMessage(channel.id, world.bot, body);
  gateway.dispatch('MESSAGE_CREATE', { ...message, ...world.guildOf(channel), channel_type: channel.type });
  return message;
}

function editMessage(call: Call): unknown {
  checkMessage(call.body);
  const message = Object.assign(messageOf(call), call.body, { edited_timestamp: call.world.now() });
  const { world, path, gateway } = call;
  gateway.dispatch('MESSAGE_UPDATE', { ...message, ...world.guildOf(channelOf(world, path)) });
  return message;
}

function deleteMessage(call: Call): undefined {
  const message = messageOf(call);
  const { world, gateway } = call;
  world.messages.set(
    message.channel_id,
    (world.messages.get(message.channel_id) ?? []).filter((other) => other !== message),
  );
  const ids = { id: message.id, channel_id: message.channel_id };
  gateway.dispatch('MESSAGE_DELETE', { ...ids, ...world.guildOf(channelOf(world, call.path)) });
}

function addRole(call: Call): undefined {
  const { member, role } = memberAndRole(call);
  if (!member.roles.includes(role)) member.roles.push(role);
  call.gateway.dispatch('GUILD_MEMBER_UPDATE', {
    ...call.world.memberPayload(member),
    guild_id: call.world.guild.id,
  });
}

function removeRole(call: Call): undefined {
  const { member, role } = memberAndRole(call);
  member.roles = member.roles.filter((id) => id !== role);
  call.gateway.dispatch('GUILD_MEMBER_UPDATE', {
    ...call.world.memberPayload(member),
    guild_id: call.world.guild.id,
  });
}

function memberAndRole({ world, path }: Call) {
  const { id: role } = world.role(path['role'] ?? '');
  return { member: world.member(path['member'] ?? ''), role };
}

function commandsOf({ world }: Call, scope: string): readonly Json[] {
  return world.commands.get(scope) ?? [];
}

function overwriteCommands({ world, items }: Call, scope: string): readonly Json[] {
  checkCommands(items);
  const common = { application_id: world.application.id, version: world.snowflake() };
  const scoped = scope === 'global' ? {} : { guild_id: scope };
  const stored = items.map((item) => ({ ...item, ...common, ...scoped, id: world.snowflake() }));
  world.commands.set(scope, stored);
  return stored;
}

function channelOf(world: World, path: Readonly<Record<string, string>>): WorldChannel {
  return world.channel(path['channel'] ?? '');
}

function messageOf({ world, path }: Call) {
  const { id } = channelOf(world, path);
  const found = world.messages.get(id)?.find((message) => message.id === path['message']);
  if (!found) throw unknownMessage();
  return found;
}

/** What is no escape stands for itself: there is nothing of that name anyway. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
