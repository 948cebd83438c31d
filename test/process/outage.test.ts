import { beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase } from '../support/database.js';
import { until } from '../support/embedded-postgres-kit.js';
import { freePort, gateTo, startProgram } from '../support/process.js';
import type { Gate, Program } from '../support/process.js';
import { restClient } from '../support/rest.js';
import type { RestClient } from '../support/rest.js';

const API_KEY = 'a_configured_key_of_at_least_32_characters';

let gate: Gate;
let program: Program;
let rest: RestClient;

beforeAll(async () => {
  gate = await gateTo(await createDatabase());
  const port = await freePort();
  program = startProgram({ DATABASE_URL: gate.url, SERVER_PORT: String(port), API_KEY });
  rest = restClient(`http://127.0.0.1:${port}`, API_KEY);
  await until(() =>
    rest('GET', '/health/live').then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
});

const becomesReady = () => until(async () => (await rest('GET', '/health/ready')).status === 200);

describe('a database that is away', () => {
  it('at the start: alive, not ready, and every other request is 503 UNAVAILABLE with Retry-After', async () => {
    const ready = await rest('GET', '/health/ready');
    expect([ready.status, ready.headers['retry-after']]).toEqual([503, expect.any(String)]);
    for (const [method, path] of [
      ['GET', '/products'],
      ['POST', '/licenses/validate'],
      ['POST', '/graphql'],
      ['GET', '/nothing'],
    ] as const) {
      const response = await rest(method, path, method === 'POST' ? {} : undefined);
      const code = (response.body.errors?.[0]?.extensions ?? response.body).code as string;
      expect([response.status, code]).toEqual([503, 'UNAVAILABLE']);
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(program.child.exitCode).toBeNull();
  });

  it('when it appears: ready, and requests are answered', async () => {
    await gate.open();
    await becomesReady();
    const response = await rest('POST', '/products', { name: 'After the wait' });
    expect(response.status).toBe(201);
  });

  it('when it goes later: 503 UNAVAILABLE, and back again when it is back', async () => {
    await gate.shut();
    const response = await rest('GET', '/products');
    expect([response.status, response.body.code]).toEqual([503, 'UNAVAILABLE']);
    expect(response.headers['retry-after']).toBeDefined();
    expect((await rest('GET', '/health/live')).status).toBe(200);
    expect((await rest('GET', '/health/ready')).status).toBe(503);
    await gate.open();
    await becomesReady();
    expect((await rest('GET', '/products')).body).toMatchObject([{ name: 'After the wait' }]);
  });

  it('SIGTERM while it waits for one: exit 0, without waiting on', async () => {
    const away = await gateTo(await createDatabase());
    const waiting = startProgram({ DATABASE_URL: away.url, API_KEY });
    await until(() => waiting.stdout().includes('does not answer'));
    waiting.child.kill('SIGTERM');
    expect(await waiting.exit()).toBe(0);
  });
});
