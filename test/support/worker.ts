import type { TestApp } from './app.js';
import { closeAfterwards } from './database.js';
import { until } from './embedded-postgres-kit.js';
import { startWorker } from '../../jobs/worker.js';

/** Starts the real job runner on the app's database; stopped when the file has ended. */
export async function startTestWorker({ orm, ctx }: TestApp): Promise<void> {
  const { settings, clock, log, metrics } = ctx;
  const services = { orm, direct: orm, config: settings, clock, log, metrics };
  // Whatever runs is what a test has asked for: a minute that begins meanwhile must not add to it.
  const worker = await startWorker({ ...services, scheduled: [] });
  closeAfterwards(() => worker.stop());
}

/** Enqueues the tasks and waits until the job runner has done them all. Throws with what a failed one says. */
export async function runTasks(app: TestApp, ...tasks: string[]): Promise<void> {
  for (const task of tasks) await app.sql('select graphile_worker.add_job($1, max_attempts => 1)', [task]);
  await until(async () => {
    const jobs = await app.sql<{ last_error: string | null }>(
      'select j.last_error from graphile_worker._private_jobs j',
    );
    const failed = jobs.find(({ last_error }) => last_error !== null);
    if (failed) throw new Error(`A job failed: ${failed.last_error ?? ''}`);
    return jobs.length === 0;
  });
}
