import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AUTH_SECRET } from '../support/app.js';
import { startTestBot } from '../support/bot.js';
import type { TestBot } from '../support/bot.js';
import { closeAfterwards } from '../support/database.js';
import type { Target } from './ask.js';
import { LANES } from './run.js';

/** Names that exist, so that more than the first check is reached; by the last word of a field's name. */
export type Vocabulary = Readonly<Record<string, readonly string[]>>;

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
};

/** Each may be there already. */
const FIRST_RECORDS: readonly (readonly [path: string, body: object])[] = [
  ...['Alpha', 'Beta'].flatMap((name) => [
    ['/products', { name }] as const,
    ['/customers', { name }] as const,
    ['/addons', { name }] as const,
    ['/rules', { name, type: 'version', action: 'allow', config: { range: '>=1' } }] as const,
    ['/webhooks', { name, url: 'https://hooks.example/x', events: ['license.*'] }] as const,
    ['/files', { name, product: 'Alpha', repo: 'acme/alpha', asset: 'alpha.zip' }] as const,
    ['/variables', { name, value: 1 }] as const,
  ]),
  ['/whitelists', { name: 'hwid', type: 'field', field: 'hwid', limit: 3 }],
  ['/whitelists', { name: 'Alpha', type: 'header', header: 'x-a', limit: 2 }],
  ...['FUZZ-KEY-1', 'FUZZ-KEY-2'].map((key) => ['/licenses', { key, product: 'Alpha' }] as const),
  ...['ada', 'bob'].map((user_id) => ['/users', { user_id, email: 'ada@example.com' }] as const),
  ['/identities', { user_id: 'ada', provider: 'discord', provider_id: '123456789012345678' }],
];

export interface World {
  readonly bot: TestBot;
  readonly licensing: Target;
  readonly botApi: Target;
  readonly words: Vocabulary;
  /** Puts back what requests have taken away of the first records. */
  replenish(): Promise<void>;
}

/** A gateway without limits, a bot on the sandbox, and the first records that the vocabulary names. */
export async function startWorld(): Promise<World> {
  const root = await mkdtemp(join(tmpdir(), 'fuzz-'));
  closeAfterwards(() => rm(root, { recursive: true }));
  const bot = await startTestBot({
    env: { FILES_ROOT: root, MARKETPLACE_SECRET: SECRET, LIMITS_ENABLED: 'false' },
    limits: { loginMs: 20_000, restMs: 10_000 },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: LANES });
  closeAfterwards(() => {
    agent.destroy();
    return Promise.resolve();
  });
  const replenish = async () => {
    // Connections of its own: kept ones are idle for so long that the server hangs up on them.
    const options = { headers: { connection: 'close' } };
    for (const [path, body] of FIRST_RECORDS) await bot.rest('POST', path, body, options);
    await bot.bot('POST', '/api/bot/start', undefined, options);
  };
  await replenish();
  const channel = [bot.sandbox.world.channel('general').id, '123456789012345678'];
  return {
    ...{ bot, replenish, words: { ...WORDS, channel } },
    licensing: { url: bot.url, key: bot.apiKey, agent },
    botApi: { url: bot.botUrl, key: AUTH_SECRET, agent },
  };
}
