import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { cliWith } from '../support/cli.js';
import type { Cli } from '../support/cli.js';

// No worker runs here: what is in the queue stays as it is.
let app: TestApp;
let cli: Cli;

beforeAll(async () => {
  app = await startApp();
  cli = cliWith({ LICENSING_URL: app.url, LICENSING_API_KEY: app.apiKey });
});

beforeEach(async () => {
  await app.sql('delete from graphile_worker._private_jobs');
});

async function queued(task = 'maintain-logs', error?: string): Promise<string> {
  const [job] = await app.sql<{ id: string }>(
    `select id from graphile_worker.add_job($1, run_at => '2026-01-01T00:00:00Z', max_attempts => 3)`,
    [task],
  );
  const id = job?.id ?? '';
  if (error !== undefined) {
    await app.sql('update graphile_worker._private_jobs set attempts = 3, last_error = $2 where id = $1', [
      id,
      error,
    ]);
  }
  return id;
}

describe('jobs list', () => {
  it('shows the queue in a table, or just a state', async () => {
    const [waiting, failed] = [await queued(), await queued('add-up-counts', 'no such table')];
    const all = await cli('jobs', 'list');
    expect(all).toMatchObject({ exitCode: 0, stderr: '' });
    const [head, ...rows] = all.stdout.trimEnd().split('\n');
    expect(head).toMatch(/^ID +TASK +STATE +ATTEMPTS +DUE +WORKER +LAST ERROR$/);
    expect(rows).toEqual([
      expect.stringMatching(
        new RegExp(`^${waiting} +maintain-logs +waiting +0/3 +2026-01-01 00:00:00Z +– +–$`),
      ),
      expect.stringMatching(new RegExp(`^${failed} +add-up-counts +failed +3/3 .* no such table$`)),
    ]);
    const { stdout } = await cli('jobs', 'list', '--state', 'failed', '--json');
    expect(JSON.parse(stdout)).toMatchObject([
      { id: Number(failed), state: 'failed', lastError: 'no such table' },
    ]);
  });

  it('--limit beyond a page', async () => {
    await app.sql(`select graphile_worker.add_job('maintain-logs') from generate_series(1, 510)`);
    const { stdout } = await cli('jobs', 'list', '--json', '--limit', '505');
    expect(JSON.parse(stdout)).toHaveLength(505);
  });
});

describe('jobs show', () => {
  it('shows a job that has not run, and one that is done by its runs', async () => {
    const id = await queued();
    expect((await cli('jobs', 'show', id)).stdout).toContain('It has not run yet.');
    await app.sql(
      `insert into job_run (job_id, task, payload, attempt, max_attempts, outcome, error, worker, queued_at, due_at, started_at, duration_ms)
       values (77, 'done-long-ago', '{"id":5}', 2, 3, 'succeeded', null, 'worker-1', now(), now(), now() + interval '2 seconds', 1500)`,
    );
    const { exitCode, stdout } = await cli('jobs', 'show', '77');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Job 77 (done-long-ago) is in the queue no more.');
    expect(stdout).toContain('payload: {"id":5}');
    expect(stdout).toMatch(/2\/3 +succeeded +2 s +1\.5 s +worker-1 +–$/m);
  });

  it('1 for a job that never was', async () => {
    expect(await cli('jobs', 'show', '123456789')).toEqual({
      ...{ exitCode: 1, stdout: '' },
      stderr: 'Error: There is no job 123456789 in the queue, and the history has no runs of it.\n',
    });
  });
});

describe('jobs retry', () => {
  it('makes the named ones due; 1 with those that are not there', async () => {
    const id = await queued('add-up-counts', 'no');
    expect(await cli('jobs', 'retry', id)).toEqual({
      exitCode: 0,
      stdout: '1 job is due now.\n',
      stderr: '',
    });
    const run = await cli('jobs', 'retry', id, '987654321');
    expect(run).toMatchObject({ exitCode: 1, stdout: '1 job is due now.\n' });
    expect(run.stderr).toBe(
      'Error: One stays as before:\n  There is no job 987654321 in the queue; if it is done, its runs tell\n',
    );
  });

  it('--failed takes all of them, of a task', async () => {
    await app.sql(
      `select graphile_worker.add_job('maintain-logs', max_attempts => 1) from generate_series(1, 501)`,
    );
    await app.sql('update graphile_worker._private_jobs set attempts = 1');
    const other = await queued('add-up-counts', 'no');
    const { stdout } = await cli('jobs', 'retry', '--failed', '--task', 'maintain-logs');
    expect(stdout).toBe('501 jobs are due now.\n');
    const left = await cli('jobs', 'list', '--state', 'failed', '--json');
    expect(JSON.parse(left.stdout)).toMatchObject([{ id: Number(other) }]);
  });

  it.each([[['jobs', 'retry']], [['jobs', 'retry', '1', '--failed']], [['jobs', 'retry', 'one']]])(
    '2 for %j',
    async (args) => {
      expect((await cli(...args)).exitCode).toBe(2);
    },
  );
});

