import { healthOperations } from '../../platform/rest/openapi/beside.js';
import type { ApiNotes, CodeNotes } from '../../platform/rest/openapi/notes.js';
import { BOT_ERRORS } from '../bot-error.js';
import type { BotErrorCode } from '../bot-error.js';
import { botRecords } from './records.js';
import { botRouteNotes } from './route.notes.js';

const DETAILS: Readonly<Record<BotErrorCode, string>> = {
  LICENSE_INACTIVE: "The bot's own license is not valid: This license has expired.",
  CHANNEL_NOT_FOUND: 'There is no such channel, or the bot is not in its server',
  BOT_NOT_RUNNING: 'The bot is stopped; start it first',
  BOT_STOPPED: 'The bot was stopped before this was done',
  BOT_TOKEN_MISSING: 'BOT.TOKEN is not set',
  CHANNEL_NOT_SENDABLE: "The bot isn't allowed to write in this channel",
  RATE_LIMITED: 'The platform asks to wait: too many requests',
  PROFILE_RATE_LIMITED: 'The platform allows only few changes of the profile an hour',
  PLATFORM_TOKEN_INVALID: 'The platform refuses BOT.TOKEN: set a new one',
  PLATFORM_INTENTS_DISALLOWED: 'The platform disallows the intents that the bot asks for',
  PLATFORM_REJECTED: 'The platform refuses it: Invalid Form Body (50035)',
  PLATFORM_UNAVAILABLE: "The platform can't be reached",
  BOT_UNAVAILABLE: 'No process runs the bot now: start one with the role bot',
  PLATFORM_TIMEOUT: "The platform didn't answer in time",
};

const codes = Object.fromEntries(
  (Object.keys(BOT_ERRORS) as BotErrorCode[]).map((code) => [
    code,
    { ...BOT_ERRORS[code], detail: DETAILS[code] } satisfies CodeNotes,
  ]),
);

/** What the OpenAPI document of the bot API says beside its routes. */
export const botNotes: ApiNotes = {
  title: 'Bot API',
  description: [
    'Runs the chat bot: its client, modules, commands and messages. One bot a database: any gateway takes these calls,',
    'and they answer with the outcome at the process that runs the bot. The same is to be had by GraphQL, on `SERVER.PORT`;',
    'the licensing API is another document, there too.',
    '',
    '- **Bearer.** `Authorization: Bearer <AUTH.SECRET>`, or an API key with the scope that the endpoint names. It is',
    '  checked before the path.',
    '- **Writes** answer 200 with `{"success": true, …}`.',
    '- **Actors.** `actorId` and `actorTag` name the person behind a write; they go into the activity log.',
    '- **Errors** are problem details (RFC 9457). Decide by `code`.',
  ].join('\n'),
  tags: [
    { name: 'Status', prefixes: ['/api/status'], description: 'How the bot is.' },
    { name: 'Client', prefixes: ['/api/bot'], description: 'Start, stop, presence and profile.' },
    { name: 'Console', prefixes: ['/api/logs'], description: 'What the bot says of its work.' },
    { name: 'Modules', prefixes: ['/api/modules'], description: 'Parts that can be switched on, and set.' },
    { name: 'Commands', prefixes: ['/api/commands'], description: 'What people can ask the bot for.' },
    { name: 'Messages', prefixes: ['/api/messages', '/api/embeds'], description: 'Saved and sent.' },
    { name: 'Operations', prefixes: ['/health'], description: 'For probes.' },
  ],
  keyScheme: 'bearer',
  securitySchemes: {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: '`AUTH.SECRET`, or an API key with the scope that the endpoint names.',
    },
  },
  routes: botRouteNotes,
  codes: {
    ...codes,
    MODULE_ENABLE_FAILED: {
      status: 409,
      title: 'Module enable failed',
      detail: 'The module "welcome" can not be enabled: it needs a channel',
    },
  },
  records: botRecords,
  beside: healthOperations('Operations'),
};
