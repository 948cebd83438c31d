import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf } from '../support/activity.js';
import { postSigned, startMarket } from '../support/marketplace.js';
import type { Market } from '../support/marketplace.js';
import { createUnsteadyDatabase } from '../support/unsteady-database.js';

let market: Market;
let product: string;
let count = 0;

beforeAll(async () => {
  market = await startMarket();
  product = (await market.app.seed.product()).name;
});

/** A purchase that nobody has claimed yet. */
async function bought(fields: Record<string, unknown> = {}) {
  const resource_id = market.resource();
  await market.map({ resourceId: resource_id, product, durationDays: 30 });
  const notice = { resource_id, purchaser_id: `buyer of ${resource_id}`, sale_id: `sale of ${resource_id}` };
  const { body } = await market.sell({ ...notice, ...fields });
  const { license_key, redeem } = body as { license_key: string; redeem: string };
  return { ...notice, license_key, redeem };
}

async function user(): Promise<string> {
  return (await market.app.rest('POST', '/users', { user_id: `claimer ${(count += 1)}` })).body.user_id;
}

const claim = (user_id: string, redeem: string) =>
  market.app.rest('POST', '/marketplace/claim', { user_id, redeem });

describe('POST /marketplace/claim', () => {
  it('200: the license is the user’s, and so is the account it was bought by', async () => {
    const { sale_id, license_key, redeem, purchaser_id } = await bought({ username: 'Nelly' });
    const user_id = await user();
    const response = await claim(user_id, redeem);
    expect([response.status, response.body]).toEqual([200, { success: true, license: license_key, user_id }]);
    expect(await market.license(license_key)).toMatchObject({ user_id });
    expect(await market.purchase(sale_id)).toMatchObject({ user_id, status: 'claimed' });
    const identities = (await market.app.rest('GET', `/identities?user_id=${encodeURIComponent(user_id)}`))
      .body;
    expect(identities).toMatchObject([
      { provider: 'builtbybit', provider_id: purchaser_id, metadata: { username: 'Nelly' } },
    ]);
    const entries = await activityOf(market.app, response);
    expect(entries.map(({ event }) => event)).toEqual([
      'license.updated',
      'identity.linked',
      'purchase.claimed',
    ]);
  });

  it('200: a repeat by the same user gives the same answer, and changes nothing', async () => {
    const { redeem } = await bought();
    const user_id = await user();
    const first = await claim(user_id, redeem);
    const again = await claim(user_id, redeem);
    expect(again.body).toEqual(first.body);
    expect(await activityOf(market.app, again)).toEqual([]);
  });

  it.each([
    ['the sale id', ({ sale_id }: { sale_id: string }) => sale_id],
    ['lower case', ({ redeem }: { redeem: string }) => redeem.toLowerCase()],
    ['no dashes and spaces', ({ redeem }: { redeem: string }) => ` ${redeem.replaceAll('-', ' ')} `],
    [
      'letters for digits',
      ({ redeem }: { redeem: string }) => redeem.replaceAll('0', 'o').replaceAll('1', 'l'),
    ],
  ])('200 by %s', async (_how, typed) => {
    const purchase = await bought();
    expect((await claim(await user(), typed(purchase))).body).toMatchObject({
      license: purchase.license_key,
    });
  });

  it('409 ALREADY_CLAIMED by another user, also where an administrator gave the license away', async () => {
    const { redeem } = await bought();
    await claim(await user(), redeem);
    const response = await claim(await user(), redeem);
    expect([response.status, response.body.code]).toEqual([409, 'ALREADY_CLAIMED']);
    expect(response.text).not.toContain(redeem);
    const given = await bought();
    await market.app.rest('PATCH', '/licenses', { key: given.license_key, user_id: await user() });
    expect((await claim(await user(), given.redeem)).body.code).toBe('ALREADY_CLAIMED');
  });

  it('20 users at once: one has it, 19 are told so', async () => {
    const { redeem, license_key } = await bought();
    const users = await Promise.all(Array.from({ length: 20 }, () => user()));
    const responses = await Promise.all(users.map((one) => claim(one, redeem)));
    const won = responses.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(responses.filter(({ body }) => body.code === 'ALREADY_CLAIMED')).toHaveLength(19);
    expect(await market.license(license_key)).toMatchObject({ user_id: won[0]?.body.user_id });
  });

  it('404 for what nobody sold, 422 for a user that nobody is', async () => {
    const unknown = await claim(await user(), 'AAAAA-AAAAA-AAAAA-AAAAA');
    expect([unknown.status, unknown.body.code]).toEqual([404, 'PURCHASE_NOT_FOUND']);
    expect((await claim(await user(), 'a\u0000b')).status).toBe(404);
    const { redeem } = await bought();
    const nobody = await claim('nobody', redeem);
    expect([nobody.status, nobody.body.errors[0].pointer]).toEqual([422, '/user_id']);
  });

  it('409 PURCHASE_REFUNDED and PURCHASE_PENDING', async () => {
    const { redeem, sale_id } = await bought();
    await market.sell({ sale_id, status: 'refunded' });
    const refunded = await claim(await user(), redeem);
    expect([refunded.status, refunded.body.code]).toEqual([409, 'PURCHASE_REFUNDED']);
    await market.sell({ sale_id: 'unmapped', resource_id: market.resource(), purchaser_id: '1' });
    const pending = await claim(await user(), 'unmapped');
    expect([pending.status, pending.body.code]).toEqual([409, 'PURCHASE_PENDING']);
  });

  it('200: renewals go along, before and after; a linked account stays where it is', async () => {
    const { license_key, redeem, ...about } = await bought();
    const owner = await user();
    const account = { provider: 'builtbybit', provider_id: about.purchaser_id };
    await market.app.rest('POST', '/identities', { user_id: owner, ...account });
    const renew = (sale_id: string) => market.sell({ ...about, sale_id, renewal: 'true' });
    await renew(`${about.sale_id}/2`);
    const user_id = await user();
    await claim(user_id, redeem);
    const later = await renew(`${about.sale_id}/3`);
    expect(later.body).toMatchObject({ status: 'claimed', license_key });
    for (const sale of [2, 3]) {
      expect(await market.purchase(`${about.sale_id}/${sale}`)).toMatchObject({ user_id, status: 'claimed' });
    }
    const linked = (
      await market.app.rest('GET', `/identities?provider_id=${encodeURIComponent(about.purchaser_id)}`)
    ).body as { user_id: string }[];
    expect(linked.map((identity) => identity.user_id)).toEqual([owner]);
  });
});

