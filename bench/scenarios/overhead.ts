import { rate, ratio, takeTurns } from '../support/compare.js';
import { seedLicenses, validations } from '../support/database.js';
import { load } from '../support/load.js';
import { PIN_LOAD, startLimit, startProduct } from '../support/programs.js';
import type { Scenario } from '../support/scenario.js';

const LICENSES = 10_000;

/** What GraphQL, the facade and the request log add to a validation by the service alone. */
export const overhead: Scenario = async ({ database, seconds, rounds }) => {
  await seedLicenses(database, LICENSES);
  const bodies = validations(LICENSES);
  const limit = await startLimit('service-alone', database.url);
  const product = await startProduct(database.url);
  const call = ({ url }: { url: string }) =>
    load({ url: `${url}/licenses/validate`, bodies, connections: 64, seconds }, PIN_LOAD);
  try {
    await call(limit);
    await call(product);
    const best = await takeTurns(
      rounds,
      () => call(limit),
      () => call(product),
      rate,
    );
    return [
      { what: 'the service alone', measured: best.limit },
      {
        what: 'the same through REST and GraphQL',
        measured: best.product,
        ratio: ratio(1 - best.ratio, 'of the time added', '≤ 0.25'),
      },
    ];
  } finally {
    await product.stop();
    await limit.stop();
  }
};
