import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf, activityText } from '../support/activity.js';
import { START } from '../support/app.js';
import { SECRET, postForm, postSigned, startMarket } from '../support/marketplace.js';
import type { Market } from '../support/marketplace.js';
import { startApp } from '../support/app.js';

const KEY = /^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){4}$/;
const CODE = /^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){3}$/;
const DAY = 86_400_000;

let market: Market;
let product: string;

beforeAll(async () => {
  market = await startMarket();
  product = (await market.app.seed.product()).name;
});

/** A resource that is mapped to the product, and a sale of it. */
async function mapped(input: Record<string, unknown> = {}) {
  const resource_id = market.resource();
  await market.map({ resourceId: resource_id, product, ...input });
  return { resource_id, purchaser_id: '77', sale_id: `sale of ${resource_id}` };
}

describe('POST /marketplace/webhook: a purchase', () => {
  it('200: the purchase, its license and its redeem code, each with its event', async () => {
    const addon = (await market.app.seed.addon()).name;
    const notice = await mapped({ durationDays: 30, seats: 2, addons: [addon] });
    const response = await market.sell({
      ...notice,
      ...{ username: 'Nelly', marketplace_license_id: 'L-9', price: '12.50', currency: 'EUR' },
      purchase_date: '1767225600',
    });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      ...{ success: true, sale_id: notice.sale_id, status: 'pending' },
      license_key: expect.stringMatching(KEY),
      redeem: expect.stringMatching(CODE),
    });
    const { license_key, redeem } = response.body as Record<string, string>;
    expect(await market.purchase(notice.sale_id)).toEqual({
      ...{ id: expect.any(Number), ...notice, marketplace: 'builtbybit', addon_id: null, username: 'Nelly' },
      ...{ marketplace_license_id: 'L-9', user_id: null, product, license_key, redeem, status: 'pending' },
      ...{ problem: null, renewal: false, price: 12.5, currency: 'EUR' },
      ...{ purchase_date: '2026-01-01T00:00:00.000Z', createdAt: START.toISOString() },
      updatedAt: START.toISOString(),
    });
    expect(await market.license(license_key ?? '')).toMatchObject({
      ...{ product, addons: [addon], seats: 2, status: 'active', user_id: null },
      expires_at: new Date(START.getTime() + 30 * DAY).toISOString(),
    });
    const entries = await activityOf(market.app, response);
    expect(
      entries.map(({ event, actor, source, resource_id }) => [event, actor, source, resource_id]),
    ).toEqual([
      ['license.created', 'marketplace', 'marketplace', `…${license_key?.slice(-6)}`],
      ['purchase.received', 'marketplace', 'marketplace', notice.sale_id],
    ]);
    const verdict = await market.app.anonymous('POST', '/licenses/validate', { license_key, product });
    expect(verdict.body).toMatchObject({ valid: true, addons: [addon] });
  });

  it('200: a form, and aliases for every name', async () => {
    const { resource_id } = await mapped();
    const response = await postForm(market.app, '/marketplace/webhook', {
      ...{ purchase_id: 'form 1', resource_id, user_id: '78', license_id: '5', final_price: '$9.99' },
      ...{ purchase_date: '2026-01-02T03:04:05+01:00', addon_id: '0', renewal: 'none', secret: SECRET },
    });
    expect([response.status, response.body.sale_id]).toEqual([200, 'form 1']);
    expect(await market.purchase('form 1')).toMatchObject({
      ...{ purchaser_id: '78', marketplace_license_id: '5', price: 9.99, addon_id: null, renewal: false },
      purchase_date: '2026-01-02T02:04:05.000Z',
    });
  });

  it('200: a repeat says the same with duplicate, and makes nothing', async () => {
    const notice = await mapped();
    const first = await market.sell(notice);
    const again = await market.sell({ ...notice, price: '99' });
    expect(again.body).toEqual({ ...first.body, duplicate: true });
    expect(await activityOf(market.app, again)).toEqual([]);
  });

  it('200: without a sale id it is known by what was bought, by whom and when', async () => {
    const { resource_id, purchaser_id } = await mapped();
    const notice = { resource_id, purchaser_id, purchase_date: 1767225600 };
    const first = await market.sell(notice);
    expect(first.body.sale_id).toMatch(/^[0-9a-f]{64}$/);
    expect((await market.sell({ ...notice, purchase_date: '1767225600' })).body).toEqual({
      ...first.body,
      duplicate: true,
    });
    const other = await market.sell({ ...notice, purchase_date: 1767225601 });
    expect(other.body.sale_id).not.toBe(first.body.sale_id);
  });

  it('50 at once through two gateways: one purchase, one license, one code, 49 duplicates', async () => {
    const second = await startMarket({ databaseUrl: market.app.databaseUrl });
    const notice = await mapped();
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? market : second).sell(notice)),
    );
    const answers = responses.map(({ body }) => body as { duplicate?: true; license_key: string });
    expect(answers.filter(({ duplicate }) => duplicate)).toHaveLength(49);
    expect(new Set(answers.map(({ duplicate: _, ...answer }) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.license_key).toMatch(KEY);
    const [made] = await market.app.sql(
      `select (select count(*)::int from purchase where resource_id = $1) as purchases,
              (select count(*)::int from purchase_notice where resource_id = $1) as notices,
              (select count(distinct license_id)::int from purchase where resource_id = $1) as licenses`,
      [notice.resource_id],
    );
    expect(made).toEqual({ purchases: 1, notices: 1, licenses: 1 });
    const licenses = (await market.app.rest('GET', '/licenses')).body as { key: string }[];
    expect(licenses.filter(({ key }) => key === answers[0]?.license_key)).toHaveLength(1);
  }, 60_000);

  it('what came is kept, its secret and every trace of it aside', async () => {
    const notice = await mapped();
    const template = { note: `from ${SECRET}`, nested: { Secret: 'x', list: [SECRET, 1] }, colour: 'blue' };
    await market.sell({ ...notice, ...template });
    const { data } = await market.app.graphql(
      'query ($saleId: String!) { purchase(saleId: $saleId) { notices { kind payload receivedAt } } }',
      { saleId: notice.sale_id },
    );
    expect(data.purchase.notices).toEqual([
      {
        kind: 'purchase',
        payload: { ...notice, note: 'from ***', nested: { list: ['***', 1] }, colour: 'blue' },
        receivedAt: START.toISOString(),
      },
    ]);
    expect(await activityText(market.app)).not.toContain(SECRET);
    const stored = await market.app.sql('select * from purchase_notice');
    expect(JSON.stringify(stored)).not.toContain(SECRET);
  });
});

