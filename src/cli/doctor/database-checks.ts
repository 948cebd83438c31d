import type { Client } from 'pg';
import type { Config } from '../../config.js';
import { counted } from '../../platform/counted.js';
import { bytes, fail, ok, warn } from './finding.js';
import type { Check } from './finding.js';

/** A database that answers, and whose it is. */
export interface Patient {
  readonly config: Config;
  readonly client: Client;
  /** By which it answers; holds a password. */
  readonly url: string;
  /** What seals secrets; undefined where there is none yet. */
  readonly secretKey: string | undefined;
  readonly pendingMigrations: () => Promise<readonly string[]>;
  /** How many secrets of each table no key opens. */
  readonly unreadableSecrets: () => Promise<Readonly<Record<string, number>>>;
}

const VERSION_MIN = 150_000;
const SKEW_WARN_MS = 2_000;
const SKEW_FAIL_MS = 30_000;
const LONG_MINUTES = 5;
const DAYS_AHEAD = 2;
const PARTITIONED = ['request_log', 'activity', 'job_run'] as const;

export const DATABASE_CHECKS: Readonly<Record<string, Check<Patient>>> = {
  'database.version': async ({ client }) => {
    const [row] = await rows<{ number: number; version: string }>(
      client,
      `select current_setting('server_version_num')::integer as number, current_setting('server_version') as version`,
    );
    const message = `PostgreSQL ${row?.version ?? '?'}`;
    return (row?.number ?? 0) >= VERSION_MIN ? ok(message) : fail(message, 'Upgrade it to 15 or newer.');
  },
  'database.role': async ({ client }) => {
    const [row] = await rows<{ standby: boolean }>(client, 'select pg_is_in_recovery() as standby');
    if (!row?.standby) return ok('it takes writes');
    return fail(
      'it is a replica, which takes no writes',
      'Let DATABASE_URL lead to the primary, or promote it.',
    );
  },
  'database.migrations': async ({ pendingMigrations }) => {
    const pending = await pendingMigrations();
    if (pending.length === 0) return ok('the schema is up to date');
    return fail(
      `${counted(pending.length, 'migration')} pending: ${pending.join(', ')}`,
      'Run `npm run migrate`.',
    );
  },
  'database.clock': async ({ client }) => {
    const before = Date.now();
    const [row] = await rows<{ now: number }>(
      client,
      'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
    );
    const skew = Math.round(Math.abs((row?.now ?? 0) - (before + Date.now()) / 2));
    const message = `this machine's clock and the database's are ${skew} ms apart`;
    const advice = 'Run a time service (chrony, systemd-timesyncd) on both.';
    if (skew > SKEW_FAIL_MS) return fail(message, advice);
    return skew > SKEW_WARN_MS ? warn(message, advice) : ok(message);
  },
  'database.durability': async ({ client }) => {
    const settings = await rows<{ name: string; setting: string }>(
      client,
      `select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')`,
    );
    const value = (name: string) => settings.find((each) => each.name === name)?.setting;
    const off = ['fsync', 'full_page_writes'].filter((name) => value(name) !== 'on');
    if (off.length > 0) {
      return fail(
        `${off.join(' and ')} off: a crash can lose the whole database`,
        'Set them to on in postgresql.conf.',
      );
    }
    if (value('synchronous_commit') !== 'off')
      return ok(`commits are durable (${value('synchronous_commit') ?? '?'})`);
    return warn('synchronous_commit is off: a crash can lose what was acknowledged last', 'Set it to on.');
  },
  'database.connections': async ({ client, config: { database } }) => {
    const [row] = await rows<{ max: number; used: number }>(
      client,
      `select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer as max,
              (select count(*)::integer from pg_stat_activity where backend_type = 'client backend') as used`,
    );
    const { max = 0, used = 0 } = row ?? {};
    const message = `${used} of ${max} connections are in use; a process takes up to ${database.poolMax} and a few of its own`;
    const advice =
      'Raise max_connections, lower DATABASE_POOL_MAX, or put a pooler in between (docs/scaling.md).';
    if (used >= max - 3) return fail(message, advice);
    return used + database.poolMax > max || used > max * 0.8 ? warn(message, advice) : ok(message);
  },
  'database.transactions': async ({ client }) => {
    const long = await rows<{ pid: number; state: string; minutes: number; program: string }>(
      client,
      `select pid, state, application_name as program, floor(extract(epoch from now() - xact_start) / 60)::integer as minutes
         from pg_stat_activity
        where datname = current_database() and xact_start < now() - make_interval(mins => ${LONG_MINUTES})
          and backend_type = 'client backend'
        union all
       select 0, 'prepared', gid, floor(extract(epoch from now() - prepared) / 60)::integer
         from pg_prepared_xacts where prepared < now() - make_interval(mins => ${LONG_MINUTES})`,
    );
    if (long.length === 0) return ok(`no transaction is older than ${LONG_MINUTES} minutes`);
    return long.map(({ pid, state, minutes, program }) =>
      warn(
        `a transaction of ${minutes} minutes (${state}, pid ${pid}, ${program || 'unnamed'}) keeps old rows and locks`,
        `See what it does; end it with: select pg_terminate_backend(${pid})`,
      ),
    );
  },
  'database.partitions': async ({ client }) => {
    const missing = await rows<{ partition: string }>(
      client,
      `select log || to_char(day, '_YYYYMMDD') as partition
         from unnest($1::text[]) log,
              generate_series((now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date + $2::integer, '1 day') day
        where to_regclass(log || to_char(day, '_YYYYMMDD')) is null order by 1`,
      [PARTITIONED, DAYS_AHEAD],
    );
    if (missing.length === 0)
      return ok(`the logs have their partitions for today and ${DAYS_AHEAD} days more`);
    return warn(
      `partitions are missing: ${missing.map(({ partition }) => partition).join(', ')}`,
      'A worker makes them each day, and so does a start: see that one runs.',
    );
  },
  'database.archive': async ({ client }) => {
    const [row] = await rows<{ mode: string; failing: boolean; segment: string | null }>(
      client,
      `select current_setting('archive_mode') as mode, last_failed_wal as segment,
              coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as failing
         from pg_stat_archiver`,
    );
    if (row?.failing) {
      return fail(
        `archiving ${row.segment ?? ''} failed; WAL piles up until the disk is full`,
        'See the log of PostgreSQL, and mend archive_command.',
      );
    }
    return ok(row?.mode === 'off' ? 'WAL is not archived here' : 'WAL is archived');
  },
  'secrets.fit': async ({ secretKey, unreadableSecrets }) => {
    const unreadable = Object.entries(await unreadableSecrets());
    const places = unreadable.map(([table, number]) => `${table} (${number})`).join(', ');
    if (secretKey === undefined) {
      if (unreadable.length === 0) return ok('nothing is sealed yet');
      return fail(
        `there are sealed secrets, and no SECRET_KEY to open them: ${places}`,
        'Set the SECRET_KEY that they were sealed with.',
      );
    }
    if (unreadable.length === 0) return ok('SECRET_KEY opens what is sealed');
    return fail(
      `SECRET_KEY does not open what is stored in ${places}`,
      'Set the one it was sealed with, or put that into SECRET_KEY_PREVIOUS; without it, those secrets are lost.',
    );
  },
  'database.size': async ({ client }) => {
    const [row] = await rows<{ size: string }>(client, 'select pg_database_size(current_database()) as size');
    return ok(`the database takes ${bytes(Number(row?.size))}`);
  },
};

export async function rows<Row extends object>(
  client: Client,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return (await client.query<Row>(text, values)).rows;
}