describe('jobs cancel', () => {
  it('gives them up, with the reason', async () => {
    const id = await queued();
    expect((await cli('jobs', 'cancel', id, '--reason', 'not wanted')).stdout).toBe('1 job is cancelled.\n');
    expect((await cli('jobs', 'list')).stdout).toContain('Cancelled by api_key:*: not wanted');
  });
});

describe('jobs reschedule', () => {
  it('changes when, in which order and how often they run; 1 with those that are not there', async () => {
    const id = await queued('add-up-counts', 'no');
    const options = ['--at', '2099-01-01T03:00:00Z', '--priority', '-5', '--max-attempts', '9'];
    expect(await cli('jobs', 'reschedule', id, ...options)).toEqual({
      ...{ exitCode: 0, stdout: '1 job is rescheduled.\n', stderr: '' },
    });
    const changed = async () => JSON.parse((await cli('jobs', 'list', '--json')).stdout) as unknown;
    const first = { state: 'scheduled', runAt: '2099-01-01T03:00:00.000Z', priority: -5, maxAttempts: 9 };
    expect(await changed()).toMatchObject([first]);
    // What isn't named stays.
    const run = await cli('jobs', 'reschedule', id, '987654321', '--priority', '2');
    expect(run).toMatchObject({ exitCode: 1, stdout: '1 job is rescheduled.\n' });
    expect(run.stderr).toContain('There is no job 987654321 in the queue');
    expect(await changed()).toMatchObject([{ ...first, priority: 2 }]);
  });

  it.each([
    [['1'], 'Say what to change: --at, --priority or --max-attempts.'],
    [['1', '--priority', 'high'], 'It must be a whole number.'],
    [['--priority', '1'], "missing required argument 'ids'"],
  ])('2 for %j: %s', async (args, message) => {
    const run = await cli('jobs', 'reschedule', ...args);
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('1 for a time that is none, as the server says it', async () => {
    const run = await cli('jobs', 'reschedule', await queued(), '--at', 'tomorrow');
    expect([run.exitCode, run.stderr]).toEqual([1, expect.stringContaining('tomorrow')]);
  });
});

describe('jobs cron and run', () => {
  beforeAll(async () => {
    await app.sql(
      `insert into cron_job (task, schedule, max_attempts, registered_at) values ('maintain-jobs', '41 * * * *', 3, now())`,
    );
  });

  it('cron tells when each comes next', async () => {
    const { stdout } = await cli('jobs', 'cron');
    expect(stdout).toMatch(/^TASK +SCHEDULE \(UTC\) +NEXT +LAST +OUTCOME +TOOK$/m);
    expect(stdout).toMatch(/^maintain-jobs +41 \* \* \* \* +2026-01-15 12:41:00Z +– +– +–$/m);
  });

  it('run adds the job; 1 for what has no schedule', async () => {
    const { stdout } = await cli('jobs', 'run', 'maintain-jobs');
    expect(stdout).toMatch(/^Job \d+ \(maintain-jobs\) is in the queue\.\n$/);
    const unknown = await cli('jobs', 'run', 'nothing');
    expect(unknown).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('CRON_JOB_NOT_FOUND') });
  });
});

describe('jobs watch', () => {
  it('writes a line for each task, and again only when its numbers change', async () => {
    await queued();
    const { exitCode, stdout } = await cli('jobs', 'watch', '--count', '2', '--interval', '1');
    expect(exitCode).toBe(0);
    expect(stdout.split('\n').filter((line) => line.startsWith('maintain-logs:'))).toEqual([
      expect.stringContaining('maintain-logs: waiting 1, scheduled 0, running 0, failed 0; runs: '),
    ]);
  });

  it('--json writes a line each time', async () => {
    await queued();
    const { stdout } = await cli('jobs', 'watch', '--count', '2', '--interval', '1', '--json');
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContainEqual(expect.objectContaining({ task: 'maintain-logs', waiting: 1 }));
  });

  it('1 when there is no server to begin with', async () => {
    const elsewhere = cliWith({ LICENSING_URL: 'http://127.0.0.1:9', LICENSING_API_KEY: app.apiKey });
    expect((await elsewhere('jobs', 'watch', '--count', '1')).exitCode).toBe(1);
  });
});