describe("POST /marketplace/webhook: Polymart's dialect", () => {
  it('200: a purchase, by signature; a ping is about none', async () => {
    const { resource_id } = await mapped({ marketplace: 'polymart' });
    const payload = { product: { id: resource_id, title: 'Editor' }, user: { id: 5123, username: 'Nelly' } };
    const bought = await market.polymart('product.user.purchase', 1767225600, payload);
    expect(bought.body).toMatchObject({
      success: true,
      status: 'pending',
      license_key: expect.stringMatching(KEY),
    });
    expect(await market.purchase(bought.body.sale_id as string)).toMatchObject({
      ...{ marketplace: 'polymart', resource_id, purchaser_id: '5123', username: 'Nelly', price: null },
      purchase_date: '2026-01-01T00:00:00.000Z',
    });
    for (const event of ['ping', 'product.update', 'product.user.firstDownload']) {
      expect((await market.polymart(event, 1767225600, payload)).body).toEqual({
        ...{ success: true, sale_id: null, status: null, license_key: null, redeem: null },
      });
    }
  });

  it('200: a removal is of what was bought before it, and not of what was bought since', async () => {
    const { resource_id } = await mapped();
    const payload = { product: { id: resource_id }, user: { id: 7 } };
    const first = await market.polymart('product.user.purchase', 1767225600, payload);
    const second = await market.polymart('product.user.purchase', 1767229200, payload);
    const removed = await market.polymart('product.user.purchaseRemoved', 1767227400, payload);
    expect(removed.body).toMatchObject({ success: true });
    expect(await market.purchase(first.body.sale_id as string)).toMatchObject({ status: 'refunded' });
    expect(await market.license(first.body.license_key as string)).toMatchObject({ status: 'suspended' });
    expect(await market.purchase(second.body.sale_id as string)).toMatchObject({ status: 'pending' });
    expect(await market.license(second.body.license_key as string)).toMatchObject({ status: 'active' });
    const again = await market.polymart('product.user.purchaseRemoved', 1767227400, payload);
    expect(again.body).toMatchObject({ duplicate: true });
  });
});

