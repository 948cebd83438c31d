import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { closeAfterwards, createDatabase, query } from '../support/database.js';
import { until } from '../support/embedded-postgres-kit.js';
import { startProgram } from '../support/process.js';
import type { Program } from '../support/process.js';
import { restClient } from '../support/rest.js';

/*
 * By hand with more: OUTBOX_CHANGES=10000 OUTBOX_KILLS=5 npm test -- outbox-crash
 */
const CHANGES = Number(process.env['OUTBOX_CHANGES'] ?? 200);
const KILLS = Number(process.env['OUTBOX_KILLS'] ?? 2);
const CLIENTS = 16;
const API_KEY = 'the-api-key-of-the-crash-test-32-or-more-characters';
const LIMIT_MS = 120_000 + CHANGES * 60;

/** A receiver that fails half of the time, and knows which ids each product's event came under. */
async function unreliableReceiver() {
  const arrived = new Map<string, Set<string>>();
  let failures = 0;
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      if (Math.random() < 0.5) {
        failures++;
        if (Math.random() < 0.5) res.writeHead(500).end();
        else res.destroy();
        return;
      }
      const { id, data } = JSON.parse(Buffer.concat(chunks).toString()) as {
        id: string;
        data: { name: string };
      };
      if (req.headers['webhook-id'] !== id)
        throw new Error(`${id} came as ${String(req.headers['webhook-id'])}`);
      arrived.set(data.name, (arrived.get(data.name) ?? new Set()).add(id));
      res.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closeAfterwards(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, arrived, failures: () => failures };
}

it(
  'every committed change has exactly one event, delivered under one id, whenever the process is killed',
  async () => {
    const receiver = await unreliableReceiver();
    const databaseUrl = await createDatabase();
    const env = {
      DATABASE_URL: databaseUrl,
      API_KEY,
      SECRET_KEY: API_KEY,
      WEBHOOKS_ALLOW_HTTP: 'true',
      WEBHOOKS_ALLOWED_NETWORKS: '127.0.0.1',
      WEBHOOKS_TIMEOUT: '1',
      WEBHOOKS_SCHEDULE: `0${',1'.repeat(19)}`,
      LOGS_LEVEL: 'error',
    };
    let program: Program;
    let url: Promise<string>;
    const start = async () => {
      program = startProgram(env);
      url = program.ready();
      await url;
    };
    const rest = async (method: string, path: string, body: object) =>
      restClient(await url, API_KEY)(method, path, body);
    await start();
    const target = { name: 'unreliable', url: receiver.url, events: ['product.created'] };
    expect((await rest('POST', '/webhooks', target)).status).toBe(201);

    let [asked, done] = [0, 0];
    const lost: string[] = [];
    const client = async () => {
      while (asked < CHANGES) {
        const name = `product ${++asked}`;
        for (;;) {
          // Whoever got no answer asks again: the first time may have been committed, or not.
          const status = await rest('POST', '/products', { name }).then(
            (response) => response.status,
            () => undefined,
          );
          if (status === 201 || status === 409) break;
          lost.push(name);
        }
        done++;
      }
    };
    const killer = async () => {
      const moments = Array.from({ length: KILLS }, () => Math.ceil(Math.random() * CHANGES * 0.9));
      for (const moment of moments.sort((a, b) => a - b)) {
        await until(() => done >= moment);
        const exited = program.exit();
        program.child.kill('SIGKILL');
        // Who asks from now on waits for the next start.
        url = exited.then(() => '');
        await exited;
        await start();
      }
    };
    await Promise.all([killer(), ...Array.from({ length: CLIENTS }, client)]);

    const open = "select count(*)::integer as count from webhook_delivery where status <> 'delivered'";
    await until(async () => (await query<{ count: number }>(databaseUrl, open))[0]?.count === 0);

    const names = (text: string) =>
      query<{ name: string }>(databaseUrl, text).then((rows) => rows.map(({ name }) => name).sort());
    const committed = await names('select name from product');
    expect(committed).toHaveLength(CHANGES);
    expect(await names("select body::jsonb->'data'->>'name' as name from webhook_event")).toEqual(committed);
    expect(await names("select resource_id as name from activity where event = 'product.created'")).toEqual(
      committed,
    );
    expect([...receiver.arrived.keys()].sort()).toEqual(committed);
    const severalIds = [...receiver.arrived].filter(([, ids]) => ids.size > 1);
    expect(severalIds).toEqual([]);
    // The test has tested something: answers were lost, and deliveries had failed.
    expect({ lost: lost.length > 0, failures: receiver.failures() > 0 }).toEqual({
      lost: true,
      failures: true,
    });
  },
  LIMIT_MS,
);
