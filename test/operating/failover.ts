import assert from 'node:assert/strict';
import { restClient } from '../support/rest.js';
import type { RestClient } from '../support/rest.js';
import { Load } from './load.js';
import { newPostgres, newReplica, postgresProgram, query } from './postgres.js';
import type { Postgres } from './postgres.js';
import { SHARED, ready, startGateway, startRole } from './programs.js';
import { startSwitch } from './switch.js';
import { Stage, freePorts, tell, until } from './stage.js';

const WRITES_BEFORE = 2_000;
const WRITES_AFTER = 500;

/**
 * A primary and a streaming replica, `synchronous_commit = remote_apply`; lists come from the replica. The primary is
 * killed under load, the replica promoted, and what was acknowledged compared with what is there.
 */
export async function failover(): Promise<void> {
  const stage = new Stage();
  try {
    const primary = await newPostgres(stage, 'primary', {
      synchronous_commit: 'remote_apply',
      max_connections: '200',
    });
    const replica = await newReplica(stage, 'standby', primary);
    await query(primary.url, "alter system set synchronous_standby_names = 'standby'");
    await query(primary.url, 'select pg_reload_conf()');
    await until('the replica is synchronous', async () => {
      const rows = await query<{ sync_state: string }>(
        primary.url,
        'select sync_state from pg_stat_replication',
      );
      return rows.some(({ sync_state }) => sync_state === 'sync');
    });
    // What a virtual address, a name or a pooler is elsewhere: where the primary is now.
    const address = await startSwitch(primary.port);
    const [metricsPort = 0] = await freePorts(1);
    const common = {
      DATABASE_URL: `postgres://licensing@127.0.0.1:${address.port}/licensing`,
      DATABASE_REPLICA_URLS: replica.url,
      LIMITS_ENABLED: 'false',
    };
    const gateway = await startGateway(stage, 'gateway', { ...common, METRICS_PORT: String(metricsPort) });
    startRole(stage, 'worker', 'worker', common);
    tell(
      'running: a primary, a synchronous replica (remote_apply), a gateway that reads lists from the replica, a worker',
    );
    const rest = restClient(gateway.url, SHARED.API_KEY);
    const metrics = restClient(`http://127.0.0.1:${metricsPort}`, undefined);
    await readYourWrites(rest, metrics);
    await lagging(rest, primary, replica);

    const load = new Load(async (id, n) => {
      const name = `load-${id}-${n}`;
      return { answer: await rest('POST', '/products', { name }), acknowledges: name };
    });
    await until('there is load', () => load.acknowledged.length > WRITES_BEFORE, 120);
    await primary.actor.end('SIGKILL');
    const before = load.acknowledged.length;
    stage.run(postgresProgram('pg_ctl'), ['promote', '-w', '-D', replica.directory], { asPostgres: true });
    // There is nobody left to wait for.
    await query(replica.url, "alter system set synchronous_standby_names = ''");
    await query(replica.url, 'select pg_reload_conf()');
    address.leadTo(replica.port);
    await until('writes go on', () => load.acknowledged.length > before + WRITES_AFTER, 120);
    await load.end();
    await ready(gateway.actor, gateway.url);
    tell(
      `primary killed with -9 after ${before} acknowledged writes, replica promoted, ${load.acknowledged.length - before} more after it`,
    );
    tell(`answers meanwhile: ${load.told()}`);
    assert(![...load.answers.keys()].some((answer) => answer.startsWith('500')), 'an internal error');
    const found = await query<{ name: string }>(replica.url, 'select name from product');
    const names = new Set(found.map(({ name }) => name));
    const lost = load.acknowledged.filter((name) => !names.has(name));
    assert.deepEqual(lost, [], 'acknowledged and not there');
    const listed = (await rest('GET', '/products')).body as { name: string }[];
    assert.equal(listed.length, names.size);
    tell(
      `acknowledged writes: ${load.acknowledged.length}; of them in the promoted database: ${load.acknowledged.length - lost.length}; lost: ${lost.length}`,
    );
    const [entries] = await query<{ count: number }>(
      replica.url,
      "select count(*)::integer as count from activity where event = 'product.created'",
    );
    assert.equal(entries?.count, names.size);
    tell(`their activity entries: ${entries.count}, one each`);
  } finally {
    await stage.close();
  }
}

/** Each write is in the very next list, and the replica answered those lists. */
async function readYourWrites(rest: RestClient, metrics: RestClient): Promise<void> {
  const count = 200;
  for (let n = 0; n < count; n++) {
    const name = `read-${n}`;
    assert.equal((await rest('POST', '/products', { name })).status, 201);
    const { body } = await rest('GET', '/products');
    assert(
      (body as { name: string }[]).some((product) => product.name === name),
      `${name} is not in the list`,
    );
  }
  const { text } = await metrics('GET', '/metrics');
  const [, fromReplica = '0'] = /^licensing_replica_reads_total\{outcome="replica"\} (\d+)/m.exec(text) ?? [];
  assert(Number(fromReplica) >= count * 0.9, text.match(/^licensing_replica_reads_total.*$/gm)?.join('\n'));
  tell(
    `${count} lists, each right after a write: every write there; lists from the replica so far: ${fromReplica}`,
  );
}

/** A replica that stands still makes no list wrong: the primary answers. */
async function lagging(rest: RestClient, primary: Postgres, replica: Postgres): Promise<void> {
  // With remote_apply a write would wait for it, and nobody would be told of one that the replica lacks.
  await setCommit(primary, 'local');
  await query(replica.url, 'select pg_wal_replay_pause()');
  const name = 'While it stood still';
  assert.equal((await rest('POST', '/customers', { name })).status, 201);
  const { body } = await rest('GET', '/customers');
  assert(
    (body as { name: string }[]).some((customer) => customer.name === name),
    'it is not in the list',
  );
  const there = await query(replica.url, 'select from customer where name = $1', [name]);
  assert.equal(there.length, 0, 'the replica did not stand still');
  await query(replica.url, 'select pg_wal_replay_resume()');
  await setCommit(primary, 'remote_apply');
  tell(
    'a replica that stands still, and commits that do not wait for it: the list came from the primary, complete',
  );
}

async function setCommit(primary: Postgres, value: 'local' | 'remote_apply'): Promise<void> {
  await query(primary.url, `alter system set synchronous_commit = '${value}'`);
  await query(primary.url, 'select pg_reload_conf()');
  await until(`commits are ${value}`, async () => {
    const [row] = await query<{ value: string }>(
      primary.url,
      "select current_setting('synchronous_commit') as value",
    );
    return row?.value === value;
  });
}
