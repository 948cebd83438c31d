import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { answer } from './answer.js';
import { ask } from './ask.js';
import { CliError } from './cli-error.js';
import { duration } from './duration.js';
import { instant } from './instant.js';
import {
  CliCancelJobsDocument,
  CliCronJobsDocument,
  CliListJobsDocument,
  CliRescheduleJobsDocument,
  CliRetryJobsDocument,
  CliRunCronJobDocument,
  CliShowJobDocument,
} from './jobs.generated.js';
import type { CliJobFragment, CliJobRunFragment, CliJobsChangeFragment, JobState } from './jobs.generated.js';
import { addWatchCommand } from './jobs-watch.js';
import { table } from './table.js';

interface ListOptions {
  readonly state?: JobState;
  readonly task?: string;
  readonly limit: number;
}

interface RetryOptions {
  readonly failed?: true;
  readonly task?: string;
}

interface RescheduleOptions {
  readonly at?: string;
  readonly priority?: number;
  readonly maxAttempts?: number;
}

/** As an object, so that one that the schema gains and this list lacks does not compile. */
const STATES = { waiting: true, scheduled: true, running: true, failed: true } satisfies Record<
  JobState,
  true
>;
const PAGE = 500;
const HEAD_LENGTH_MAX = 80;
const NOTHING = '–';

/** `jobs list | show | retry | cancel | reschedule | cron | run | watch`. */
export function addJobsCommands(program: Command): void {
  const jobs = program.command('jobs').description('The job queue: look, retry, cancel, run, watch');
  jobs
    .command('list')
    .description('Jobs in the queue, oldest first')
    .addOption(new Option('--state <state>', 'only these').choices(Object.keys(STATES)))
    .option('--task <task>', 'only these')
    .option('--limit <count>', 'at most so many', wholeNumber, 50)
    .action(list);
  jobs
    .command('show')
    .description('One job and its last runs, also when it is done')
    .argument('<id>', 'as list shows it', wholeNumber)
    .action(show);
  jobs
    .command('retry')
    .description('Make jobs due now, with all their attempts anew')
    .argument('[ids...]', 'as list shows them', wholeNumbers)
    .option('--failed', 'every failed job instead')
    .option('--task <task>', 'with --failed: only those of this task')
    .action(retry);
  jobs
    .command('cancel')
    .description('Give jobs up that have not begun; they stay as failed, and can be retried')
    .argument('<ids...>', 'as list shows them', wholeNumbers)
    .option('--reason <text>', 'kept as their error')
    .action(cancel);
  jobs
    .command('reschedule')
    .description('Change when, in which order and how often jobs run that have not begun')
    .argument('<ids...>', 'as list shows them', wholeNumbers)
    .option('--at <instant>', 'not before, e.g. 2027-01-01T00:00:00Z')
    .option('--priority <n>', 'lower goes first; 0 is usual', integer)
    .option('--max-attempts <n>', 'in all; more than a failed job has used bring it back', wholeNumber)
    .action(reschedule);
  jobs
    .command('cron')
    .description('What runs on a schedule, when it comes next, and how it went last')
    .action(cron);
  jobs
    .command('run')
    .description('Run a scheduled job now')
    .argument('<task>', 'as cron shows it')
    .action(run);
  addWatchCommand(jobs);
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('It must be a whole number.');
}

/** Below zero, too. */
function integer(text: string): number {
  return text.startsWith('-') ? -wholeNumber(text.slice(1)) : wholeNumber(text);
}

function wholeNumbers(text: string, before: number[] = []): number[] {
  return [...before, wholeNumber(text)];
}

async function list({ state, task, limit }: ListOptions, command: Command): Promise<void> {
  const found: CliJobFragment[] = [];
  for await (const page of pages(command, { state: state ?? null, task: task ?? null }, limit))
    found.push(...page);
  const brief = found.map((job) => ({ ...job, lastError: job.lastError && headOf(job.lastError) }));
  answer(command, { json: found, text: tableOf(brief) });
}

/** So much of a text as tells what it is about. */
function headOf(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > HEAD_LENGTH_MAX ? `${line.slice(0, HEAD_LENGTH_MAX - 1)}…` : line;
}

/** Page after page, `limit` jobs in all. */
async function* pages(
  command: Command,
  filter: { readonly state: JobState | null; readonly task: string | null },
  limit = Infinity,
): AsyncGenerator<readonly CliJobFragment[]> {
  let after: string | null = null;
  for (let left = limit; left > 0;) {
    const { jobs }: { jobs: Page } = await ask(command, CliListJobsDocument, {
      ...{ filter, after },
      first: Math.min(left, PAGE),
    });
    yield jobs.nodes;
    left -= jobs.nodes.length;
    if (!jobs.pageInfo.hasNextPage) return;
    after = jobs.pageInfo.endCursor;
  }
}

