import { availableParallelism } from 'node:os';
import { rate, ratio, takeTurns } from '../support/compare.js';
import { seedLicenses, validations } from '../support/database.js';
import { load } from '../support/load.js';
import { startProduct } from '../support/programs.js';
import type { Running } from '../support/programs.js';
import type { Finding } from '../support/report.js';
import type { Scenario } from '../support/scenario.js';

const LICENSES = 10_000;
/** With fewer, the processes, Postgres and the load take each other's. */
const CORES_MIN = 4;

/** What a second process of the gateway brings, and what the whole program takes when nobody asks it anything. */
export const processes: Scenario = async ({ database, seconds, rounds }) => {
  await seedLicenses(database, LICENSES);
  const bodies = validations(LICENSES);
  const call = ({ url }: Running) =>
    load({ url: `${url}/licenses/validate`, bodies, connections: 64, seconds }, []);
  const idle = await idleMemory(database.url);
  const one = await startProduct(database.url, {}, []);
  const two = await startProduct(database.url, { SERVER_PROCESSES: '2' }, []);
  try {
    await call(one);
    await call(two);
    const best = await takeTurns(
      rounds,
      () => call(one),
      () => call(two),
      rate,
    );
    const cores = availableParallelism();
    return [
      idle,
      { what: 'one process, not pinned', measured: best.limit },
      {
        what: 'two processes on one port',
        measured: {
          ...best.product,
          note: cores < CORES_MIN ? `${cores} cores for processes, Postgres and load: says nothing` : '',
        },
        ratio: ratio(best.ratio, 'one process', '≥ 1.8 on two free cores'),
      },
    ];
  } finally {
    await two.stop();
    await one.stop();
  }
};

async function idleMemory(databaseUrl: string): Promise<Finding> {
  const all = await startProduct(databaseUrl, { ROLES: 'gateway,worker,bot', BOT_SANDBOX: 'true' }, []);
  try {
    // What the start has left behind is collected when it is collected; this is what an operator sees.
    await new Promise((resolve) => setTimeout(resolve, 30_000));
    const memory = all.memory();
    const measured = { note: `${Math.round(memory)} MiB` };
    return { what: 'idle: gateway, worker and bot', measured, ratio: ratio(memory, 'MiB', '< 200') };
  } finally {
    await all.stop();
  }
}
