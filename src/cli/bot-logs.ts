import { setTimeout as delay } from 'node:timers/promises';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { answer } from './answer.js';
import { ask } from './ask.js';
import { CliBotLogsDocument, CliFollowBotLogDocument } from './bot.generated.js';
import type { BotLogLevel, CliBotLogEntryFragment } from './bot.generated.js';
import { CliError } from './cli-error.js';
import { instant } from './instant.js';
import { listen } from './listen.js';
import { printable } from './printable.js';
import { Refusal } from './refusal.js';

interface LogsOptions {
  readonly follow?: true;
  readonly lines: number;
  readonly after?: number;
  readonly level?: BotLogLevel;
}

type Line = CliBotLogEntryFragment;

/** As an object, so that one that the schema gains and this list lacks does not compile. */
const LEVELS = { debug: true, info: true, warn: true, error: true } satisfies Record<BotLogLevel, true>;
const PAGE = 500;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;
/** What the server says when it is about to be back. Anything else that it says holds. */
const PASSING = new Set(['UNAVAILABLE', 'INTERNAL', 'RESYNC_NEEDED', 'SUBSCRIBER_TOO_SLOW']);

/** `bot logs`. */
export function addBotLogsCommand(bot: Command): void {
  bot
    .command('logs')
    .description("The bot's console")
    .option('--follow', 'go on with what comes, until Ctrl-C')
    .option('--lines <count>', 'so many of the latest ones, 0–500', lineCount, 100)
    .option('--after <id>', 'instead: all behind this one, as --json shows ids', wholeNumber)
    .addOption(new Option('--level <level>', 'the least severe').choices(Object.keys(LEVELS)))
    .action(logs);
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('It must be a whole number.');
}

function lineCount(text: string): number {
  const count = wholeNumber(text);
  if (count <= PAGE) return count;
  throw new InvalidArgumentError(`It must be at most ${PAGE}.`);
}

async function logs(options: LogsOptions, command: Command): Promise<void> {
  const { json } = command.optsWithGlobals<{ json?: true }>();
  const form = json ? (line: Line) => JSON.stringify(line) : textOf;
  if (options.follow) {
    const write = (line: Line) => void process.stdout.write(`${form(line)}\n`);
    await follow(command, options, write);
    return;
  }
  const found: Line[] = [];
  await read(command, options, (line) => found.push(line));
  if (json || found.length > 0) answer(command, { json: found, text: found.map(textOf).join('\n') });
}

/** What is there already. Resolves to the id behind which the next line comes. */
async function read(
  command: Command,
  { lines, level, after }: LogsOptions,
  onLine: (line: Line) => void,
): Promise<number> {
  let next = after;
  for (;;) {
    // One line is read where none is wanted: it tells where the next one comes.
    const limit = next === undefined ? Math.max(lines, 1) : PAGE;
    const variables = { after: next ?? null, limit, level: level ?? null };
    const page = (await ask(command, CliBotLogsDocument, variables)).bot.logs;
    if (next !== undefined || lines > 0) page.entries.forEach(onLine);
    next = page.next;
    if (!page.truncated) return next;
  }
}

/** Goes on behind the last line that was written, also on another connection: nothing is lost, or written twice. */
async function follow(command: Command, options: LogsOptions, onLine: (line: Line) => void): Promise<void> {
  const signal = untilToldToEnd();
  const hasEnded = () => signal.aborted;
  let after = await read(command, options, onLine);
  let waitMs = FIRST_WAIT_MS;
  let said = '';
  const onOpen = () => {
    waitMs = FIRST_WAIT_MS;
    said = '';
  };
  while (!hasEnded()) {
    try {
      const variables = { after, level: options.level ?? null };
      for await (const { line } of listen(command, CliFollowBotLogDocument, variables, { signal, onOpen })) {
        onLine(line);
        after = line.id;
      }
    } catch (error) {
      if (hasEnded()) return;
      if (!isPassing(error)) throw error;
      // A server that is away for long needn't be told of with every attempt.
      if (error.message !== said) process.stderr.write(`${error.message}; trying again\n`);
      said = error.message;
    }
    await delay(waitMs, undefined, { signal }).catch(() => undefined);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
}

/** Aborted by Ctrl-C, by an orderly end of the process, and when whoever reads along has seen enough. */
function untilToldToEnd(): AbortSignal {
  const ending = new AbortController();
  const end = () => {
    ending.abort();
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  process.stdout.once('error', end);
  return ending.signal;
}

function isPassing(error: unknown): error is CliError {
  if (error instanceof Refusal) return error.codes.some((code) => PASSING.has(code));
  return error instanceof CliError && error.exitCode === 1;
}

function textOf({ time, level, message }: Line): string {
  return `${instant(time)}  ${level.padEnd(5)}  ${message.split('\n').map(printable).join('\n  ')}`;
}