describe('POST /marketplace/webhook: who is believed', () => {
  const notice = { sale_id: 'nobody', resource_id: 'r', purchaser_id: 'p' };
  const path = '/marketplace/webhook';

  it.each([
    [
      'a bearer',
      () => market.app.anonymous('POST', path, notice, { headers: { authorization: `Bearer ${SECRET}` } }),
    ],
    ['the query', () => market.app.anonymous('POST', `${path}?secret=${encodeURIComponent(SECRET)}`, notice)],
    ['the body', () => market.app.anonymous('POST', path, { ...notice, secret: SECRET })],
    ['a form', () => postForm(market.app, path, { ...notice, secret: SECRET })],
    ['a signature', () => postSigned(market.app, path, notice)],
  ])('200 by %s', async (_where, send) => {
    expect((await send()).status).toBe(200);
  });

  it.each([
    ['nothing', () => market.app.anonymous('POST', path, notice)],
    [
      'a wrong bearer',
      () => market.app.anonymous('POST', path, notice, { headers: { authorization: 'Bearer x' } }),
    ],
    ['an API key', () => market.app.rest('POST', path, notice)],
    ['a wrong query', () => market.app.anonymous('POST', `${path}?secret=x`, notice)],
    ['a wrong body', () => market.app.anonymous('POST', path, { ...notice, secret: `${SECRET}.` })],
    ['no text', () => market.app.anonymous('POST', path, { ...notice, secret: [SECRET] })],
    ['a wrong signature', () => postSigned(market.app, path, notice, 'another secret')],
    [
      'a signature of something else',
      () => postSigned(market.app, `${path}?raw=%7B%7D`, notice, SECRET, '{}'),
    ],
    ['nothing at all', () => market.app.anonymous('POST', path)],
  ])('401 by %s', async (_where, send) => {
    const { status, body, headers } = await send();
    expect([status, body.code]).toEqual([401, 'MARKETPLACE_SECRET_INVALID']);
    expect(headers['www-authenticate']).toBe('Bearer');
  });

  it('any of several secrets', async () => {
    const several = await startMarket({ env: { MARKETPLACE_SECRET: `first-secret,${SECRET}` } });
    const by = (secret: string) => several.app.anonymous('POST', path, { ...notice, secret });
    expect((await by('first-secret')).status).toBe(200);
    expect((await by(SECRET)).status).toBe(200);
    expect((await by('first-secret,')).status).toBe(401);
  });

  it('503 without a configured secret, whatever is sent', async () => {
    const closed = await startApp();
    const { status, body } = await closed.anonymous('POST', path, { ...notice, secret: '' });
    expect([status, body.code]).toEqual([503, 'MARKETPLACE_NOT_CONFIGURED']);
  });
});

describe('POST /marketplace/webhook: what is refused', () => {
  const post = (raw: string | Buffer, type: string) =>
    market.app.anonymous('POST', '/marketplace/webhook', undefined, {
      raw,
      headers: { 'content-type': type },
    });

  it.each([
    ['multipart/form-data; boundary=x', '--x--'],
    ['text/plain', 'secret=x'],
    ['application/json; charset=latin1', '{}'],
  ])('415 for %s', async (type, raw) => {
    const { status, body } = await post(raw, type);
    expect([status, body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('413 above 256 KiB, and 200 up to there', async () => {
    const sized = (bytes: number) => {
      const text = JSON.stringify({
        secret: SECRET,
        sale_id: `big ${bytes}`,
        resource_id: 'r',
        purchaser_id: 'p',
        pad: '',
      });
      return text.replace('"pad":""', `"pad":"${'x'.repeat(bytes - text.length)}"`);
    };
    expect((await post(sized(256 * 1024), 'application/json')).status).toBe(200);
    expect((await post(sized(256 * 1024 + 1), 'application/json')).status).toBe(413);
  });

  it('400 for what is no JSON, without quoting it', async () => {
    const { status, body, text } = await post(`{"secret": "${SECRET}", oops`, 'application/json');
    expect([status, body.code]).toEqual([400, 'MALFORMED_JSON']);
    expect(text).not.toContain(SECRET);
  });

  it.each([
    [{}, '/resource_id'],
    [{ resource_id: 'r' }, '/purchaser_id'],
    [{ resource_id: 'r', purchaser_id: '{user_id}' }, '/purchaser_id'],
    [{ resource_id: 'r'.repeat(256), purchaser_id: 'p' }, '/resource_id'],
    [{ resource_id: 'r', purchaser_id: 'p', status: 'declined' }, '/status'],
    [{ resource_id: 'r', purchaser_id: 'p', status: 'refunded' }, '/sale_id'],
    [
      { event: 'product.user.purchase', time: 1, payload: { product: {}, user: { id: 1 } } },
      '/payload/product/id',
    ],
    [{ event: 'product.user.purchase', payload: { product: { id: 1 }, user: { id: 1 } } }, '/time'],
  ])('422 for %j', async (notice, pointer) => {
    const { status, body } = await market.sell(notice);
    expect([status, body.errors?.[0]?.pointer]).toEqual([422, pointer]);
  });

  it('422 for a body that is no object', async () => {
    expect((await post(`["${SECRET}"]`, 'application/json')).status).toBe(422);
  });
});
