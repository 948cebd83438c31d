import assert from 'node:assert/strict';
import { restClient } from '../support/rest.js';
import { Load } from './load.js';
import { newPostgres, query, startPostgres } from './postgres.js';
import { SHARED, ready, startGateway } from './programs.js';
import { startSwitch } from './switch.js';
import { Stage, tell, until } from './stage.js';

const WRITES_BETWEEN = 1_500;
/** What PostgreSQL calls a fast and an immediate shutdown; the second recovers as after a crash. */
const SIGNALS = ['SIGINT', 'SIGQUIT'] as const;
const ALLOWED = ['200 VALID', '201', '503 UNAVAILABLE'];

/**
 * A database that is restarted under load, in order and as by a crash: requests are 503 with `Retry-After` while it is
 * away and nothing else, whatever was acknowledged is there, and the program goes on by itself.
 */
export async function restart(): Promise<void> {
  const stage = new Stage();
  try {
    let database = await newPostgres(stage, 'database', { max_connections: '200' });
    const address = await startSwitch(database.port);
    const gateway = await startGateway(stage, 'gateway', {
      DATABASE_URL: `postgres://licensing@127.0.0.1:${address.port}/licensing`,
      LIMITS_ENABLED: 'false',
    });
    const rest = restClient(gateway.url, SHARED.API_KEY);
    const anonymous = restClient(gateway.url, undefined);
    const { body } = await rest('POST', '/licenses', { key: 'UNDER-LOAD' });
    assert.equal((body as { key: string }).key, 'UNDER-LOAD');
    // Half of the callers open sessions, by the way that judges from memory; half create products.
    const load = new Load(async (id, n) => {
      const name = `${id}-${n}`;
      if (id % 2 === 1) return { answer: await rest('POST', '/products', { name }), acknowledges: name };
      const asked = { license_key: 'UNDER-LOAD', identifier: name };
      return { answer: await anonymous('POST', '/licenses/validate', asked), acknowledges: name };
    });
    for (const signal of SIGNALS) {
      const before = load.acknowledged.length;
      await until('there is load', () => load.acknowledged.length > before + WRITES_BETWEEN, 120);
      await database.actor.end(signal);
      database = await startPostgres(stage, database.directory, `database-after-${signal}`, {});
      address.leadTo(database.port);
      const after = load.acknowledged.length;
      await until('writes go on', () => load.acknowledged.length > after + WRITES_BETWEEN, 120);
      tell(
        `PostgreSQL ended by ${signal} after ${after} acknowledged writes, started again, and writes went on`,
      );
    }
    await load.end();
    await ready(gateway.actor, gateway.url);
    tell(`answers: ${load.told()}`);
    const others = [...load.answers.keys()].filter((answer) => !ALLOWED.includes(answer));
    assert.deepEqual(others, [], 'answers that are neither a success nor a 503');
    assert.equal(load.withoutRetryAfter, 0, '503s without Retry-After');
    const found = await query<{ name: string }>(
      database.url,
      'select name from product union all select identifier from session',
    );
    const there = new Set(found.map(({ name }) => name));
    const lost = load.acknowledged.filter((name) => !there.has(name));
    assert.deepEqual(lost, [], 'acknowledged and not there');
    tell(`acknowledged writes: ${load.acknowledged.length}; lost: ${lost.length}`);
  } finally {
    await stage.close();
  }
}
