import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { World } from '../../src/bot/sandbox/world.js';
import { systemClock } from '../../src/platform/clock.js';
import { restClient } from '../support/rest.js';
import type { RestClient, RestResponse } from '../support/rest.js';
import { STEPS } from './contract-steps.js';
import type { Known, Step } from './contract-steps.js';
import { SHARED } from './programs.js';
import { until } from './stage.js';

export interface Deployment {
  readonly url: string;
  readonly botUrl: string;
}

/** Calls every endpoint that docs/api lists and compares its status with the documented one. Resolves to how many. */
export async function contractPass(
  deployment: Deployment,
  prepare: (rest: RestClient) => Promise<void>,
): Promise<number> {
  const documented = new Map([...documentedStatuses('licensing'), ...documentedStatuses('bot')]);
  const called = new Set(STEPS.map(([key]) => key));
  assert.deepEqual(
    [...documented.keys()].filter((key) => !called.has(key)),
    [],
    'endpoints without a step',
  );
  const api = restClient(deployment.url, SHARED.API_KEY);
  const bot = restClient(deployment.botUrl, SHARED.AUTH_SECRET);
  await prepare(api);
  const known: Known = { ...(await sandboxChannel(bot)) };
  const wrong: string[] = [];
  for (const step of STEPS) {
    const [key, , keep] = step;
    const expected = documented.get(key);
    assert(expected !== undefined, `${key} is in no table`);
    const response = await call(key.includes(' /api/') ? bot : api, deployment, step, known, expected);
    if (response.status === expected) keep?.(response.body as Record<string, unknown>, known);
    else wrong.push(`${key}: ${response.status} instead of ${expected}: ${response.text.slice(0, 300)}`);
  }
  assert.deepEqual(wrong, []);
  return documented.size;
}

/** `POST /products` → 201, as the tables say; the first status of a row is that of success. */
function documentedStatuses(page: 'licensing' | 'bot'): [string, number][] {
  const text = readFileSync(new URL(`../../docs/api/${page}.md`, import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| (GET|POST|PATCH|DELETE) \| `(\/[^`]*)` \|.*\| (\d{3}) [^|]*\|$/gm)];
  assert(rows.length >= 20, `the tables of ${page}.md can't be read`);
  return rows.map(([, method = '', path = '', status]) => [`${method} ${path}`, Number(status)]);
}

async function call(
  rest: RestClient,
  { botUrl }: Deployment,
  [key, input]: Step,
  known: Known,
  expected: number,
): Promise<RestResponse> {
  const [method = '', route = ''] = key.split(' ');
  const values = typeof input === 'function' ? input(known) : input;
  if (key === 'GET /download/:token') return rest(method, known['download'] ?? '');
  if (key === 'GET /api/logs/stream') return firstOfStream(`${botUrl}${route}`);
  const path = route.replace(':id', 'hello');
  const marketplace = { headers: { authorization: `Bearer ${SHARED.MARKETPLACE_SECRET}` } };
  const isMarketplace = /^\/marketplace\/(webhook|placeholder)$/.test(route);
  const send = () =>
    method === 'GET' || key === 'DELETE /logs'
      ? rest(method, `${path}${values ? `?${new URLSearchParams(values as Known).toString()}` : ''}`)
      : rest(method, path, values ?? {}, isMarketplace ? marketplace : {});
  let response = await send();
  // A delivery, and a bot that has just been told to start, come a moment later, from another process.
  const comesLater = () =>
    (response.body as { code?: string } | undefined)?.code === 'BOT_NOT_RUNNING' ||
    (response.status === expected && method === 'GET' && response.text === '[]');
  if (comesLater()) {
    const again = async () => !((response = await send()), comesLater());
    await until(`${key} has something to tell`, again, 30).catch(() => undefined);
  }
  return response;
}

/** The status of an endless answer, and its first line. */
function firstOfStream(url: string): Promise<RestResponse> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${SHARED.AUTH_SECRET}` };
    const req = request(url, { headers }, (res) => {
      res.once('data', (chunk: Buffer) => {
        resolve({
          status: res.statusCode ?? 0,
          headers: res.headers,
          text: chunk.toString(),
          body: undefined,
        });
        req.destroy();
      });
    });
    req.on('error', reject);
    req.end();
  });
}

/** Where the sandbox's bot may write, once it is connected. Its ids are the same at every start. */
async function sandboxChannel(bot: RestClient): Promise<Known> {
  await until('the bot is connected', async () => {
    const { body } = await bot('GET', '/api/status');
    return (body as { running: boolean }).running;
  });
  const [channel] = new World(systemClock, 'any token').channels.values();
  return { channel: channel?.id ?? '' };
}
