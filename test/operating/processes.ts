import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { restClient } from '../support/rest.js';
import { contractPass } from './contract-pass.js';
import { startPgbouncer } from './pooler.js';
import type { Pooler } from './pooler.js';
import { newPostgres, query } from './postgres.js';
import { ROOT, Stage, tell, until } from './stage.js';
import { streamsThrough } from './streams.js';
import { SHARED, startGateway, startNginx, startRole } from './programs.js';

const CALLERS = 16;
const MOMENT = 2_000;

/**
 * Two gateways, a worker and the bot as processes of their own; nginx in front of the gateways, pgbouncer in transaction
 * mode in front of PostgreSQL. The whole contract passes through nginx, and so does every kind of stream; then a gateway
 * is killed under load.
 */
export async function processes(): Promise<void> {
  const stage = new Stage();
  try {
    const postgres = await newPostgres(stage, 'primary');
    const pooler = await startPgbouncer(
      stage,
      postgres,
      readFileSync(join(ROOT, 'deploy/pgbouncer.ini'), 'utf8'),
    );
    const files = join(stage.directory, 'files');
    publish(files);
    const common = {
      ...{ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: postgres.url, DATABASE_POOL_MAX: '20' },
      DATABASE_PREPARED: String(pooler.prepares),
      ...{
        FILES_ROOT: files,
        WEBHOOKS_SCHEDULE: '0',
        WEBHOOKS_ALLOWED_NETWORKS: '127.0.0.1',
        LIMITS_ENABLED: 'false',
        BOT_SANDBOX: 'true',
      },
    };
    const gateways = [
      await startGateway(stage, 'gateway-1', common),
      await startGateway(stage, 'gateway-2', common),
    ] as const;
    startRole(stage, 'worker', 'worker', common);
    startRole(stage, 'bot', 'bot', common);
    const nginx = await startNginx(stage, gateways);
    tell(
      `running: PostgreSQL, pgbouncer ${pooler.version} (transaction mode), 2 gateways, worker, bot, nginx`,
    );

    const endpoints = await contractPass(nginx, async (rest) => {
      await rest('POST', '/products', { name: 'For sale' });
      const query = `mutation { createMarketplaceMapping(input: {resourceId: "7", product: "For sale"}) { id } }`;
      const { body, text } = await rest('POST', '/graphql', { query });
      assert((body as { data?: unknown }).data, text);
    });
    tell(`the contract through nginx: ${endpoints} endpoints, each with its documented status`);
    await tellConnections(postgres.url);
    const impatient = await startNginx(stage, gateways, { name: 'nginx-streams', readTimeout: '1s' });
    await streamsThrough(impatient, gateways);

    await killUnderLoad(nginx.url, gateways[0]);
    await until('the queue is empty', async () => {
      const [row] = await query<{ waiting: number }>(
        postgres.url,
        'select count(*)::integer as waiting from graphile_worker.jobs where attempts < max_attempts and run_at < now()',
      );
      return row?.waiting === 0;
    });
    tell('the worker, past pgbouncer: no job waits');
    await tellPrepared(pooler);
  } finally {
    await stage.close();
  }
}

/** One release, laid down as `files publish` does. */
function publish(root: string): void {
  const release = join(root, 'acme/editor/1.0.0');
  mkdirSync(release, { recursive: true });
  writeFileSync(join(release, 'editor.jar'), 'the file');
}

/** How few connections the pooler needs. */
async function tellConnections(url: string): Promise<void> {
  const [row] = await query<{ connections: number }>(
    url,
    "select count(*)::integer as connections from pg_stat_activity where application_name = 'licensing-gateway'",
  );
  tell(`connections of the gateways at PostgreSQL, by pgbouncer: ${row?.connections ?? 0}`);
}

/** Whether named statements went through the pooler: prepared once for a connection, and run by whoever has it. */
async function tellPrepared({ prepares, version, prepared }: Pooler): Promise<void> {
  if (!prepares) {
    tell(`pgbouncer ${version} can't keep track of prepared statements; PGBOUNCER names a newer one`);
    return;
  }
  const { parsed, bound } = await prepared();
  assert(parsed > 0 && parsed < bound / 5, `prepared ${parsed} times for ${bound} runs`);
  tell(`prepared statements through pgbouncer ${version}: prepared ${parsed} times, run ${bound} times`);
}

/** Callers validate, create and list without a pause; a gateway is killed among them. */
async function killUnderLoad(
  url: string,
  victim: { readonly actor: { end(signal: 'SIGKILL'): Promise<void> } },
) {
  const rest = restClient(url, SHARED.API_KEY);
  const { body } = await rest('POST', '/licenses', { key: 'UNDER-LOAD' });
  assert.equal((body as { key: string }).key, 'UNDER-LOAD');
  const counts = { validations: 0, creations: 0, lists: 0, after: 0 };
  const lost: string[] = [];
  const acknowledged: string[] = [];
  let isOver = false;
  let isKilled = false;
  const caller = async (id: number) => {
    for (let n = 0; !isOver; n++) {
      const name = `load-${id}-${n}`;
      const kind = (['validations', 'creations', 'lists'] as const)[n % 3] ?? 'validations';
      const response = await {
        validations: () =>
          rest('POST', '/licenses/validate', { license_key: 'UNDER-LOAD', identifier: `${id}` }),
        creations: () => rest('POST', '/products', { name }),
        lists: () => rest('GET', '/products?limit=5'),
      }
        [kind]()
        .catch((error: unknown) => ({ status: 0, text: String(error), body: undefined }));
      counts[kind]++;
      if (isKilled) counts.after++;
      if (response.status === 201) acknowledged.push(name);
      if (response.status >= 300 || response.status === 0) lost.push(`${kind}: ${response.status}`);
    }
  };
  const callers = Array.from({ length: CALLERS }, (_, id) => caller(id));
  await until('there is load', () => counts.validations > MOMENT / 4);
  await victim.actor.end('SIGKILL');
  isKilled = true;
  await until('there was load after it', () => counts.after > MOMENT);
  isOver = true;
  await Promise.all(callers);
  tell(
    `killed a gateway with -9 among ${counts.validations + counts.creations + counts.lists} requests of ${CALLERS} callers`,
  );
  tell(
    `lost: ${lost.length} (${[...new Set(lost)].join(', ') || 'none'}); ${counts.after} requests after the kill`,
  );
  // Whoever waited for an answer of the killed one may have lost it; each caller waits for one at a time.
  assert(lost.length <= CALLERS, `lost: ${lost.join(', ')}`);
  assert(
    lost.every((each) => each.startsWith('creations')),
    'what may be asked twice was lost',
  );
  const all = await rest('GET', '/products');
  const names = new Set((all.body as { name: string }[]).map(({ name }) => name));
  assert.deepEqual(
    acknowledged.filter((name) => !names.has(name)),
    [],
    'acknowledged and not there',
  );
  tell(`acknowledged creations: ${acknowledged.length}, all of them there`);
}
