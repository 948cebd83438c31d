import { counted } from '../../platform/counted.js';
import { rows } from './database-checks.js';
import type { Patient } from './database-checks.js';
import { fail, ok, warn } from './finding.js';
import type { Check } from './finding.js';

const WAITING_WARN_SECONDS = 300;
const DELIVERY_LATE_MINUTES = 5;

/** What works in the background: the queue, the workers, webhooks, the bot. Needs a migrated database. */
export const WORK_CHECKS: Readonly<Record<string, Check<Patient>>> = {
  'jobs.workers': async ({ client, config }) => {
    const [row] = await rows<{ alive: number; silent: number; waiting: number }>(
      client,
      `select count(*) filter (where seen_at >= now() - make_interval(secs => $1))::integer as alive,
              count(*) filter (where seen_at < now() - make_interval(secs => $1))::integer as silent,
              (select count(*)::integer from graphile_worker.jobs
                where locked_at is null and attempts < max_attempts and run_at <= now()) as waiting
         from job_runner`,
      [config.jobs.deadAfterSeconds],
    );
    const { alive = 0, silent = 0, waiting = 0 } = row ?? {};
    const advice = 'Start a process with the role worker; docs/guides/jobs.md tells what waits for it.';
    if (alive === 0 && waiting > 0)
      return fail(`no worker runs, and ${counted(waiting, 'job waits', 'jobs wait')}`, advice);
    if (alive === 0) return warn('no worker runs: nothing expires, is delivered or cleaned up', advice);
    if (silent === 0) return ok(`${counted(alive, 'worker')} alive`);
    return warn(
      `${counted(alive, 'worker')} alive, ${silent} silent: their jobs go to the others soon`,
      'See why they ended, if that was not meant.',
    );
  },
  'jobs.queue': async ({ client }) => {
    const [row] = await rows<{ failed: number; oldest: number | null }>(
      client,
      `select count(*) filter (where locked_at is null and attempts >= max_attempts)::integer as failed,
              extract(epoch from now() - min(run_at) filter (
                where locked_at is null and attempts < max_attempts and run_at <= now()))::integer as oldest
         from graphile_worker.jobs`,
    );
    const { failed = 0, oldest = null } = row ?? {};
    const found = [];
    if (failed > 0) {
      found.push(
        warn(
          `${counted(failed, 'job')} failed for good`,
          'See why: `npm run cli -- jobs list --state failed`; then `jobs retry --failed`.',
        ),
      );
    }
    if (oldest !== null && oldest > WAITING_WARN_SECONDS) {
      found.push(
        warn(
          `the oldest job has waited for ${oldest} s`,
          'Start more workers, or see what keeps them: `npm run cli -- jobs`.',
        ),
      );
    }
    return found.length > 0 ? found : ok('no job is late, and none has failed for good');
  },
  'webhooks.targets': async ({ client }) => {
    const disabled = await rows<{ name: string }>(
      client,
      'select name from webhook where deleted_at is null and not enabled and failing_since is not null order by name',
    );
    if (disabled.length === 0) return ok('no target was disabled for its failures');
    return warn(
      `disabled, as all they did was fail: ${disabled.map(({ name }) => name).join(', ')}`,
      'Mend the receiver, and enable the target again (PATCH /webhooks); then send again what it missed.',
    );
  },
  'webhooks.deliveries': async ({ client }) => {
    const [row] = await rows<{ late: number }>(
      client,
      `select count(*)::integer as late from webhook_delivery
        where due_at < now() - make_interval(mins => ${DELIVERY_LATE_MINUTES})`,
    );
    const late = row?.late ?? 0;
    if (late === 0) return ok('no delivery is late');
    return warn(
      `${counted(late, 'delivery attempt')} more than ${DELIVERY_LATE_MINUTES} minutes late`,
      'Start a worker, or one more.',
    );
  },
  bot: async ({ client, config }) => {
    const [row] = await rows<{ desired: string | null; state: string; error: string | null; held: boolean }>(
      client,
      `select desired, state, last_error_code as error,
              exists (select from pg_stat_activity where datname = current_database()
                        and application_name = 'licensing-bot-lease') as held
         from bot`,
    );
    const { desired = null, state = 'stopped', error = null, held = false } = row ?? {};
    const isWanted = desired === 'running' || (desired === null && config.bot.autostart);
    const hasToken = config.bot.token !== undefined || config.bot.sandbox;
    if (!held) {
      if (!config.roles.has('bot') || !hasToken)
        return ok('no process runs the bot, and this one is not set up for it');
      return warn('no process runs the bot', 'Start one with the role bot.');
    }
    if (!isWanted) return ok(`the bot is ${state}, as operators want it`);
    if (state === 'running') return ok('the bot is connected');
    if (!hasToken && state !== 'failed') return ok('the bot has no token here');
    return warn(
      `the bot is ${state}${error === null ? '' : ` (${error})`}`,
      'See its console: `npm run cli -- bot logs`; docs/guides/bot.md tells what the codes mean.',
    );
  },
};
