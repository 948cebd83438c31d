import { describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { runningClusterUrl } from '../../src/platform/db/embedded/running-cluster-url.js';
import { createDatabase, query } from '../support/database.js';
import { until } from '../support/embedded-postgres-kit.js';
import { gateTo, startProgram } from '../support/process.js';
import { restClient } from '../support/rest.js';

const API_KEY = 'a_configured_key_of_at_least_32_characters';

describe('SIGTERM', () => {
  it('lets requests in flight finish, refuses new ones, and ends with exit 0', async () => {
    const databaseUrl = await createDatabase();
    const program = startProgram({ DATABASE_URL: databaseUrl, API_KEY });
    const url = await program.ready();
    const rest = restClient(url, API_KEY);
    await rest('POST', '/products', { name: 'Held' });

    const holder = new Client(databaseUrl);
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from product for update');
    const inFlight = rest('PATCH', '/products', { name: 'Held', new_name: 'Let go' });
    const waits =
      "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    await until(async () => (await query(databaseUrl, waits)).length > 0);

    program.child.kill('SIGTERM');
    const fresh = () => rest('GET', '/products', undefined, { headers: { connection: 'close' } });
    const isRefused = () =>
      fresh().then(
        ({ status }) => status === 503,
        () => true,
      );
    await until(isRefused);
    expect(program.child.exitCode).toBeNull();
    await holder.query('commit');
    await holder.end();

    expect((await inFlight).body).toMatchObject({ name: 'Let go' });
    expect(await program.exit()).toBe(0);
    // Kept-alive connections, which would stay for a minute, did not hold it up.
    const logged = await query(
      databaseUrl,
      "select 1 from request_log where method = 'PATCH' and status = 200",
    );
    expect(logged).toHaveLength(1);
  });
});

describe('SIGTERM while the database is away', () => {
  it.each(['worker', 'gateway,worker,bot'])(
    '%s: exit 0, and a warning of what is left to others',
    async (ROLES) => {
      const gate = await gateTo(await createDatabase());
      await gate.open();
      const program = startProgram({ DATABASE_URL: gate.url, API_KEY, ROLES });
      await until(() => program.stdout().includes('"ready"'));
      await gate.shut();
      program.child.kill('SIGTERM');
      expect(await program.exit()).toBe(0);
      expect(program.stdout()).toMatch(/"level":"warn".*this job runner could not sign off/);
      expect(program.stdout()).not.toContain('the stop failed');
    },
  );
});

describe('kill -9 during writes', () => {
  it('every change that was acknowledged is there after the next start, with its activity entry', async () => {
    const first = startProgram({ API_KEY });
    const rest = restClient(await first.ready(), API_KEY);
    const acknowledged: string[] = [];
    const writer = async (id: number) => {
      for (let n = 0; ; n++) {
        const name = `${id}/${n}`;
        const response = await rest('POST', '/products', { name }).catch(() => undefined);
        if (!response) return;
        expect(response.status).toBe(201);
        acknowledged.push(name);
      }
    };
    const writers = Array.from({ length: 8 }, (_, id) => writer(id));
    await until(() => acknowledged.length >= 100);
    first.child.kill('SIGKILL');
    await Promise.all(writers);
    await first.exit();

    const next = startProgram({ API_KEY }, first.dataDir);
    const { body } = await restClient(await next.ready(), API_KEY)('GET', '/products');
    const names = new Set((body as { name: string }[]).map(({ name }) => name));
    expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
    const database = (await runningClusterUrl(next.dataDir)) ?? '';
    const entries = await query<{ id: string }>(
      database,
      "select resource_id as id from activity where event = 'product.created' order by id",
    );
    // No change without its entry, and no entry without its change.
    expect(entries.map(({ id }) => id).sort()).toEqual([...names].sort());
  });
});
