import type { Command } from 'commander';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { answer } from './answer.js';
import { ask } from './ask.js';
import {
  CliBotStatusDocument,
  CliRestartBotDocument,
  CliStartBotDocument,
  CliStopBotDocument,
  CliSyncBotCommandsDocument,
} from './bot.generated.js';
import type { CliBotStatusQuery } from './bot.generated.js';
import { addBotLogsCommand } from './bot-logs.js';
import { addBotModulesCommands } from './bot-modules.js';
import { CliError } from './cli-error.js';
import { duration } from './duration.js';
import { instant } from './instant.js';
import { printable } from './printable.js';

type Status = CliBotStatusQuery['bot']['status'];

/** A start, stop or restart: what is done, and what the operator is told. */
interface Move {
  readonly description: string;
  readonly document: TypedDocumentNode<{ move: { changed: boolean } }, Record<string, never>>;
  readonly done: string;
  readonly needless: string;
}

const MOVES: Readonly<Record<string, Move>> = {
  start: {
    description: 'Connect the bot; answers when it is connected, or why it is not',
    document: CliStartBotDocument,
    done: 'The bot is connected.',
    needless: 'The bot was connected already.',
  },
  stop: {
    description: 'Disconnect the bot; it stays so until somebody starts it',
    document: CliStopBotDocument,
    done: 'The bot is stopped.',
    needless: 'The bot was stopped already.',
  },
  restart: {
    description: 'Disconnect the bot, and connect it anew',
    document: CliRestartBotDocument,
    done: 'The bot is connected anew.',
    needless: 'Nothing has changed.',
  },
};
const NOTHING = '–';

/** `bot status | start | stop | restart | sync | logs | modules`. */
export function addBotCommands(program: Command): void {
  const bot = program.command('bot').description('The chat bot: look, start, stop, read its console');
  bot
    .command('status')
    .description('How the bot is')
    .option('--strict', 'exit 1 unless it is connected')
    .action(status);
  for (const [name, move] of Object.entries(MOVES)) {
    bot
      .command(name)
      .description(move.description)
      .action(async (_options: unknown, command: Command) => {
        const { move: moved } = await ask(command, move.document, {});
        answer(command, { json: moved, text: moved.changed ? move.done : move.needless });
      });
  }
  bot.command('sync').description('Give the platform the slash commands as they are now').action(sync);
  addBotLogsCommand(bot);
  addBotModulesCommands(bot);
}

async function status({ strict }: { readonly strict?: true }, command: Command): Promise<void> {
  const { status: found } = (await ask(command, CliBotStatusDocument, {})).bot;
  const facts = factsOf(found);
  const width = Math.max(...facts.map(([name]) => name.length));
  const text = facts.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`).join('\n');
  answer(command, { json: found, text });
  if (strict && !found.running) throw new CliError(1, `The bot is ${found.state}.`);
}

function factsOf(found: Status): [name: string, value: string][] {
  const { bot, server, license, modules, lastError } = found;
  return [
    ['State', `${found.state} since ${instant(found.since)}`],
    ['Uptime', found.uptime === null ? NOTHING : duration(found.uptime * 1000)],
    ['Bot', bot.id === null ? NOTHING : `${bot.tag ?? bot.username ?? ''} (${bot.id})`],
    ['Server', server.id === null ? NOTHING : `${server.name ?? ''} (${server.id})`],
    ['Ping', found.ping === null ? NOTHING : duration(found.ping)],
    ['Modules', `${modules.loaded} loaded, ${modules.failed} failed`],
    ['License', license.activated ? 'valid' : (license.message ?? 'not valid')],
    ['Last error', lastError === null ? NOTHING : `${lastError.code} at ${instant(lastError.at)}`],
  ];
}

async function sync(_options: unknown, command: Command): Promise<void> {
  const { sync: synced } = await ask(command, CliSyncBotCommandsDocument, {});
  const { registered, scope, unchanged } = synced;
  const where = scope === 'guild' ? 'on its server' : 'on every server';
  answer(command, {
    json: synced,
    text: `${registered} slash ${registered === 1 ? 'command is' : 'commands are'} registered ${where}${unchanged ? ', as before' : ''}.`,
  });
}
