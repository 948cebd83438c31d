import { seedLicenses, validations } from '../support/database.js';
import { load } from '../support/load.js';
import { PIN_LOAD, startProduct } from '../support/programs.js';
import type { Finding } from '../support/report.js';
import type { Scenario } from '../support/scenario.js';
import { ratio } from './validate.js';

const HOT = 1_000;

/** The latency of validations while the table grows a thousandfold and more. */
export const growth: Scenario = async ({ database, seconds, licensesMax }) => {
  const findings: Finding[] = [];
  let first: { warm: number; cold: number } | undefined;
  for (let count = 1_000; count <= licensesMax; count *= 10) {
    await seedLicenses(database, count);
    const product = await startProduct(database.url, { VALIDATION_CACHE: '16' });
    const url = `${product.url}/licenses/validate`;
    try {
      const hot = { url, bodies: validations(HOT), connections: 8, seconds };
      await load(hot, PIN_LOAD);
      const warm = await load(hot, PIN_LOAD);
      // Far more keys than are remembered, each as likely as any other.
      const all = {
        url,
        bodies: validations(Math.min(count, 500_000)),
        connections: 8,
        seconds,
        even: true,
      } as const;
      const cold = await load(all, PIN_LOAD);
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
      await product.stop();
    }
  }
  return findings;
};