describe('users', () => {
  it('POST /users/merge moves purchases, and an old id claims again as the new user', async () => {
    const { sale_id, redeem, license_key } = await bought();
    const [from, to] = [await user(), await user()];
    await claim(from, redeem);
    const merged = await market.app.rest('POST', '/users/merge', { from, to });
    expect(await market.purchase(sale_id)).toMatchObject({ user_id: to, status: 'claimed' });
    expect(await activityOf(market.app, merged)).toContainEqual(
      expect.objectContaining({
        event: 'purchase.claimed',
        resource_id: sale_id,
        changes: { user_id: [from, to] },
      }),
    );
    expect((await claim(from, redeem)).body).toEqual({ success: true, license: license_key, user_id: to });
  });

  it('DELETE /users with force leaves a purchase that may be claimed again', async () => {
    const { sale_id, redeem } = await bought();
    const user_id = await user();
    await claim(user_id, redeem);
    expect((await market.app.rest('DELETE', '/users', { user_id })).body.code).toBe('IN_USE');
    const deleted = await market.app.rest('DELETE', '/users', { user_id, force: true });
    expect(deleted.body).toEqual({ deleted: true });
    expect(await market.purchase(sale_id)).toMatchObject({ user_id: null, status: 'pending' });
    expect(await activityOf(market.app, deleted)).toContainEqual(
      expect.objectContaining({
        event: 'purchase.released',
        changes: { user_id: [user_id, null], status: ['claimed', 'pending'] },
      }),
    );
    expect((await claim(await user(), redeem)).status).toBe(200);
  });

  it('merges, claims and renewals at once leave nobody without what they have', async () => {
    const purchases = await Promise.all(Array.from({ length: 5 }, () => bought()));
    const users = await Promise.all(Array.from({ length: 5 }, () => user()));
    const [last = ''] = users;
    const responses = await Promise.all([
      ...purchases.map(({ redeem }, n) => claim(users[n] ?? '', redeem)),
      ...users.slice(1).map((from) => market.app.rest('POST', '/users/merge', { from, to: last })),
      ...purchases.map(({ resource_id, purchaser_id, sale_id }) =>
        market.sell({ resource_id, purchaser_id, sale_id: `${sale_id} again`, renewal: true }),
      ),
    ]);
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    for (const { sale_id, license_key } of purchases) {
      expect(await market.purchase(sale_id)).toMatchObject({ user_id: last, status: 'claimed' });
      expect(await market.purchase(`${sale_id} again`)).toMatchObject({ user_id: last, status: 'claimed' });
      expect(await market.license(license_key)).toMatchObject({ user_id: last });
    }
  }, 60_000);
});

