import { rate, ratio, takeTurns } from '../support/compare.js';
import { keyOf, seedLicenses, validations } from '../support/database.js';
import { load } from '../support/load.js';
import { PIN_LOAD, startLimit, startProduct } from '../support/programs.js';
import type { Running } from '../support/programs.js';
import type { Finding } from '../support/report.js';
import type { Scenario } from '../support/scenario.js';

const LICENSES = 100_000;

/** `POST /licenses/validate` against the exact limit, taking turns in one run. */
export const validate: Scenario = async ({ database, seconds, rounds }) => {
  await seedLicenses(database, LICENSES);
  const bodies = validations(LICENSES);
  const limit = await startLimit('exact-limit', database.url);
  const product = await startProduct(database.url);
  const findings: Finding[] = [];
  const call = (running: Running, connections: number, texts = bodies, even?: true) =>
    load(
      {
        ...{ url: `${running.url}/licenses/validate`, bodies: texts, connections, seconds },
        ...(even ? { even } : {}),
      },
      PIN_LOAD,
    );
  try {
    // The code is warm, the facts of all but a few licenses are not.
    await call(product, 64, bodies.slice(0, 1_000), true);
    const cold = await call(product, 64, bodies.slice(1_000), true);
    await call(limit, 64);
    await call(product, 64); // warms up
    const best = await takeTurns(
      rounds,
      () => call(limit, 64),
      () => call(product, 64),
      rate,
    );
    findings.push({ what: 'exact limit', measured: best.limit });
    findings.push({
      what: 'validate, warm',
      measured: { ...best.product, note: `RSS ${Math.round(product.memory())} MiB` },
      ratio: ratio(best.ratio, 'exact limit', '≥ 0.6'),
    });
    findings.push({
      what: 'validate, cold facts',
      measured: cold,
      ratio: ratio(cold.rate / best.product.rate, 'warm', '≥ 0.5'),
    });
    const single = { limit: await call(limit, 1), product: await call(product, 1) };
    findings.push({ what: 'exact limit, one connection', measured: single.limit });
    findings.push({
      what: 'validate, one connection',
      measured: single.product,
      ratio: ratio(single.product.p50 / single.limit.p50, 'its p50', '≤ 2'),
    });
    findings.push(await withLists(database, call, product, best.product.rate));
    return findings;
  } finally {
    await product.stop();
    await limit.stop();
  }
};

type Call = (running: Running, connections: number, texts: string[]) => ReturnType<typeof load>;

/** Licenses that allow 3 seats and hold up to 2 values of an enforced whitelist. */
async function withLists(
  database: Parameters<Scenario>[0]['database'],
  call: Call,
  product: Running,
  warm: number,
): Promise<Finding> {
  await database.sql(
    `insert into whitelist (name, type, field, value_limit, created_at, updated_at) values ('hwid', 'field', 'hwid', 2, now(), now())`,
  );
  await database.sql(`insert into product_whitelist select 1, id from whitelist`);
  await database.sql(`update license set seats = 3 where product_id = 1 and id <= 30000`);
  const texts = Array.from({ length: 10_000 }, (_, at) =>
    JSON.stringify({
      license_key: keyOf((at + 1) * 3),
      hwid: `machine ${at % 2}`,
      identifier: `seat ${at % 3}`,
    }),
  );
  await call(product, 64, texts);
  const measured = await call(product, 64, texts);
  return {
    what: 'validate with a whitelist and a seat limit',
    measured,
    ratio: ratio(measured.rate / warm, 'warm', '≥ 0.6'),
  };
}
