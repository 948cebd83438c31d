import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AUTH_SECRET } from '../support/app.js';
import { startTestBot } from '../support/bot.js';
import type { TestBot } from '../support/bot.js';
import { closeAfterwards } from '../support/database.js';
import { endpointsOf } from './api.js';
import type { Endpoint } from './api.js';
import { ask } from './ask.js';
import { judge } from './judge.js';
import { requestTo } from './requests.js';
import type { FuzzRequest, Vocabulary } from './requests.js';

/*
 * By hand with more, and others: FUZZ_RUNS=300 FUZZ_SEED=7 npm test -- test/fuzz
 * FUZZ_ONLY='POST /licenses' for one endpoint.
 */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 4);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const ONLY = process.env['FUZZ_ONLY'];
const LANES = 6;
const SECRET = 'a-marketplace-secret-of-32-characters-or-more';

const WORDS: Vocabulary = {
  name: ['Alpha', 'Beta', 'Gamma', 'tier', 'alpha.zip'],
  product: ['Alpha', 'Beta'],
  customer: ['Alpha', 'Beta'],
  key: ['FUZZ-KEY-1', 'FUZZ-KEY-2', 'FUZZ-KEY-3', 'tier'],
  license: ['FUZZ-KEY-1', 'FUZZ-KEY-2'],
  addons: ['Alpha'],
  whitelists: ['Alpha', 'hwid'],
  whitelist: ['Alpha', 'hwid'],
  id: ['ada', 'bob', '123456789012345678'],
  provider: ['discord', 'builtbybit'],
  scope: ['global', 'product', 'license', 'user'],
  owner: ['', 'Alpha', 'FUZZ-KEY-1', 'FUZZ-KEY-2'],
  type: ['header', 'field', 'ip', 'version', 'country', 'agent', 'time', 'requests', 'activity', 'allow'],
  version: ['1.0.0', '2.0.0-beta.1'],
  repo: ['acme/alpha'],
  asset: ['alpha.zip', '*.zip'],
  url: ['https://hooks.example/x'],
  events: ['*', 'license.*', 'license.created'],
  email: ['ada@example.com'],
  file: ['Alpha'],
  secret: [SECRET],
  channel: ['123456789012345678'],
};

let bot: TestBot;
let agent: Agent;

beforeAll(async () => {
  const root = await mkdtemp(join(tmpdir(), 'fuzz-'));
  closeAfterwards(() => rm(root, { recursive: true }));
  bot = await startTestBot({
    env: { FILES_ROOT: root, MARKETPLACE_SECRET: SECRET, LIMITS_ENABLED: 'false' },
    limits: { loginMs: 20_000, restMs: 10_000 },
  });
  await bot.post('start');
  agent = new Agent({ keepAlive: true, maxSockets: LANES });
  closeAfterwards(() => {
    agent.destroy();
    return Promise.resolve();
  });
  for (const name of ['Alpha', 'Beta']) {
    await bot.rest('POST', '/products', { name });
    await bot.rest('POST', '/customers', { name });
  }
  for (const key of ['FUZZ-KEY-1', 'FUZZ-KEY-2'])
    await bot.rest('POST', '/licenses', { key, product: 'Alpha' });
});

/** As a line that can be sent again. */
function shown({ method, path, headers, body, withKey }: FuzzRequest): string {
  const text = body === undefined ? '' : body.toString('utf8').slice(0, 300);
  return `${method} ${path.slice(0, 200)} ${JSON.stringify(headers).slice(0, 300)} ${withKey ? '' : '(no key) '}${text}`;
}

/** Sends every request, a few at once, and gives what was wrong: one example of each, and how often it was so. */
async function findings(url: string, key: string, requests: readonly FuzzRequest[]): Promise<Finding[]> {
  const found = new Map<string, Finding>();
  const left = requests.values();
  const lane = async () => {
    for (const asked of left) {
      const wrong = await ask(url, key, agent, asked).then(
        (answer) => {
          const what = judge(asked, answer);
          return what === undefined ? undefined : { what, answer: answer.text.slice(0, 300) };
        },
        (error: unknown) => ({ what: `gives no answer: ${String(error)}`, answer: '' }),
      );
      if (!wrong) continue;
      const finding = `${asked.endpoint.key} ${wrong.what}`;
      const { times = 0, ...first } = found.get(finding) ?? { asked: shown(asked), answer: wrong.answer };
      found.set(finding, { finding, ...first, times: times + 1 });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return [...found.values()];
}

interface Finding {
  readonly finding: string;
  readonly asked: string;
  readonly answer: string;
  readonly times: number;
}

/** Of every endpoint in turn, so that they meet what the others have made. */
function requestsTo(endpoints: readonly Endpoint[]): FuzzRequest[] {
  const wanted = endpoints.filter(({ key }) => ONLY === undefined || key === ONLY);
  const samples = wanted.map((endpoint, n) =>
    fc.sample(requestTo(endpoint, WORDS), { numRuns: RUNS, seed: SEED + n }),
  );
  return Array.from({ length: RUNS }, (_, run) => samples.flatMap((sample) => sample[run] ?? [])).flat();
}

const LIMIT_MS = 60_000 + RUNS * 5_000;

describe('any request to any documented endpoint', () => {
  it(
    'of licensing: an answer, as it is documented, and never a 5xx',
    async () => {
      const requests = requestsTo(endpointsOf('openapi.json'));
      expect(await findings(bot.url, bot.apiKey, requests)).toEqual([]);
      expect((await bot.anonymous('GET', '/health/live')).status).toBe(200);
    },
    LIMIT_MS,
  );

  it(
    'of the bot: an answer, as it is documented, and never a 5xx',
    async () => {
      const requests = requestsTo(endpointsOf('openapi-bot.json'));
      expect(await findings(bot.botUrl, AUTH_SECRET, requests)).toEqual([]);
      expect((await bot.status()) as { state: string }).toHaveProperty('state');
    },
    LIMIT_MS,
  );

  it('leaves no trace in the prototype of everything', () => {
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
