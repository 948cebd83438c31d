import { describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createDatabase, query } from '../support/database.js';
import { until } from '../support/embedded-postgres-kit.js';
import { startProgram } from '../support/process.js';

const [LICENSES, SESSIONS] = [1000, 1200];

interface Count {
  readonly event: string;
  readonly entries: number;
  readonly records: number;
}

describe('a worker that is killed with -9 in the middle of a batch', () => {
  it('after the next start, every expiry and its event have happened, exactly once', async () => {
    const url = await createDatabase();
    const env = { DATABASE_URL: url, JOBS_DEAD_AFTER: '2' };
    const first = startProgram(env);
    await first.ready();
    await seed(url);
    const barrier = await barrierIn(url);
    for (const task of ['announce-expiries', 'expire-sessions'])
      await query(url, 'select graphile_worker.add_job($1)', [task]);
    await until(async () => (await query(url, WAITING)).length === 2);
    const held = await query<{ id: string }>(
      url,
      'select id from graphile_worker.jobs where locked_by is not null',
    );
    first.child.kill('SIGKILL');
    await first.exit();
    await barrier.lift();
    // Whole batches are there, and nothing of those under way.
    await until(async () => (await query(url, WAITING)).length === 0);
    expect(await counts(url)).toEqual([
      { event: 'license.expired', entries: 400, records: 400 },
      { event: 'session.expired', entries: 500, records: 500 },
    ]);

    const next = startProgram(env);
    await next.ready();
    // Not others of their kind, which the schedule starts as well: those that the dead one held.
    const ids = held.map(({ id }) => id);
    expect(ids).toHaveLength(2);
    const left = 'select 1 from graphile_worker.jobs where id = any($1)';
    await until(async () => (await query(url, left, [ids])).length === 0);
    expect(await counts(url)).toEqual([
      { event: 'license.expired', entries: LICENSES, records: LICENSES },
      { event: 'session.expired', entries: SESSIONS, records: SESSIONS },
    ]);
    expect(await query(url, 'select 1 from session')).toEqual([]);
    expect(await query(url, 'select 1 from license where expiry_notice_at is not null')).toEqual([]);
    expect(next.stdout()).toContain('A job runner is dead');
    const lost = `select job_id::text as id from job_run
      where outcome = 'retrying' and error like 'The worker died during this run%'`;
    expect((await query<{ id: string }>(url, lost)).map(({ id }) => id).sort()).toEqual(ids.sort());
  }, 120_000);
});

async function seed(url: string): Promise<void> {
  await query(
    url,
    `insert into license (key, lookup, expires_at, created_at, updated_at)
     select 'ENDED-' || n, 'ended-' || n, now(), now() - interval '30 days', now() from generate_series(100001, $1) n`,
    [100_000 + LICENSES],
  );
  await query(
    url,
    `insert into session (token, license_id, identifier, ip, agent, ttl, last_seen, expires_at, created_at)
     select 'seat ' || n, 1, 'seat ' || n, '192.0.2.1', 'test', 600, now(), now(), now() from generate_series(1, $1) n`,
    [SESSIONS],
  );
}

const counts = (url: string) =>
  query<Count>(
    url,
    `select event, count(*)::integer as entries, count(distinct resource_id)::integer as records
       from activity where event in ('license.expired', 'session.expired') group by event order by event`,
  );

const WAITING = `select 1 from pg_stat_activity
  where wait_event = 'advisory' and datname = current_database() and query like '%emit_events%'`;

/** Lets two batches of licenses and one of sessions through, and holds the next in their middle. */
async function barrierIn(url: string): Promise<{ lift(): Promise<void> }> {
  const client = new Client(url);
  await client.connect();
  await client.query('select pg_advisory_lock(42)');
  await client.query(`
    create function barrier() returns trigger language plpgsql as $$
    begin
      if (select count(*) from activity where event = new.event)
         >= (case new.event when 'license.expired' then 500 else 700 end) then
        perform pg_advisory_xact_lock_shared(42);
      end if;
      return new;
    end $$`);
  await client.query(`
    create trigger barrier before insert on activity for each row
      when (new.event in ('license.expired', 'session.expired')) execute function barrier()`);
  return { lift: () => client.end() };
}
