import { rate, ratio, takeTurns } from '../support/compare.js';
import { seedLicenses } from '../support/database.js';
import { load } from '../support/load.js';
import { PIN_LOAD, startLimit, startProduct } from '../support/programs.js';
import type { Scenario } from '../support/scenario.js';

const SESSIONS = 50_000;

/** `POST /sessions/heartbeat` against a batched UPDATE by a bare server. */
export const heartbeat: Scenario = async ({ database, seconds, rounds }) => {
  await seedLicenses(database, SESSIONS);
  await database.sql(
    `insert into session (token, license_id, identifier, ip, agent, ttl, last_seen, expires_at, created_at)
       select 'token-' || id, id, 'seat', '127.0.0.1', 'bench', 86400, now(), now() + interval '1 day', now()
         from license`,
  );
  await database.sql('vacuum analyze session');
  const bodies = Array.from({ length: SESSIONS }, (_, at) => JSON.stringify({ token: `token-${at + 1}` }));
  const limit = await startLimit('exact-limit', database.url);
  const product = await startProduct(database.url);
  const call = ({ url }: { url: string }) =>
    load({ url: `${url}/sessions/heartbeat`, bodies, connections: 64, seconds }, PIN_LOAD);
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
      { what: 'batched UPDATE', measured: best.limit },
      {
        what: 'heartbeat',
        measured: best.product,
        ratio: ratio(best.ratio, 'batched UPDATE', '≥ 0.6'),
      },
    ];
  } finally {
    await product.stop();
    await limit.stop();
  }
};
