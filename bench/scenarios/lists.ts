import { ratio, takeTurns } from '../support/compare.js';
import { seedLicenses } from '../support/database.js';
import { load } from '../support/load.js';
import { API_KEY, PIN_LOAD, startLimit, startProduct } from '../support/programs.js';
import type { Running } from '../support/programs.js';
import type { Finding } from '../support/report.js';
import type { BenchOptions, Scenario } from '../support/scenario.js';

const AUTHORIZED = { Authorization: `Bearer ${API_KEY}` };
const PAGE = `{ licenses(first: 500) { nodes {
  id key status expiresAt seats note userId createdAt updatedAt
  product { name } customer { name } addons { name } whitelists
} pageInfo { hasNextPage endCursor } } }`;

/** All licenses as one REST list, and a page of 500 by GraphQL, against hand-written SQL and JSON.stringify. */
export const lists: Scenario = async (options) => {
  const { database, licensesMax } = options;
  await seedLicenses(database, licensesMax);
  const limit = await startLimit('rows', database.url);
  const product = await startProduct(database.url);
  try {
    return [...(await stream(options, limit, product)), ...(await page(options, limit, product))];
  } finally {
    await product.stop();
    await limit.stop();
  }
};

async function stream({ licensesMax }: BenchOptions, limit: Running, product: Running): Promise<Finding[]> {
  const idle = product.memory();
  let most = idle;
  const watch = setInterval(() => (most = Math.max(most, product.memory())), 50);
  const best = await takeTurns(
    1,
    () => rowsPerSecond(limit.url, licensesMax),
    () => rowsPerSecond(`${product.url}/licenses`, licensesMax),
    (rows) => rows,
  );
  clearInterval(watch);
  const growth = most - idle;
  return [
    { what: `cursor and JSON.stringify, ${licensesMax} licenses`, measured: { note: perSecond(best.limit) } },
    {
      what: `GET /licenses, ${licensesMax} licenses`,
      measured: { note: perSecond(best.product) },
      ratio: ratio(best.ratio, 'cursor', '≥ 0.3'),
    },
    {
      what: 'memory that GET /licenses takes',
      measured: { note: `${Math.round(idle)} → ${Math.round(most)} MiB` },
      ratio: ratio(growth, 'MiB more', '< 100'),
    },
  ];
}

async function page({ seconds, rounds }: BenchOptions, limit: Running, product: Running): Promise<Finding[]> {
  const bodies = [JSON.stringify({ query: PAGE })];
  const call = (url: string) => load({ url, bodies, headers: AUTHORIZED, connections: 4, seconds }, PIN_LOAD);
  await call(`${product.url}/graphql`);
  const best = await takeTurns(
    rounds,
    () => call(`${limit.url}/page`),
    () => call(`${product.url}/graphql`),
    (result) => result.rate,
  );
  return [
    { what: 'SQL and JSON.stringify, a page of 500', measured: best.limit },
    {
      what: 'GraphQL, a page of 500 licenses with all around them',
      measured: best.product,
      ratio: ratio(best.ratio, 'SQL', '≥ 0.5'),
    },
  ];
}

/** Counts the rows by their keys, so that half a list does not pass for a fast one. */
async function rowsPerSecond(url: string, rows: number): Promise<number> {
  const startedAt = performance.now();
  const { body, ok, status } = await fetch(url, { headers: AUTHORIZED });
  if (!ok || !body) throw new Error(`${url} answered ${status}`);
  let seen = 0;
  let rest = '';
  const mark = '"key":';
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + piece).split(mark);
    seen += parts.length - 1;
    rest = (parts.at(-1) ?? '').slice(1 - mark.length);
  }
  if (seen !== rows) throw new Error(`${url} sent ${seen} rows of ${rows}`);
  return (rows * 1000) / (performance.now() - startedAt);
}

function perSecond(rows: number): string {
  return `${Math.round(rows)} rows/s`;
}
