import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { until } from '../support/embedded-postgres-kit.js';
import { logLines } from '../support/log-lines.js';
import { runTasks, startTestWorker } from '../support/worker.js';

const log = logLines();
let one: TestApp;
let two: TestApp;

beforeAll(async () => {
  const env = {
    ...{ LIMITS_ENABLED: 'true', LIMITS_STORE: 'postgres', SERVER_TRUSTED_PROXIES: '127.0.0.1' },
    LIMITS_VALIDATE_PAIR: '6',
  };
  one = await startApp({ env, log: log.log });
  two = await startApp({ databaseUrl: one.databaseUrl, env });
});

const validate = (gateway: TestApp, key: string, address: string) =>
  gateway.anonymous(
    'POST',
    '/licenses/validate',
    { license_key: key },
    { headers: { 'x-forwarded-for': address } },
  );

describe('LIMITS.STORE=postgres', () => {
  it('POST /licenses/validate 429: two gateways share a quota, and the table holds no license key', async () => {
    const { key } = await one.seed.license();
    for (let sent = 0; sent < 6; sent++)
      expect((await validate(sent % 2 === 0 ? one : two, key, '198.51.100.1')).status).toBe(200);
    for (const gateway of [one, two]) {
      const refused = await validate(gateway, key, '198.51.100.1');
      expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
      expect(refused.headers['ratelimit']).toMatch(/^"validate";r=0;t=\d+$/);
      // It knows by now, and doesn't ask again.
      expect((await validate(gateway, key, '198.51.100.1')).status).toBe(429);
    }
    const rows = await one.sql<{ key: string }>('select key from rate_limit');
    const policies = rows.map((row) => row.key.split(':')[0]);
    expect(policies).toEqual(expect.arrayContaining(['validate', 'validate-address', 'validate-license']));
    expect(JSON.stringify(rows)).not.toContain(key);
  });

  it('wrong guesses at two gateways are counted together; the other learns of the lock with its next', async () => {
    const guess = async (gateway: TestApp, n: number) =>
      (await validate(gateway, `NO-SUCH-KEY-${n}`, '198.51.100.2')).status;
    for (let n = 0; n < 20; n++) expect(await guess(one, n)).toBe(200);
    const isCounted = async () => {
      const [row] = await one.sql<{ points: number }>(
        "select points from rate_limit where key like 'unknown-keys:%' order by points desc limit 1",
      );
      return (row?.points ?? 0) >= 20;
    };
    await until(isCounted);
    await until(async () => (await guess(one, 20)) === 429);
    await guess(two, 21);
    await until(async () => (await guess(two, 22)) === 429);
  });

  it('away: nobody is refused for it, each gateway counts for itself, and the log and a metric say so', async () => {
    const { key } = await one.seed.license();
    await one.sql('alter table rate_limit rename to gone');
    for (let sent = 0; sent < 6; sent++) expect((await validate(one, key, '198.51.100.3')).status).toBe(200);
    expect((await validate(one, key, '198.51.100.3')).status).toBe(429);
    expect((await validate(two, key, '198.51.100.3')).status).toBe(200);
    const said = log
      .at('warn')
      .filter(({ msg }) => String(msg).startsWith('The shared rate limits are away'));
    expect(said.length).toBeGreaterThan(0);
    expect((await one.rest('GET', '/metrics')).text).toMatch(/licensing_limit_store_misses_total [1-9]/);
    await one.sql('alter table gone rename to rate_limit');
  });

  it('purge-rate-limits forgets windows that are over', async () => {
    await startTestWorker(one);
    await one.sql("insert into rate_limit values ('old', 1, 1), ('young', 1, 4102444800000)");
    await runTasks(one, 'purge-rate-limits');
    const kept = await one.sql<{ key: string }>("select key from rate_limit where key in ('old', 'young')");
    expect(kept.map(({ key }) => key)).toEqual(['young']);
  });
});
