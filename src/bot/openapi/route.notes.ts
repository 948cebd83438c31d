import type { RouteNotes } from '../../platform/rest/openapi/notes.js';

/** What reaches the process that runs the bot can find none. */
const CONTROL = ['BOT_UNAVAILABLE'];
/** What asks the platform for something. */
const PLATFORM = [
  ...['BOT_NOT_RUNNING', 'PLATFORM_REJECTED', 'PLATFORM_TOKEN_INVALID'],
  ...['PLATFORM_UNAVAILABLE', 'PLATFORM_TIMEOUT', ...CONTROL],
];
const ACTOR = { actorId: '80351110224678912', actorTag: 'ada' };
const CHANNEL = '1098765432109876543';
const MESSAGE = {
  content: 'Version 2 is out, {user}',
  embed: { title: '2.0', description: 'Faster, and with worlds.', color: '#FF8800' },
  buttons: [{ label: 'Download', url: 'https://example.com/download' }],
};

/** Every endpoint of the bot API, in the order in which somebody sets a bot up. */
export const botRouteNotes: Readonly<Record<string, RouteNotes>> = {
  'GET /api/status': {
    summary: 'How is the bot?',
    description:
      'Answers 200 always, so that it can be read; with `strict` a bot that does not run is 503, for probes.',
    query: { strict: { type: 'string', enum: ['1', 'true'] } },
    answers: (result, example) => {
      const stopped = { running: false, state: 'stopped', ping: null, uptime: null, shards: 0 };
      const content = (shown: unknown) => ({ 'application/json': { schema: result, example: shown } });
      return {
        200: { description: 'Its status', content: content(example) },
        503: {
          description: 'The same, when `strict=1` was asked for and the bot does not run',
          content: content({ ...(example as object), ...stopped }),
        },
      };
    },
  },
  'POST /api/bot/start': {
    summary: 'Start the bot',
    description: 'A move that does not apply is 200 with `changed: false`.',
    codes: [
      ...['LICENSE_INACTIVE', 'BOT_TOKEN_MISSING', 'BOT_STOPPED', 'PLATFORM_TOKEN_INVALID'],
      ...['PLATFORM_INTENTS_DISALLOWED', 'PLATFORM_REJECTED', 'PLATFORM_UNAVAILABLE', 'PLATFORM_TIMEOUT'],
      ...CONTROL,
    ],
  },
  'POST /api/bot/restart': {
    summary: 'Restart the bot',
    codes: [
      ...['LICENSE_INACTIVE', 'BOT_TOKEN_MISSING', 'BOT_STOPPED', 'PLATFORM_TOKEN_INVALID'],
      ...['PLATFORM_INTENTS_DISALLOWED', 'PLATFORM_REJECTED', 'PLATFORM_UNAVAILABLE', 'PLATFORM_TIMEOUT'],
      ...CONTROL,
    ],
  },
  'POST /api/bot/presence': {
    summary: 'Set the presence',
    description: 'Saved while the bot is stopped, with `applied: false`, and sent when it connects.',
    body: { status: 'online', activities: [{ name: 'over your licenses', type: 3 }] },
    fields: {
      status: { description: '`online`, `idle`, `dnd`, `invisible`; `offline` means invisible.' },
      activities: { maxItems: 5 },
    },
    codes: CONTROL,
  },
  'POST /api/bot/profile': {
    summary: 'Change the name or the avatar',
    description: 'At least one of the two. Paths and addresses are refused: only a data URI is an avatar.',
    body: { username: 'Plot Guard' },
    fields: { username: { minLength: 2, maxLength: 32 } },
    codes: ['PROFILE_RATE_LIMITED', ...PLATFORM],
  },
  'GET /api/logs': {
    summary: 'Read the console',
    parameters: { limit: 50, level: 'info' },
    fields: { limit: { minimum: 1, maximum: 500, default: 100 }, after: { minimum: 0 } },
  },
  'GET /api/logs/stream': {
    summary: 'Follow the console',
    description: 'By `EventSource` too, but for the header: `last_event_id` is the same.',
    fields: { last_event_id: { minimum: 0 } },
  },
  'POST /api/modules/toggle': {
    summary: 'Enable or disable a module',
    body: { id: 'utility', enabled: true, ...ACTOR },
    codes: ['MODULE_NOT_FOUND', 'MODULE_ENABLE_FAILED', ...CONTROL],
  },
  'GET /api/modules': { summary: 'List modules' },
  'POST /api/modules/config': {
    summary: "Set a module's configuration",
    description: 'Merges, all or nothing; it reaches the running module at once.',
    body: { id: 'welcome', group: 'joining', values: { text: 'Hello {user}!' }, ...ACTOR },
    codes: ['MODULE_NOT_FOUND', ...CONTROL],
  },
  'GET /api/modules/configs': { summary: "List modules' configurations" },
  'POST /api/modules/logging': {
    summary: 'Set where a module tells its events',
    body: { id: 'core', enabled: true, events: { 'bot.started': true }, ...ACTOR },
    codes: ['MODULE_NOT_FOUND', ...CONTROL],
  },
  'GET /api/modules/logging': { summary: 'List where modules tell their events' },
  'POST /api/commands': {
    summary: 'Set the prefix and commands',
    body: {
      prefix: '!',
      commands: [{ name: 'ping', rules: { cooldown: { seconds: 10, uses: 2, scope: 'user' } } }],
    },
    codes: CONTROL,
  },
  'GET /api/commands': { summary: 'List commands' },
  'POST /api/commands/sync': { summary: 'Register the slash commands', codes: PLATFORM },
  'POST /api/messages': {
    summary: 'Save a message template',
    description: 'With an `id` that exists, what is given is changed: 200.',
    body: { name: 'release', channel: CHANNEL, ...MESSAGE },
    fields: { buttons: { maxItems: 25 } },
    codes: ['ALREADY_EXISTS'],
  },
  'GET /api/messages': { summary: 'List message templates' },
  'POST /api/embeds/send': {
    summary: 'Send a message',
    description: 'Nobody is pinged unless `allowedMentions` says so.',
    body: { channel: CHANNEL, ...MESSAGE },
    fields: { content: { maxLength: 2000 }, buttons: { maxItems: 25 } },
    codes: ['MESSAGE_TEMPLATE_NOT_FOUND', 'CHANNEL_NOT_FOUND', 'CHANNEL_NOT_SENDABLE', ...PLATFORM],
  },
  'DELETE /api/messages/:id': {
    summary: 'Delete a message template',
    parameters: { id: 'tpl_8sKd02' },
    codes: ['MESSAGE_TEMPLATE_NOT_FOUND'],
  },
  'POST /api/bot/stop': { summary: 'Stop the bot', codes: CONTROL },
};
