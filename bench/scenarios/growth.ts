import { ratio } from '../support/compare.js';
import { seedLicenses, validations } from '../support/database.js';
import { load } from '../support/load.js';
import { PIN_LOAD, startProduct } from '../support/programs.js';
import type { Running } from '../support/programs.js';
import type { Finding } from '../support/report.js';
import type { Scenario } from '../support/scenario.js';

const HOT = 1_000;
/** As many keys as the load generator holds easily. */
const COLD_MAX = 500_000;

/** The latency of validations while the table grows a thousandfold and more. */
export const growth: Scenario = async ({ database, seconds, licensesMax }) => {
  const findings: Finding[] = [];
  let first: { warm: number; cold: number } | undefined;
  for (let count = 1_000; count <= licensesMax; count *= 10) {
    await seedLicenses(database, count);
    const warmed = await startProduct(database.url);
    // Remembers nothing, so that every call is as cold as any other, however few licenses there are.
    const forgetful = await startProduct(database.url, { VALIDATION_CACHE: '0' });
    const call = ({ url }: Running, licenses: number) =>
      load(
        {
          ...{ url: `${url}/licenses/validate`, bodies: validations(licenses), connections: 8, seconds },
          even: true,
        },
        PIN_LOAD,
      );
    try {
      await call(warmed, HOT);
      const warm = await call(warmed, HOT);
      await call(forgetful, HOT);
      const cold = await call(forgetful, Math.min(count, COLD_MAX));
      first ??= { warm: warm.p50, cold: cold.p50 };
      findings.push({
        what: `warm, ${count} licenses`,
        measured: warm,
        ratio: ratio(warm.p50 / first.warm, 'p50 of 1000', '< 1.2'),
      });
      findings.push({
        what: `cold, ${count} licenses`,
        measured: cold,
        ratio: ratio(cold.p50 / first.cold, 'p50 of 1000', '< 2'),
      });
    } finally {
      await warmed.stop();
      await forgetful.stop();
    }
  }
  return findings;
};
