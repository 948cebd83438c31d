import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf, activityText } from '../support/activity.js';
import { START, startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { deliveriesOf } from '../support/webhooks.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

const URL = 'https://receiver.example/hook?a=b';
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const webhook = async (name: string) => {
  const { body } = await app.rest('GET', `/webhooks?name=${name}`);
  return body[0];
};

describe('POST /webhooks', () => {
  it('201: {} makes a target that gets nothing until it is completed', async () => {
    const response = await app.rest('POST', '/webhooks', {});
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      id: expect.any(Number),
      name: `webhook-${response.body.id}`,
      url: null,
      events: [],
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      enabled: false,
      headers: {},
      createdAt: START.toISOString(),
      updatedAt: START.toISOString(),
    });
    const [entry] = await activityOf(app, response);
    expect(entry).toMatchObject({
      event: 'webhook.created',
      resource_type: 'webhook',
      changes: { secret: [null, '…'] },
    });
  });

  it('201: the whole record; with a URL it is enabled', async () => {
    const sent = { name: 'Whole', url: URL, events: ['license.*', 'license.*', 'product.created'] };
    const headers = { Authorization: 'Bearer hook-token' };
    const response = await app.rest('POST', '/webhooks', { ...sent, headers, secret: SECRET });
    expect(response.status).toBe(201);
    const record = {
      ...sent,
      events: ['license.*', 'product.created'],
      headers,
      secret: SECRET,
      enabled: true,
    };
    expect(response.body).toMatchObject(record);
    expect(await webhook('Whole')).toEqual(response.body);
  });

  it('201: a record that was read is sent back under another name', async () => {
    await app.rest('POST', '/webhooks', { name: 'Copied', url: URL });
    const response = await app.rest('POST', '/webhooks', { ...(await webhook('Copied')), name: 'Copy' });
    expect(response.status).toBe(201);
  });

  it('201: the name of a deleted target is free', async () => {
    await app.rest('POST', '/webhooks', { name: 'Again' });
    await app.rest('DELETE', '/webhooks', { name: 'Again' });
    expect((await app.rest('POST', '/webhooks', { name: 'Again' })).status).toBe(201);
  });

  it('409 ALREADY_EXISTS: the name is taken', async () => {
    await app.rest('POST', '/webhooks', { name: 'Taken' });
    const response = await app.rest('POST', '/webhooks', { name: 'Taken' });
    expect(response.status).toBe(409);
    expect(response.body).toMatchObject({ code: 'ALREADY_EXISTS' });
  });

  it.each([
    [{ url: 'http://receiver.example' }, '/url', /https:\/\/ URL; WEBHOOKS.ALLOW_HTTP/],
    [{ url: 'ftp://receiver.example' }, '/url', /https:\/\/ URL; got/],
    [{ url: '/hook' }, '/url', /https:\/\/ URL/],
    [{ url: `https://receiver.example/${'x'.repeat(2048)}` }, '/url', /2048/],
    [{ url: 'https://u:p@receiver.example' }, '/url', /credentials/],
    [{ url: 'https://receiver.example/#top' }, '/url', /fragment/],
    [{ url: 'https://127.0.0.1/' }, '/url', /loopback/],
    [{ url: 'https://localhost/' }, '/url', /loopback/],
    [{ url: 'https://2130706433/' }, '/url', /127\.0\.0\.1 is loopback/],
    [{ url: 'https://[::ffff:169.254.169.254]/' }, '/url', /link-local/],
    [{ enabled: true }, '/url', /required/],
    [{ events: ['license.*', 'license.sold', 'nonsense'] }, '/events', /"license.sold", "nonsense"/],
    [{ secret: 'whsec_short' }, '/secret', /24 to 64 bytes/],
    [{ headers: { 'webhook-id': 'x' } }, '/headers', /"webhook-id"/],
    [{ headers: { HOST: 'x' } }, '/headers', /"HOST"/],
    [{ headers: { 'Content-Type': 'x' } }, '/headers', /"Content-Type"/],
    [{ headers: { 'Transfer-Encoding': 'chunked' } }, '/headers', /"Transfer-Encoding"/],
    [{ headers: { 'X Y': 'x' } }, '/headers', /names that HTTP allows/],
    [{ headers: { 'X-A': 'a\r\nX-B: b' } }, '/headers', /printable/],
    [{ headers: { 'X-A': 7 } }, '/headers', /printable/],
    [{ headers: { 'X-A': 'a', 'x-a': 'b' } }, '/headers', /twice/],
    [{ headers: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`x-${n}`, ''])) }, '/headers', /32/],
    [{ colour: 'red' }, '/colour', /not a known field/],
  ])('422: %j', async (body, pointer, detail) => {
    const response = await app.rest('POST', '/webhooks', body);
    expect(response.status).toBe(422);
    expect(response.body.errors).toEqual([
      expect.objectContaining({ pointer, detail: expect.stringMatching(detail) }),
    ]);
  });
});

