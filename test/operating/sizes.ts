import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { keyOf, seedLicenses } from '../../bench/support/database.js';
import { newPostgres, query } from './postgres.js';
import type { Postgres } from './postgres.js';
import { startGateway } from './programs.js';
import { Stage, tell, until } from './stage.js';

const LICENSES = 200_000;
const VALIDATED = 20_000;
const CONNECTIONS = 32;

/** Bytes a license, a session and a logged validation take, and the WAL of a validation: the figures of docs/scaling.md. */
export async function sizes(): Promise<void> {
  const stage = new Stage();
  try {
    const postgres = await newPostgres(stage, 'primary', {
      max_wal_size: "'16GB'",
      checkpoint_timeout: "'1h'",
    });
    const gateway = await startGateway(stage, 'gateway', {
      ...{ DATABASE_URL: postgres.url, LIMITS_ENABLED: 'false' },
    });
    const sql = <Row extends object>(text: string, values: unknown[] = []) =>
      query<Row>(postgres.url, text, values);
    await seedLicenses({ url: postgres.url, sql, stop: () => Promise.resolve() }, LICENSES);
    tell(`licenses: ${LICENSES}, each with a product, a customer and an end, such as ${keyOf(LICENSES)}`);
    tell(`  a license: ${await bytesEach(postgres, 'license', LICENSES)} bytes with its indexes`);

    await query(postgres.url, 'checkpoint');
    const opening = await walOf(postgres, () => validateAll(gateway.url, 'first'));
    tell(`  WAL of a validation that opens a session, first after a checkpoint: ${opening} bytes`);
    const again = await walOf(postgres, () => validateAll(gateway.url, 'second'));
    tell(`  WAL of a validation that opens one more: ${again} bytes`);
    const renewal = await walOf(postgres, () => validateAll(gateway.url, 'second'));
    tell(`  WAL of a validation that renews its session: ${renewal} bytes`);
    tell(`  a session: ${await bytesEach(postgres, 'session', 2 * VALIDATED)} bytes with its indexes`);
    await until('the request log is written', async () => (await logged(postgres)) >= 3 * VALIDATED);
    const [log] = await query<{ bytes: string }>(
      postgres.url,
      `select sum(pg_total_relation_size(inhrelid)) as bytes from pg_inherits where inhparent = 'request_log'::regclass`,
    );
    tell(
      `  a line of the request log: ${Math.round(Number(log?.bytes) / (await logged(postgres)))} bytes with its indexes`,
    );
  } finally {
    await stage.close();
  }
}

async function bytesEach({ url }: Postgres, table: string, rows: number): Promise<number> {
  const [row] = await query<{ bytes: string }>(url, `select pg_total_relation_size('${table}') as bytes`);
  return Math.round(Number(row?.bytes) / rows);
}

async function logged({ url }: Postgres): Promise<number> {
  const [row] = await query<{ count: number }>(
    url,
    "select count(*)::integer as count from request_log where path = '/licenses/validate'",
  );
  return row?.count ?? 0;
}

/** Bytes of WAL for each validation, what is written off their path included. */
async function walOf({ url }: Postgres, work: () => Promise<void>): Promise<number> {
  const position = async () =>
    (await query<{ at: string }>(url, 'select pg_current_wal_insert_lsn()::text as at'))[0]?.at;
  const before = await position();
  const lines = await logged({ url } as Postgres);
  await work();
  await until(
    'the request log is written',
    async () => (await logged({ url } as Postgres)) >= lines + VALIDATED,
  );
  const [row] = await query<{ bytes: string }>(
    url,
    'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1::pg_lsn) as bytes',
    [before],
  );
  return Math.round(Number(row?.bytes) / VALIDATED);
}

/** Each of the first licenses once. */
async function validateAll(url: string, identifier: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let next = 1;
  const caller = async () => {
    for (let n = next++; n <= VALIDATED; n = next++) {
      const text = await post(agent, `${url}/licenses/validate`, { license_key: keyOf(n), identifier });
      assert(text.includes('"VALID"'), text);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, caller));
  agent.destroy();
}

function post(agent: Agent, url: string, body: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const req = request(
      url,
      { agent, method: 'POST', headers: { 'content-type': 'application/json' } },
      (res) => {
        let text = '';
        res.on('data', (chunk: Buffer) => (text += chunk.toString()));
        res.on('end', () => {
          resolve(text);
        });
        res.on('error', reject);
      },
    );
    req.on('error', reject);
    req.end(JSON.stringify(body));
  });
}
