import { describe, expect, it } from '@jest/globals';
import { createDatabase } from '../support/database.js';
import { lives, until } from '../support/embedded-postgres-kit.js';
import { freePort, startProgram } from '../support/process.js';
import { restClient } from '../support/rest.js';

const API_KEY = 'the-key-of-many-processes-32-characters';

interface Line {
  readonly pid: number;
  readonly msg: string;
}

describe('SERVER.PROCESSES', () => {
  it('gives two processes one port; one that is killed gets a successor, and all of them stop together', async () => {
    const metricsPort = String(await freePort());
    const program = startProgram({
      ...{ DATABASE_URL: await createDatabase(), ROLES: 'gateway', API_KEY, SERVER_PROCESSES: '2' },
      METRICS_PORT: metricsPort,
    });
    const url = await program.ready();
    const lines = () =>
      program
        .stdout()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Line);
    const gateways = () => [
      ...new Set(
        lines().flatMap(({ pid, msg }) => (msg === 'ready' && pid !== program.child.pid ? [pid] : [])),
      ),
    ];
    expect(gateways()).toHaveLength(2);
    const rest = restClient(url, API_KEY);

    // What one has acknowledged holds in the very next validation, whoever takes it; each call has a connection of its own.
    await rest('POST', '/licenses', { key: 'ONE-OF-MANY' });
    for (const status of ['suspended', 'active', 'suspended', 'active']) {
      expect((await rest('PATCH', '/licenses', { key: 'ONE-OF-MANY', status })).status).toBe(200);
      const verdicts = await Promise.all(
        Array.from({ length: 6 }, () => rest('POST', '/licenses/validate', { license_key: 'ONE-OF-MANY' })),
      );
      const expected = status === 'active' ? 'VALID' : 'SUSPENDED';
      expect(verdicts.map((verdict) => (verdict.body as { code: string }).code)).toEqual(
        Array(6).fill(expected),
      );
    }

    // One set of numbers, whoever is asked.
    const { text } = await restClient(`http://127.0.0.1:${metricsPort}`, undefined)('GET', '/metrics');
    expect(text).toMatch(/request_duration_seconds_count\{.*route="\/licenses\/validate",code="200"\} 24\n/);
    expect((await rest('GET', '/metrics')).text).toMatch(/route="\/licenses\/validate",code="200"\} 24\n/);

    const [killed] = gateways();
    process.kill(Number(killed), 'SIGKILL');
    await until(() => gateways().length === 3);
    expect((await rest('GET', '/licenses')).body).toMatchObject([{ key: 'ONE-OF-MANY' }]);

    program.child.kill('SIGTERM');
    expect(await program.exit()).toBe(0);
    expect(gateways().map((pid) => lives(pid))).toEqual([false, false, false]);
  }, 90_000);

  it('--processes: a wrong argument is refused in one clear sentence', async () => {
    const program = startProgram({}, undefined, ['--proceses', '2']);
    expect(await program.exit()).toBe(1);
    expect(program.stderr()).toMatch(/arguments: unknown option '--proceses'[^]*allowed: --processes 4/);
  });
});
