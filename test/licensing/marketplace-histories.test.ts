import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { activityOf } from '../support/activity.js';
import { START } from '../support/app.js';
import { startMarket } from '../support/marketplace.js';
import type { Market } from '../support/marketplace.js';
import type { RestResponse } from '../support/rest.js';
import { runTasks, startTestWorker } from '../support/worker.js';

const DAY = 86_400_000;
/** Hundreds of requests, on a machine that may be doing something else. */
const HISTORIES_LIMIT_MS = 180_000;

let market: Market;
let second: Market;
let product: string;

beforeAll(async () => {
  market = await startMarket();
  second = await startMarket({ databaseUrl: market.app.databaseUrl });
  product = (await market.app.seed.product()).name;
  await startTestWorker(market.app);
});

const days = (n: number) => new Date(START.getTime() + n * DAY).toISOString();

/** A buyer of a resource that is mapped, and what they do there. */
async function buyer(mapping: Record<string, unknown> = {}) {
  const resource_id = market.resource();
  await market.map({ resourceId: resource_id, product, ...mapping });
  const about = { resource_id, purchaser_id: '42' };
  return {
    ...about,
    buys: (sale_id: string, fields: object = {}) =>
      market.sell({ ...about, sale_id: `${resource_id}/${sale_id}`, ...fields }),
    purchase: (sale_id: string) => market.purchase(`${resource_id}/${sale_id}`),
  };
}

const keyOf = ({ body }: RestResponse) => body.license_key as string;
const eventsOf = async (response: RestResponse) =>
  (await activityOf(market.app, response)).map(({ event }) => event);

describe('a refund', () => {
  it.each(['refunded', 'Refund', 'chargeback', 'charge-back'])('%s suspends the license', async (status) => {
    const { buys, purchase } = await buyer();
    const key = keyOf(await buys('1'));
    const response = await buys('1', { status });
    const stored = status.startsWith('c') ? 'chargeback' : 'refunded';
    expect(response.body).toMatchObject({ success: true, status: stored, license_key: key });
    expect(await eventsOf(response)).toEqual(['license.suspended', 'purchase.refunded']);
    expect(await purchase('1')).toMatchObject({ status: stored });
    expect(await market.license(key)).toMatchObject({ status: 'suspended' });
    const again = await buys('1', { status });
    expect([again.body.duplicate, await eventsOf(again)]).toEqual([true, []]);
  });

  it('that names the sale alone and comes first is remembered', async () => {
    const { resource_id, buys, purchase } = await buyer();
    const first = await market.sell({ sale_id: `${resource_id}/1`, status: 'refunded' });
    expect(first.body).toMatchObject({ status: 'refunded', license_key: null, redeem: null });
    expect(await eventsOf(first)).toEqual(['purchase.refunded']);
    const bought = await buys('1', { price: 5 });
    expect(bought.body).toMatchObject({ status: 'refunded', license_key: expect.any(String) });
    expect(bought.body).not.toHaveProperty('duplicate');
    expect(await market.license(keyOf(bought))).toMatchObject({ status: 'suspended' });
    expect(await purchase('1')).toMatchObject({ resource_id, price: 5, purchaser_id: '42' });
  });

  it('leaves what an administrator did since', async () => {
    const { buys } = await buyer();
    const key = keyOf(await buys('1'));
    await buys('1', { status: 'refunded' });
    await market.app.rest('PATCH', '/licenses', { key, status: 'active' });
    await buys('2');
    expect(await market.license(key)).toMatchObject({ status: 'active' });
  });
});

describe('a renewal', () => {
  it('extends from the expiry, or from now when that has passed', async () => {
    const { buys, purchase } = await buyer({ durationDays: 30, renewalDays: 10 });
    const bought = await buys('1');
    const renewed = await buys('2', { renewal: 'true' });
    expect(renewed.body).toMatchObject({ license_key: keyOf(bought), redeem: null, status: 'pending' });
    expect(await eventsOf(renewed)).toEqual(['license.updated', 'purchase.renewed']);
    expect(await market.license(keyOf(bought))).toMatchObject({ expires_at: days(40) });
    expect(await purchase('2')).toMatchObject({ renewal: true, product, license_key: keyOf(bought) });
    await market.app.rest('PATCH', '/licenses', { key: keyOf(bought), expires_at: days(-5) });
    await buys('3', { renewal: '1' });
    expect(await market.license(keyOf(bought))).toMatchObject({ expires_at: days(10) });
  });

  it('adds 30 days if nobody says otherwise, and nothing to what lasts for ever', async () => {
    const limited = await buyer({ durationDays: 1 });
    const key = keyOf(await limited.buys('1'));
    await limited.buys('2', { renewal: 'yes' });
    expect(await market.license(key)).toMatchObject({ expires_at: days(31) });
    const endless = await buyer();
    const other = keyOf(await endless.buys('1'));
    await endless.buys('2', { renewal: 'yes' });
    expect(await market.license(other)).toMatchObject({ expires_at: null });
  });

  it('many at once each count once', async () => {
    const { buys, resource_id } = await buyer({ durationDays: 1, renewalDays: 1 });
    const key = keyOf(await buys('1'));
    const renew = (n: number, at: Market) =>
      at.sell({ resource_id, purchaser_id: '42', sale_id: `${resource_id}/r${n}`, renewal: true });
    await Promise.all(Array.from({ length: 20 }, (_, n) => renew(n >> 1, n % 2 ? market : second)));
    expect(await market.license(key)).toMatchObject({ expires_at: days(11) });
  });
});

