import { setTimeout as delay } from 'node:timers/promises';
import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { ask } from './ask.js';
import { CliError } from './cli-error.js';
import { duration } from './duration.js';
import { CliJobStatsDocument } from './jobs.generated.js';
import type { CliJobStatsQuery } from './jobs.generated.js';
import { table } from './table.js';

type Stats = CliJobStatsQuery['jobStats'][number];

interface WatchOptions {
  readonly interval: number;
  readonly count?: number;
  readonly minutes?: number;
}

const NOTHING = '–';
const CLEAR = '\u001b[H\u001b[J';
const HEADINGS = [
  ...['TASK', 'WAITING', 'OLDEST', 'SCHEDULED', 'RUNNING', 'FAILED', 'RUNS/MIN', 'ERRORS'],
  ...['P50', 'P95', 'P99', 'WAIT P95'],
];

/** `jobs watch`. */
export function addWatchCommand(jobs: Command): void {
  jobs
    .command('watch')
    .description(
      'The queue by task, again and again: a live table on a terminal, elsewhere a line for each change',
    )
    .option('--interval <seconds>', 'how often to look', positive, 2)
    .option('--count <times>', 'look so often, then end; without it, until Ctrl-C', positive)
    .option('--minutes <minutes>', 'runs of the last so many minutes; 15 by default', positive)
    .action(watch);
}

function positive(text: string): number {
  if (/^\d+$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('It must be a whole number above 0.');
}

async function watch({ interval, count = Infinity, minutes }: WatchOptions, command: Command): Promise<void> {
  const look = async () => (await ask(command, CliJobStatsDocument, { minutes: minutes ?? null })).jobStats;
  const show = statsView(command.optsWithGlobals<{ json?: true }>());
  show(await look());
  for (let looked = 1; looked < count; looked++) {
    await delay(interval * 1000);
    try {
      show(await look());
    } catch (error) {
      // A server that starts anew is what one watches for.
      if (!(error instanceof CliError)) throw error;
      process.stderr.write(`${error.message}\n`);
    }
  }
}

/** Where it is shown: the standard output, or what a test puts in its place. */
interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** JSON: a line each time. A terminal: the table, in place. Else a line for each task whose numbers have changed. */
export function statsView(
  { json }: { readonly json?: true },
  output: Output = process.stdout,
): (stats: readonly Stats[]) => void {
  if (json) return (stats) => void output.write(`${JSON.stringify(stats)}\n`);
  if (output.isTTY === true) {
    return (stats) => void output.write(`${CLEAR}${table(HEADINGS, stats.map(cellsOf))}\n`);
  }
  const before = new Map<string, string>();
  return (stats) => {
    for (const each of stats) {
      const line = lineOf(each);
      if (before.get(each.task) === line) continue;
      before.set(each.task, line);
      output.write(`${line}\n`);
    }
  };
}

function cellsOf(stats: Stats): string[] {
  const { oldestWaitingSeconds, durationMs, waitMs } = stats;
  return [
    stats.task,
    String(stats.waiting),
    oldestWaitingSeconds === null ? NOTHING : duration(oldestWaitingSeconds * 1000),
    ...[stats.scheduled, stats.running, stats.failed].map(String),
    stats.runsPerMinute.toFixed(1),
    String(stats.retrying + stats.failedRuns),
    ...[durationMs?.p50, durationMs?.p95, durationMs?.p99, waitMs?.p95].map((ms) =>
      ms === undefined ? NOTHING : duration(ms),
    ),
  ];
}

function lineOf({
  task,
  waiting,
  scheduled,
  running,
  failed,
  succeeded,
  retrying,
  failedRuns,
}: Stats): string {
  return (
    `${task}: waiting ${waiting}, scheduled ${scheduled}, running ${running}, failed ${failed}; ` +
    `runs: succeeded ${succeeded}, retrying ${retrying}, failed ${failedRuns}`
  );
}
