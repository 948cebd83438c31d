import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { recordStatements } from '../support/statements.js';

/** How often each change is made and looked for. By hand: FRESHNESS_ROUNDS=1000 npm test -- verdict-freshness */
const ROUNDS = Number(process.env['FRESHNESS_ROUNDS'] ?? 6);

let here: TestApp;
let there: TestApp;

beforeAll(async () => {
  here = await startApp();
  there = await startApp({ databaseUrl: here.databaseUrl });
});

/** What the other gateway says of a key. */
async function verdictOf(license_key: string) {
  const { status, body } = await there.anonymous('POST', '/licenses/validate', {
    license_key,
    identifier: 'seat',
  });
  expect(status).toBe(200);
  return body;
}

async function change(method: string, path: string, body: Record<string, unknown>): Promise<void> {
  const response = await here.rest(method, path, body);
  if (response.status >= 300) throw new Error(`${method} ${path} ${response.status}: ${response.text}`);
}

/** A license with everything that a verdict depends on. */
async function equipped() {
  const { name: product } = await here.seed.product();
  const { name: customer } = await here.seed.customer();
  const { name: addon } = await here.seed.addon();
  const { body: user } = await here.rest('POST', '/users', {});
  const license = await here.seed.license({ product, customer, user_id: user.user_id });
  return { ...license, key: license.key, product, customer, addon, user_id: String(user.user_id) };
}

type Equipped = Awaited<ReturnType<typeof equipped>>;
type Verdict = Awaited<ReturnType<typeof verdictOf>>;

/** A change, and what the very next validation elsewhere must say. `round` counts from 0. */
type Case = readonly [
  name: string,
  make: (license: Equipped, round: number) => Promise<unknown>,
  shown: (verdict: Verdict) => unknown,
  expected: (license: Equipped, round: number) => unknown,
];

const toggled = (round: number) => round % 2 === 0;

const CASES: readonly Case[] = [
  [
    'a suspension, and its end',
    ({ key }, round) =>
      change('PATCH', '/licenses', { key, status: toggled(round) ? 'suspended' : 'active' }),
    ({ code }) => code,
    (_, round) => (toggled(round) ? 'SUSPENDED' : 'VALID'),
  ],
  [
    'an expiry',
    ({ key }, round) =>
      change('PATCH', '/licenses', { key, expires_at: toggled(round) ? '2026-01-15T12:00:00.000Z' : null }),
    ({ code }) => code,
    (_, round) => (toggled(round) ? 'EXPIRED' : 'VALID'),
  ],
  [
    'a deletion, and a new license by the same key',
    ({ key }, round) =>
      toggled(round) ? change('DELETE', '/licenses', { key }) : change('POST', '/licenses', { key }),
    ({ code }) => code,
    (_, round) => (toggled(round) ? 'NOT_FOUND' : 'VALID'),
  ],
  [
    "a product's new name",
    async (license, round) => {
      await change('PATCH', '/products', {
        name: license.product,
        new_name: `renamed ${license.id} ${round}`,
      });
      license.product = `renamed ${license.id} ${round}`;
    },
    ({ product }) => product,
    ({ product }) => product,
  ],
  [
    "a customer's new name",
    async (license, round) => {
      await change('PATCH', '/customers', {
        name: license.customer,
        new_name: `buyer ${license.id} ${round}`,
      });
      license.customer = `buyer ${license.id} ${round}`;
    },
    ({ customer }) => customer,
    ({ customer }) => customer,
  ],
  [
    'an addon',
    ({ key, addon }, round) => change('PATCH', '/licenses', { key, addons: toggled(round) ? [addon] : [] }),
    ({ addons }) => addons,
    ({ addon }, round) => (toggled(round) ? [addon] : []),
  ],
  [
    "a user's ban",
    ({ user_id }, round) =>
      change('PATCH', '/users', { user_id, status: toggled(round) ? 'banned' : 'active' }),
    ({ code }) => code,
    (_, round) => (toggled(round) ? 'BANNED' : 'VALID'),
  ],
  [
    "a rule's change",
    async ({ product, id }, round) => {
      const rule = { name: `rule ${id}`, type: 'ip', action: 'deny' };
      const config = { cidrs: [toggled(round) ? '127.0.0.0/8' : '10.0.0.0/8'] };
      if (round > 0) return change('PATCH', '/rules', { ...rule, config });
      await change('POST', '/rules', { ...rule, config });
      return change('POST', '/rules/attach', { rule: rule.name, product });
    },
    ({ code }) => code,
    (_, round) => (toggled(round) ? 'RULE_DENIED' : 'VALID'),
  ],
  [
    'a whitelist, attached and detached',
    async ({ product, id }, round) => {
      const whitelist = `list ${id}`;
      if (round === 0)
        await change('POST', '/whitelists', { name: whitelist, type: 'header', header: 'X-Nothing' });
      return change('POST', `/whitelists/${toggled(round) ? 'attach' : 'detach'}`, { whitelist, product });
    },
    ({ code }) => code,
    (_, round) => (toggled(round) ? 'WHITELIST_REQUIRED' : 'VALID'),
  ],
  [
    'a global variable',
    (_, round) => change(round === 0 ? 'POST' : 'PATCH', '/variables', { name: 'tested', value: round }),
    ({ variables }) => variables.tested,
    (_, round) => round,
  ],
  [
    "a product's variable",
    ({ product }, round) =>
      change(round === 0 ? 'POST' : 'PATCH', '/variables/product', {
        product,
        name: 'of_product',
        value: round,
      }),
    ({ variables }) => variables.of_product,
    (_, round) => round,
  ],
  [
    "a license's variable",
    ({ key: license }, round) => change('POST', '/licenses/variables', { license, key: 'own', value: round }),
    ({ variables }) => variables.own,
    (_, round) => round,
  ],
  [
    "a user's variable",
    ({ key: license_key }, round) =>
      change(round === 0 ? 'POST' : 'PATCH', '/variables/user', { license_key, key: 'theirs', value: round }),
    ({ user_variables }) => user_variables.theirs,
    (_, round) => round,
  ],
  [
    'plain SQL: a status',
    ({ id }, round) =>
      here.sql('update license set status = $2 where id = $1', [id, toggled(round) ? 'revoked' : 'active']),
    ({ code }) => code,
    (_, round) => (toggled(round) ? 'REVOKED' : 'VALID'),
  ],
  [
    'plain SQL: all rules of everyone',
    (_, round) =>
      toggled(round)
        ? here.sql(`insert into rule (name, type, action, config, is_global, created_at, updated_at)
                    values ('all', 'ip', 'deny', '{"cidrs": ["0.0.0.0/0", "::/0"]}', true, now(), now())`)
        : here.sql('truncate rule cascade'),
    ({ code }) => code,
    (_, round) => (toggled(round) ? 'RULE_DENIED' : 'VALID'),
  ],
];