describe('an addon', () => {
  it("is put on its buyer's license, and taken from it by a refund", async () => {
    const [own, extra] = [(await market.app.seed.addon()).name, (await market.app.seed.addon()).name];
    const { buys, resource_id, purchase } = await buyer({ addons: [own] });
    await market.map({ resourceId: resource_id, addonId: '7', product, addons: [own, extra] });
    const early = await buys('2', { addon_id: '7' });
    expect(early.body).toMatchObject({ status: 'pending', license_key: null });
    expect(await purchase('2')).toMatchObject({ problem: 'Its buyer has no license that it could be for' });
    const key = keyOf(await buys('1'));
    expect(await market.license(key)).toMatchObject({ addons: [own, extra] });
    expect(await purchase('2')).toMatchObject({
      license_key: key,
      redeem: null,
      problem: null,
      addon_id: '7',
    });
    await buys('2', { addon_id: '7', status: 'refunded' });
    expect(await market.license(key)).toMatchObject({ addons: [own], status: 'active' });
    expect(await purchase('2')).toMatchObject({ status: 'refunded' });
  });
});

/** What may be heard of one buyer and resource; `n` is whose sale it is. */
type Step = { readonly n: number; readonly fields: Record<string, unknown> } | 'download' | 'mapping';

const step = fc.oneof(
  fc.record({
    n: fc.constantFrom(1, 2, 3),
    fields: fc.record({
      ...{ renewal: fc.boolean(), addon_id: fc.constantFrom('', '', '7') },
      purchase_date: fc.constantFrom(1767225600, 1767312000, 1767398400),
    }),
  }),
  fc.record({
    n: fc.constantFrom(1, 2, 3),
    fields: fc.record({ status: fc.constantFrom('refunded', 'chargeback') }),
  }),
);

const history = fc
  .uniqueArray(step, {
    ...{ minLength: 2, maxLength: 5 },
    selector: ({ n, fields }) => `${n} ${'status' in fields ? fields.status : ''}`,
  })
  .chain((notices) => {
    const all: Step[] = [...notices, 'mapping'];
    const order = fc.shuffledSubarray(all, { minLength: all.length });
    return fc.tuple(order, order);
  });

/** Lets it all happen to a new buyer of a product of its own, and shows what came of it. */
async function outcome(steps: readonly Step[], how: 'one by one' | 'at once') {
  const own = (await market.app.seed.product()).name;
  const addon = (await market.app.seed.addon()).name;
  const resource_id = market.resource();
  const take = async (one: Step, at: Market) => {
    if (one === 'download') return at.download({ resource_id, user_id: '42' });
    if (one === 'mapping') {
      await at.map({ resourceId: resource_id, addonId: '7', product: own, addons: [addon] });
      return at.map({ resourceId: resource_id, product: own, durationDays: 30 });
    }
    return at.sell({ resource_id, purchaser_id: '42', sale_id: `${resource_id}/${one.n}`, ...one.fields });
  };
  if (how === 'at once') await Promise.all(steps.map((one, n) => take(one, n % 2 ? market : second)));
  else for (const one of steps) await take(one, market);
  await runTasks(market.app);
  const licenses = (await market.app.rest('GET', '/licenses')).body as Record<string, unknown>[];
  const purchases = await Promise.all([1, 2, 3].map((n) => market.purchase(`${resource_id}/${n}`)));
  const founders = new Map(
    purchases.flatMap((p, n) => (p['redeem'] ? [[p['license_key'], n] as const] : [])),
  );
  return {
    licenses: licenses.filter((license) => license['product'] === own).length,
    purchases: purchases.map((p) => {
      const license = licenses.find(({ key }) => key === p['license_key']);
      return {
        ...{ status: p['status'], hasProblem: p['problem'] != null, founder: founders.get(p['license_key']) },
        license: license && [license['status'], license['expires_at'], (license['addons'] as []).length],
      };
    }),
  };
}

describe('whatever the order', () => {
  it(
    'the same is heard, the same comes of it',
    async () => {
      await fc.assert(
        fc.asyncProperty(history, async ([one, other]) => {
          const expected = await outcome(one, 'one by one');
          expect(await outcome(other, 'one by one')).toEqual(expected);
          expect(await outcome(other, 'at once')).toEqual(expected);
        }),
        { numRuns: 12 },
      );
    },
    HISTORIES_LIMIT_MS,
  );

  it('a download before, between or after its purchase and refund takes the key along that stays', async () => {
    const sale = { n: 1, fields: {} };
    const refund = { n: 1, fields: { status: 'refunded' } };
    const states = new Set<string>();
    for (const order of [
      ['mapping', 'download', sale, refund],
      ['mapping', sale, 'download', refund],
      ['mapping', refund, 'download', sale],
      ['mapping', 'download', refund, sale],
      ['mapping', sale, refund, 'download'],
    ] as Step[][]) {
      const { licenses, purchases } = await outcome(order, 'one by one');
      states.add(JSON.stringify([licenses, purchases]));
    }
    expect([...states]).toHaveLength(1);
    expect([...states][0]).toContain('"refunded"');
  });
});