interface Page {
  readonly nodes: readonly CliJobFragment[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

async function show(id: number, _options: unknown, command: Command): Promise<void> {
  const { jobs, jobRuns } = await ask(command, CliShowJobDocument, { id });
  const [job] = jobs.nodes;
  const runs = jobRuns.nodes;
  if (!job && runs.length === 0) {
    throw new CliError(1, `There is no job ${id} in the queue, and the history has no runs of it.`);
  }
  const [newest] = runs;
  const facts = [
    ...(job ? [tableOf([job])] : [`Job ${id} (${newest?.task ?? ''}) is in the queue no more.`]),
    ...(newest ? [`payload: ${JSON.stringify(newest.payload)}`, tableOfRuns(runs)] : ['It has not run yet.']),
  ];
  answer(command, { json: { job: job ?? null, runs }, text: facts.join('\n\n') });
}

async function retry(ids: readonly number[], options: RetryOptions, command: Command): Promise<void> {
  if ((ids.length === 0) !== (options.failed === true)) {
    throw new CliError(2, 'Name the jobs by their ids, or all failed ones by --failed.');
  }
  const { failed, task } = options;
  const changes: CliJobsChangeFragment[] = [];
  for (const part of parts(failed ? await failedIds(command, task) : ids)) {
    changes.push((await ask(command, CliRetryJobsDocument, { ids: part })).change);
  }
  tell(command, changes, 'due now');
}

/** All of them first: those that are retried may fail again meanwhile, and would come round and round. */
async function failedIds(command: Command, task: string | undefined): Promise<number[]> {
  const ids: number[] = [];
  for await (const page of pages(command, { state: 'failed', task: task ?? null })) {
    ids.push(...page.map(({ id }) => id));
  }
  return ids;
}

async function cancel(
  ids: readonly number[],
  { reason }: { reason?: string },
  command: Command,
): Promise<void> {
  const changes: CliJobsChangeFragment[] = [];
  for (const part of parts(ids)) {
    changes.push((await ask(command, CliCancelJobsDocument, { ids: part, reason: reason ?? null })).change);
  }
  tell(command, changes, 'cancelled');
}

async function reschedule(
  ids: readonly number[],
  { at, priority, maxAttempts }: RescheduleOptions,
  command: Command,
): Promise<void> {
  if (at === undefined && priority === undefined && maxAttempts === undefined) {
    throw new CliError(2, 'Say what to change: --at, --priority or --max-attempts.');
  }
  const request = { runAt: at ?? null, priority: priority ?? null, maxAttempts: maxAttempts ?? null };
  const changes: CliJobsChangeFragment[] = [];
  for (const part of parts(ids)) {
    changes.push((await ask(command, CliRescheduleJobsDocument, { ...request, ids: part })).change);
  }
  tell(command, changes, 'rescheduled');
}

function parts(ids: readonly number[]): number[][] {
  return Array.from({ length: Math.ceil(ids.length / PAGE) }, (_, n) => ids.slice(n * PAGE, (n + 1) * PAGE));
}

/** Ends with 1 if some job stays as it was: whoever named it expected otherwise. */
function tell(command: Command, changes: readonly CliJobsChangeFragment[], what: string): void {
  const jobs = changes.flatMap((change) => change.jobs);
  const refused = changes.flatMap((change) => change.refused);
  answer(command, {
    json: { jobs, refused },
    text: `${jobs.length} ${jobs.length === 1 ? 'job is' : 'jobs are'} ${what}.`,
  });
  if (refused.length === 0) return;
  const details = refused.map(({ message }) => message);
  throw new CliError(
    1,
    `${refused.length === 1 ? 'One stays' : `${refused.length} stay`} as before:`,
    details,
  );
}

async function cron(_options: unknown, command: Command): Promise<void> {
  const { cronJobs } = await ask(command, CliCronJobsDocument, {});
  const rows = cronJobs.map(({ task, schedule, nextRunAt, lastRun }) => [
    ...[task, schedule, nextRunAt === null ? NOTHING : instant(nextRunAt)],
    ...(lastRun === null
      ? [NOTHING, NOTHING, NOTHING]
      : [instant(lastRun.startedAt), lastRun.outcome, duration(lastRun.durationMs)]),
  ]);
  const headings = ['TASK', 'SCHEDULE (UTC)', 'NEXT', 'LAST', 'OUTCOME', 'TOOK'];
  answer(command, { json: cronJobs, text: table(headings, rows) });
}

async function run(task: string, _options: unknown, command: Command): Promise<void> {
  const { job } = await ask(command, CliRunCronJobDocument, { task });
  answer(command, { json: job, text: `Job ${job.id} (${job.task}) is in the queue.` });
}

function tableOf(jobs: readonly CliJobFragment[]): string {
  const rows = jobs.map((job) => [
    ...[String(job.id), job.task, job.state, `${job.attempts}/${job.maxAttempts}`],
    ...[instant(job.runAt), job.worker ?? NOTHING, job.lastError ?? NOTHING],
  ]);
  return table(['ID', 'TASK', 'STATE', 'ATTEMPTS', 'DUE', 'WORKER', 'LAST ERROR'], rows);
}

function tableOfRuns(runs: readonly CliJobRunFragment[]): string {
  const rows = runs.map((each) => [
    ...[instant(each.startedAt), `${each.attempt}/${each.maxAttempts}`, each.outcome],
    ...[duration(each.waitMs), duration(each.durationMs), each.worker, each.error ?? NOTHING],
  ]);
  return table(['STARTED', 'ATTEMPT', 'OUTCOME', 'WAITED', 'TOOK', 'WORKER', 'ERROR'], rows);
}
