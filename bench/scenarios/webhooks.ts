import { setTimeout as delay } from 'node:timers/promises';
import { ratio, takeTurns } from '../support/compare.js';
import type { BenchDatabase } from '../support/database.js';
import { API_KEY, startLimit, startProduct } from '../support/programs.js';
import type { Running } from '../support/programs.js';
import type { Scenario } from '../support/scenario.js';

const DELIVERIES = 20_000;

interface Seen {
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Deliveries – signed, recorded, each to be retried by itself – against graphile-worker with one signed call a job. */
export const webhooks: Scenario = async ({ database, rounds }) => {
  const receiver = await startLimit('receiver', database.url);
  const product = await startProduct(database.url, {
    ...{ ROLES: 'gateway,worker', WEBHOOKS_ALLOW_HTTP: 'true', WEBHOOKS_ALLOWED_NETWORKS: '127.0.0.1' },
  });
  try {
    await subscribe(product, receiver);
    const best = await takeTurns(
      rounds,
      () => byJobs(database, receiver),
      () => byProduct(database, receiver),
      (perSecond) => perSecond,
    );
    return [
      { what: 'one job = one signed delivery', measured: { note: `${Math.round(best.limit)}/s` } },
      {
        what: 'webhook deliveries, signed and recorded',
        measured: { note: `${Math.round(best.product)}/s, ${Math.round(product.memory())} MiB` },
        ratio: ratio(best.ratio, 'one job a delivery', '≥ 0.3'),
      },
    ];
  } finally {
    await product.stop();
    await receiver.stop();
  }
};

async function subscribe(product: Running, receiver: Running): Promise<void> {
  const body = JSON.stringify({ name: 'bench', url: `${receiver.url}/hook`, events: ['license.created'] });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` };
  const response = await fetch(`${product.url}/webhooks`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`POST /webhooks answered ${response.status}: ${await response.text()}`);
}

async function byProduct(database: BenchDatabase, receiver: Running): Promise<number> {
  await database.sql(
    `select publish_events('license.created', now(), array_agg(
       json_build_object('id', n, 'key', lpad(n::text, 25, 'A'), 'product', 'Product 1', 'status', 'active')::text))
       from generate_series(1, $1) n`,
    [DELIVERIES],
  );
  return received(receiver);
}

async function byJobs(database: BenchDatabase, receiver: Running): Promise<number> {
  await database.sql(
    `select count(graphile_worker.add_job('deliver', json_build_object(
       'id', 'evt_' || n, 'body', json_build_object('type', 'license.created', 'data', json_build_object(
         'id', n, 'key', lpad(n::text, 25, 'A'), 'product', 'Product 1', 'status', 'active'))::text)))
       from generate_series(1, $1) n`,
    [DELIVERIES],
  );
  const worker = await startLimit('job-delivery', database.url, { TARGET: `${receiver.url}/hook` });
  try {
    return await received(receiver);
  } finally {
    await worker.stop();
  }
}

/** Deliveries a second, from the first to the last. */
async function received({ url }: Running): Promise<number> {
  for (;;) {
    const seen = (await (await fetch(url)).json()) as Seen;
    if (seen.count >= DELIVERIES) {
      await fetch(`${url}/again`);
      return (seen.count * 1000) / (seen.lastAt - seen.firstAt);
    }
    await delay(50);
  }
}