describe('GET /webhooks', () => {
  it('200: all of them, or the one of a name', async () => {
    await app.rest('POST', '/webhooks', { name: 'Sought' });
    const { body } = await app.rest('GET', '/webhooks');
    expect(body.length).toBeGreaterThan(1);
    expect((await app.rest('GET', '/webhooks?name=Sought')).body).toMatchObject([{ name: 'Sought' }]);
    expect((await app.rest('GET', '/webhooks?name=sought')).body).toEqual([]);
  });

  it('200: who may only read gets no secret and no values of headers', async () => {
    await app.rest('POST', '/webhooks', { name: 'Secretive', secret: SECRET, headers: { 'X-Token': 'abc' } });
    const reader = await app.restAs('licensing:read');
    const { body } = await reader('GET', '/webhooks?name=Secretive');
    expect(body).toMatchObject([{ secret: null, headers: { 'X-Token': '…' } }]);
  });
});

describe('PATCH /webhooks', () => {
  it('204: changes what was sent; the old name finds nothing afterwards', async () => {
    await app.rest('POST', '/webhooks', { name: 'Old', url: URL, events: ['*'] });
    const response = await app.rest('PATCH', '/webhooks', { name: 'Old', new_name: 'New', enabled: false });
    expect(response.status).toBe(204);
    expect(response.text).toBe('');
    expect(await webhook('Old')).toBeUndefined();
    expect(await webhook('New')).toMatchObject({ url: URL, events: ['*'], enabled: false });
    const [entry] = await activityOf(app, response);
    expect(entry).toMatchObject({
      event: 'webhook.updated',
      changes: { name: ['Old', 'New'], enabled: [true, false] },
    });
  });

  it('204: a record that was read and sent back changes nothing, and nothing is logged', async () => {
    await app.rest('POST', '/webhooks', { name: 'Same', url: URL, headers: { 'X-A': 'b' } });
    const before = await webhook('Same');
    const response = await app.rest('PATCH', '/webhooks', before);
    expect(response.status).toBe(204);
    expect(await webhook('Same')).toEqual(before);
    expect(await activityOf(app, response)).toEqual([]);
  });

  it('204: what was to be sent to a target that is disabled is skipped', async () => {
    await app.rest('POST', '/webhooks', { name: 'Off', url: URL, events: ['addon.created'] });
    await app.rest('POST', '/addons', { name: 'Unseen' });
    expect(await deliveriesOf(app, 'Off')).toMatchObject([{ event: 'addon.created', status: 'pending' }]);
    await app.rest('PATCH', '/webhooks', { name: 'Off', enabled: false });
    expect(await deliveriesOf(app, 'Off')).toMatchObject([{ status: 'skipped', next_attempt_at: null }]);
    await app.rest('POST', '/addons', { name: 'Unheard' });
    expect(await deliveriesOf(app, 'Off')).toHaveLength(1);
  });

  it('404 WEBHOOK_NOT_FOUND', async () => {
    const response = await app.rest('PATCH', '/webhooks', { name: 'Nobody' });
    expect(response.status).toBe(404);
    expect(response.body).toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
  });

  it('422: an enabled target keeps its url', async () => {
    await app.rest('POST', '/webhooks', { name: 'Kept', url: URL });
    expect((await app.rest('PATCH', '/webhooks', { name: 'Kept', url: null })).status).toBe(422);
    const both = await app.rest('PATCH', '/webhooks', { name: 'Kept', url: null, enabled: false });
    expect(both.status).toBe(204);
  });
});