describe('a change acknowledged by one gateway shows in the very next validation on another', () => {
  it.each(CASES)(
    '%s',
    async (_name, make, shown, expected) => {
      const license = await equipped();
      expect(await verdictOf(license.key)).toMatchObject({ code: 'VALID' });
      // An even number, so that what is switched on is off again.
      for (let round = 0; round < ROUNDS + (ROUNDS % 2); round++) {
        await make(license, round);
        expect([round, shown(await verdictOf(license.key))]).toEqual([round, expected(license, round)]);
      }
    },
    60_000 + 1_000 * ROUNDS,
  );

  it(
    'a key that was unknown a moment ago',
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const key = `COMING-SOON-${round}`;
        expect(await verdictOf(key)).toMatchObject({ code: 'NOT_FOUND' });
        await change('POST', '/licenses', { key });
        expect(await verdictOf(key)).toMatchObject({ code: 'VALID' });
      }
    },
    60_000 + 1_000 * ROUNDS,
  );
});

describe('what is remembered', () => {
  it('costs one statement a validation, of a known key and of an unknown one, and one a heartbeat', async () => {
    const { key } = await equipped();
    const { session } = await verdictOf(key);
    await verdictOf('UNKNOWN-KEY');
    const statements = await recordStatements(there.orm);
    const [known, unknown, beat] = [
      await statements.during(() => verdictOf(key)),
      await statements.during(() => verdictOf('UNKNOWN-KEY')),
      await statements.during(() => there.anonymous('POST', '/sessions/heartbeat', session)),
    ];
    const one = (verb: string) => [expect.stringMatching(new RegExp(`^\\s*with asked as[^]*${verb}`))];
    expect({ known, unknown, beat }).toEqual({
      known: one('insert into session'),
      unknown: one('insert into session'),
      beat: one('update session'),
    });
  });

  it('is counted: what was known, what was not, and what no longer held', async () => {
    const lookups = async (outcome: string) => {
      const { values } = await there.ctx.metrics.factsLookups.get();
      return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
    };
    const counts = async () => ({
      hit: await lookups('hit'),
      miss: await lookups('miss'),
      stale: await lookups('stale'),
    });
    const before = await counts();
    const { key } = await equipped();
    await verdictOf(key);
    await verdictOf(key);
    await change('PATCH', '/licenses', { key, note: 'nothing that a verdict shows' });
    await verdictOf(key);
    await change('PATCH', '/licenses', { key, status: 'suspended' });
    await verdictOf(key);
    expect(await counts()).toEqual({ hit: before.hit + 3, miss: before.miss + 1, stale: before.stale + 1 });
  });
});
