import { baseUrl, listOf, oneOf, snowflake, text } from './kinds.js';
import type { Option } from './option.js';

/** What the bot and its platform need; see `options.ts`. */
export const BOT_OPTIONS = {
  'BOT.TOKEN': {
    schema: text(1),
    defaultNote: 'none: the bot can not be started',
    meaning: "Token of the bot, from the chat platform's developer portal.",
    secret: 'text',
  },
  'BOT.PLATFORM_URL': {
    schema: baseUrl(),
    default: 'https://discord.com/api',
    meaning: "Base of the chat platform's REST API.",
  },
  'BOT.GUILD_ID': {
    schema: snowflake(),
    defaultNote: 'none: all servers',
    meaning: 'The server the bot is for: it is the one shown, and commands are registered there.',
  },
  'BOT.AUTOSTART': {
    schema: oneOf(['true', 'false']),
    default: 'true',
    meaning: 'Whether the bot connects with the process, until an operator has started or stopped it.',
  },
  'BOT.SANDBOX': {
    schema: oneOf(['true', 'false']),
    default: 'false',
    meaning:
      'Whether the bot runs on a small platform of this process, with a page to chat on, without a token and the internet.',
  },
  'BOT.OWNERS': {
    schema: listOf(snowflake()),
    default: '',
    meaning: 'Ids of the users who may call every command, whatever its rules.',
  },
  'BOT.MODULES_DIR': {
    schema: text(1),
    defaultNote: 'none: the shipped modules alone',
    meaning: 'Directory of further modules, one folder each, relative to the working directory.',
  },
  'BOT.LICENSE_KEY': {
    schema: text(1),
    defaultNote: 'none: the bot needs no license',
    meaning: "The bot's own license; once it is set, the bot starts only while it is valid.",
    secret: 'text',
  },
} as const satisfies Record<string, Option>;