describe('DELETE /webhooks', () => {
  it('204: it gets nothing more, and what it got can still be read', async () => {
    await app.rest('POST', '/webhooks', { name: 'Gone', url: URL, events: ['customer.created'] });
    await app.rest('POST', '/customers', { name: 'One' });
    const response = await app.rest('DELETE', '/webhooks', { name: 'Gone' });
    expect(response.status).toBe(204);
    await app.rest('POST', '/customers', { name: 'Two' });
    expect(await deliveriesOf(app, 'Gone')).toMatchObject([{ event: 'customer.created', status: 'skipped' }]);
    expect(await webhook('Gone')).toBeUndefined();
    expect((await app.rest('DELETE', '/webhooks', { name: 'Gone' })).status).toBe(404);
  });
});

describe('POST /webhooks/rotate', () => {
  it('200: the name and a new secret', async () => {
    await app.rest('POST', '/webhooks', { name: 'Rotated', secret: SECRET });
    const response = await app.rest('POST', '/webhooks/rotate', { name: 'Rotated' });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ name: 'Rotated', secret: expect.stringMatching(/^whsec_/) });
    expect(response.body.secret).not.toBe(SECRET);
    expect((await webhook('Rotated')).secret).toBe(response.body.secret);
    expect(await activityOf(app, response)).toMatchObject([{ event: 'webhook.rotated' }]);
  });

  it('404 WEBHOOK_NOT_FOUND', async () => {
    expect((await app.rest('POST', '/webhooks/rotate', { name: 'Nobody' })).status).toBe(404);
  });
});

describe('POST /webhooks/test', () => {
  it('204: one recorded delivery, of a target that is disabled and subscribed to nothing', async () => {
    await app.rest('POST', '/webhooks', { name: 'Tested', url: URL, enabled: false });
    const response = await app.rest('POST', '/webhooks/test', { name: 'Tested' });
    expect(response.status).toBe(204);
    expect(response.text).toBe('');
    expect(await deliveriesOf(app, 'Tested')).toMatchObject([
      { webhook: 'Tested', event: 'webhook.test', status: 'pending', attempts: 0, code: null, error: null },
    ]);
  });

  it('404 WEBHOOK_NOT_FOUND, 409 WEBHOOK_INCOMPLETE without a URL', async () => {
    expect((await app.rest('POST', '/webhooks/test', { name: 'Nobody' })).status).toBe(404);
    await app.rest('POST', '/webhooks', { name: 'Bare' });
    const response = await app.rest('POST', '/webhooks/test', { name: 'Bare' });
    expect(response.status).toBe(409);
    expect(response.body).toMatchObject({ code: 'WEBHOOK_INCOMPLETE' });
  });
});

describe('secrets', () => {
  it('are sealed where they are stored, and never in the activity log or in an event', async () => {
    const headers = { 'X-Token': 'hush-hush-hush' };
    await app.rest('POST', '/webhooks', { name: 'Ear', url: URL, events: ['*', 'webhook.*'] });
    const { body } = await app.rest('POST', '/webhooks', { name: 'Hush', url: URL, secret: SECRET, headers });
    await app.rest('PATCH', '/webhooks', { name: 'Hush', headers: { 'X-Token': 'hush-hush-louder' } });
    await app.rest('POST', '/webhooks/test', { name: 'Hush' });
    const rotated = await app.rest('POST', '/webhooks/rotate', { name: 'Hush' });
    await app.rest('DELETE', '/webhooks', { name: 'Hush' });
    const events = await app.sql<{ body: string }>('select body from webhook_event');
    const rows = await app.sql('select * from webhook');
    const written = (await activityText(app)) + JSON.stringify(events) + JSON.stringify(rows);
    expect(events.some(({ body: text }) => text.includes('"X-Token":"…"'))).toBe(true);
    for (const secret of [body.secret, rotated.body.secret, 'hush-hush'])
      expect(written).not.toContain(secret);
  });
});