describe('POST /marketplace/placeholder', () => {
  it('200: the key and nothing else, the same each time, before the purchase and after', async () => {
    const resource_id = market.resource();
    await market.map({ resourceId: resource_id, product, durationDays: 30 });
    const fields = { builtbybit: 'true', resource_id, user_id: '9', version_id: '1', steam_id: '' };
    const responses = await Promise.all(Array.from({ length: 10 }, () => market.download(fields)));
    const [key = ''] = responses.map(({ text }) => text);
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses[0]?.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(await market.license(key)).toMatchObject({ status: 'suspended', expires_at: null });
    const { body } = await market.sell({ resource_id, purchaser_id: '9', sale_id: `${resource_id}/1` });
    expect(body).toMatchObject({ license_key: key, status: 'pending' });
    const license = await market.license(key);
    expect(license).toMatchObject({ status: 'active', product });
    expect(license['expires_at']).not.toBeNull();
    expect((await market.download(fields)).text).toBe(key);
  });

  it('200: Polymart gets the key as its JSON', async () => {
    const { resource_id, license_key, purchaser_id } = await bought({ marketplace: 'polymart' });
    const body = {
      user: purchaser_id,
      product: resource_id,
      placeholder: 'KEY',
      nonce: 'n',
      time: 1,
      license: 'l',
    };
    const response = await postSigned(market.app, '/marketplace/placeholder', body);
    expect([response.status, response.body]).toEqual([200, { value: license_key }]);
  });

  it.each([
    [401, 'MARKETPLACE_SECRET_INVALID', { secret: 'wrong', resource_id: 'r', user_id: '1' }],
    [404, 'MARKETPLACE_MAPPING_NOT_FOUND', { resource_id: 'nobody maps this', user_id: '1' }],
    [422, 'INVALID_FIELD', { resource_id: 'r' }],
  ])('%i %s', async (status, code, fields) => {
    const response = await market.download(fields);
    expect([response.status, response.body.code]).toEqual([status, code]);
  });

  it('404 once the license was deleted', async () => {
    const { license_key, resource_id, purchaser_id } = await bought();
    await market.app.rest('DELETE', '/licenses', { key: license_key });
    const response = await market.download({ resource_id, user_id: purchaser_id });
    expect([response.status, response.body.code]).toEqual([404, 'LICENSE_NOT_FOUND']);
  });

  it('424 where others say 503: without a secret, and with the database away', async () => {
    const closed = await startMarket({ env: { MARKETPLACE_SECRET: '' } });
    const unset = await closed.download({ resource_id: 'r', user_id: '1' });
    expect([unset.status, unset.body.code]).toEqual([424, 'MARKETPLACE_NOT_CONFIGURED']);
    const database = await createUnsteadyDatabase();
    const away = await startMarket({ databaseUrl: database.url });
    await database.goAway();
    const response = await away.download({ resource_id: 'r', user_id: '1' });
    expect([response.status, response.body.code]).toEqual([424, 'UNAVAILABLE']);
  });
});
