import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Dispatcher } from '../../src/licensing/webhooks/delivery/dispatcher.service.js';
import { activityOf } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { startReceiver } from '../support/webhook-receiver.js';
import type { WebhookReceiver } from '../support/webhook-receiver.js';
import { LOOPBACK_ALLOWED, deliveriesOf, startDispatcher } from '../support/webhooks.js';
import type { ListedDelivery } from '../support/webhooks.js';
import { runTasks, startTestWorker } from '../support/worker.js';

let app: TestApp;
let dispatcher: Dispatcher;
let receiver: WebhookReceiver;
let watcher: WebhookReceiver;

const DAY = 86_400_000;

beforeAll(async () => {
  app = await startApp({ env: { ...LOOPBACK_ALLOWED, WEBHOOKS_SCHEDULE: '0,3600' } });
  dispatcher = startDispatcher(app);
  watcher = await startReceiver();
  await app.rest('POST', '/webhooks', { name: 'watcher', url: watcher.url, events: ['webhook.disabled'] });
});

beforeEach(async () => {
  receiver = await startReceiver();
});

let targets = 0;

async function target(options: Record<string, unknown> = {}): Promise<string> {
  const name = `target-${++targets}`;
  await app.rest('POST', '/webhooks', { name, url: receiver.url, events: ['addon.created'], ...options });
  return name;
}

const cause = async () => {
  await app.rest('POST', '/addons', { name: `${Math.random()}` });
  await dispatcher.settle();
};
const deafen = (name: string) => app.rest('PATCH', '/webhooks', { name, events: [] });
const webhook = async (name: string) => (await app.rest('GET', `/webhooks?name=${name}`)).body[0];
const retry = (body: unknown) => app.rest('POST', '/webhooks/deliveries/retry', body);
const retryMany = async (filter: Record<string, unknown>) => {
  const { data, errors } = await app.graphql(
    'mutation ($filter: WebhookDeliveryFilter!) { retryWebhookDeliveries(filter: $filter) { retried } }',
    { filter },
  );
  return errors[0]?.extensions['code'] ?? (data.retryWebhookDeliveries.retried as number);
};

describe('a target that says 410', () => {
  it('is disabled, what it was still to get is skipped, and webhook.disabled is sent to others', async () => {
    const name = await target();
    receiver.answer = { status: 503 };
    await cause();
    receiver.answer = { status: 410 };
    await cause();
    expect(await webhook(name)).toMatchObject({ enabled: false });
    expect(await deliveriesOf(app, name)).toMatchObject([
      { status: 'skipped', code: 503, attempts: 1 },
      { status: 'failed', code: 410, attempts: 1, next_attempt_at: null },
    ]);
    await dispatcher.settle();
    const record = { ...(await webhook(name)) };
    delete record.secret;
    expect(watcher.of('webhook.disabled').map(({ data }) => data)).toEqual([{ ...record, reason: 'GONE' }]);
    const [entry] = await app.sql("select actor, changes from activity where event = 'webhook.disabled'");
    expect(entry).toEqual({ actor: 'test', changes: { enabled: [true, false] } });
  });
});

describe('a target that has only failed', () => {
  it('is disabled after five days, and not before; a success in between starts over', async () => {
    const name = await target();
    const failing = async () => {
      const { rows } = { rows: await app.sql('select failing_since from webhook where name = $1', [name]) };
      return (rows[0] as { failing_since: Date | null }).failing_since;
    };
    receiver.answer = { status: 500 };
    await cause();
    app.clock.advance(4.9 * DAY);
    receiver.answer = { status: 200 };
    await cause();
    expect(await failing()).toBeNull();
    receiver.answer = { status: 500 };
    await cause();
    app.clock.advance(4.9 * DAY);
    await cause();
    expect(await webhook(name)).toMatchObject({ enabled: true });
    app.clock.advance(0.1 * DAY);
    await cause();
    expect(await webhook(name)).toMatchObject({ enabled: false });
    await dispatcher.settle();
    expect(watcher.of('webhook.disabled').at(-1).data).toMatchObject({ name, reason: 'FAILING' });
  });

  it('has five days again once it is enabled', async () => {
    const name = await target();
    receiver.answer = { status: 500 };
    await cause();
    app.clock.advance(6 * DAY);
    await cause();
    expect(await webhook(name)).toMatchObject({ enabled: false });
    await app.rest('PATCH', '/webhooks', { name, enabled: true });
    await cause();
    expect(await webhook(name)).toMatchObject({ enabled: true });
    await deafen(name);
  });
});

describe('POST /webhooks/test', () => {
  it('sends one webhook.test to a disabled target, which is tried once and stays disabled', async () => {
    const name = await target({ enabled: false });
    await app.rest('POST', '/webhooks/test', { name });
    await dispatcher.settle();
    expect(receiver.calls).toHaveLength(1);
    expect(receiver.calls[0]?.body).toMatchObject({ type: 'webhook.test', data: { name, enabled: false } });
    receiver.answer = { status: 500 };
    await app.rest('POST', '/webhooks/test', { name });
    await dispatcher.settle();
    expect(await deliveriesOf(app, name)).toMatchObject([
      { event: 'webhook.test', status: 'delivered' },
      { event: 'webhook.test', status: 'failed', attempts: 1, code: 500 },
    ]);
    expect(await webhook(name)).toMatchObject({ enabled: false });
  });
});

describe('POST /webhooks/deliveries/retry', () => {
  it('200: sends what failed again, under the same webhook-id and on a fresh schedule', async () => {
    const name = await target();
    receiver.answer = { status: 500 };
    await cause();
    app.clock.advance(5_000_000);
    await dispatcher.settle();
    const [failed] = await deliveriesOf(app, name);
    expect(failed).toMatchObject({ status: 'failed', attempts: 2 });
    const response = await retry({ id: failed?.id });
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ id: failed?.id, webhook: name, status: 'pending', attempts: 0 });
    await dispatcher.settle();
    expect(await deliveriesOf(app, name)).toMatchObject([
      { id: failed?.id, status: 'retrying', attempts: 1 },
    ]);
    receiver.answer = { status: 200 };
    app.clock.advance(5_000_000);
    await dispatcher.settle();
    expect(await deliveriesOf(app, name)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
    expect(
      new Set(receiver.calls.map(({ headers, text }) => `${String(headers['webhook-id'])} ${text}`)).size,
    ).toBe(1);
    expect(receiver.calls).toHaveLength(4);
    await deafen(name);
  });

  it('409 WEBHOOK_DISABLED: its target could not get it', async () => {
    const name = await target();
    await cause();
    await app.rest('PATCH', '/webhooks', { name, enabled: false });
    const [delivery] = await deliveriesOf(app, name);
    const response = await retry({ id: delivery?.id });
    expect(response.status).toBe(409);
    expect(response.body).toMatchObject({ code: 'WEBHOOK_DISABLED', detail: expect.stringContaining(name) });
    expect(await deliveriesOf(app, name)).toMatchObject([{ status: 'delivered' }]);
  });

  it('409 IN_USE: it has not ended', async () => {
    const name = await target();
    receiver.answer = { status: 500 };
    await cause();
    const [delivery] = await deliveriesOf(app, name);
    const response = await retry({ id: delivery?.id });
    expect(response.status).toBe(409);
    expect(response.body).toMatchObject({ code: 'IN_USE', detail: expect.stringContaining('retrying') });
    await app.rest('DELETE', '/webhooks', { name });
  });

  it('404 WEBHOOK_DELIVERY_NOT_FOUND, 422 without an id', async () => {
    const response = await retry({ id: 999_999_999 });
    expect(response.status).toBe(404);
    expect(response.body).toMatchObject({ code: 'WEBHOOK_DELIVERY_NOT_FOUND' });
    expect((await retry({})).status).toBe(422);
  });
});

describe('retryWebhookDeliveries', () => {
  it('sends again all that has ended of what the filter finds', async () => {
    const name = await target();
    await cause();
    receiver.answer = { status: 410 };
    await cause();
    await app.rest('PATCH', '/webhooks', { name, enabled: true });
    receiver.answer = { status: 200 };
    expect(await retryMany({ webhook: name, status: 'failed' })).toBe(1);
    await dispatcher.settle();
    expect(await deliveriesOf(app, name)).toMatchObject([{ status: 'delivered' }, { status: 'delivered' }]);
    const ids = (await deliveriesOf(app, name)).map(({ id }) => id);
    expect(await retryMany({ ids: [...ids, 999_999_999] })).toBe(2);
    await dispatcher.settle();
    expect(receiver.calls).toHaveLength(5);
    await deafen(name);
  });

  it('INVALID_FIELD: nothing is asked for, or too much', async () => {
    expect(await retryMany({})).toBe('INVALID_FIELD');
    expect(await retryMany({ ids: Array.from({ length: 1001 }, (_, n) => n) })).toBe('INVALID_FIELD');
  });
});

describe('GET /webhooks/deliveries', () => {
  it('200: as documented, by target, event and status', async () => {
    const name = await target({ events: ['addon.created', 'customer.created'] });
    await cause();
    receiver.answer = { status: 500 };
    await app.rest('POST', '/customers', { name: `${Math.random()}` });
    await dispatcher.settle();
    const all = await app.rest('GET', `/webhooks/deliveries?webhook=${name}`);
    expect(all.body).toMatchObject([
      { webhook: name, event: 'addon.created', status: 'delivered', attempts: 1, code: 204, error: null },
      { webhook: name, event: 'customer.created', status: 'retrying', attempts: 1, code: 500 },
    ]);
    const events = async (query: string) => {
      const { body } = await app.rest('GET', `/webhooks/deliveries?webhook=${name}&${query}`);
      return (body as { event: string }[]).map(({ event }) => event);
    };
    expect(await events('event=customer.created')).toEqual(['customer.created']);
    expect(await events('status=delivered')).toEqual(['addon.created']);
    const byEvent = async (eventId: string) => {
      const { data } = await app.graphql(
        'query ($id: String!) { webhookDeliveries(filter: { eventId: $id }) { nodes { eventId event } } }',
        { id: eventId },
      );
      return data.webhookDeliveries.nodes as unknown;
    };
    const [first] = all.body as [ListedDelivery];
    expect(await byEvent(first.event_id)).toEqual([{ eventId: first.event_id, event: 'addon.created' }]);
    for (const nobody of [first.event_id.replace(/.$/, 'x'), 'evt_', ''])
      expect(await byEvent(nobody)).toEqual([]);
    const page = await app.rest('GET', `/webhooks/deliveries?webhook=${name}&limit=1`);
    expect(page.body).toHaveLength(1);
    expect(page.headers['link']).toContain('rel="next"');
    await app.rest('DELETE', '/webhooks', { name });
  });
});

describe('the job forget-deliveries', () => {
  it('forgets what ended before the retention, and deleted targets with it; not what is still on its way', async () => {
    await startTestWorker(app);
    const name = await target();
    await cause();
    await deafen(name);
    const open = await target();
    receiver.answer = { status: 500, headers: { 'retry-after': '86400' } };
    await cause();
    await app.rest('DELETE', '/webhooks', { name });
    await app.sql("update webhook_delivery set due_at = '2100-01-01' where due_at is not null");
    app.clock.advance(31 * DAY);
    await runTasks(app, 'forget-deliveries');
    expect(await deliveriesOf(app, name)).toEqual([]);
    expect(await deliveriesOf(app, open)).toHaveLength(1);
    expect(await app.sql('select from webhook where deleted_at is not null')).toEqual([]);
    const events = () => app.sql('select from webhook_event');
    expect(await events()).not.toEqual([]);
    app.clock.advance(7 * DAY);
    await runTasks(app, 'forget-deliveries');
    expect(await events()).toEqual([]);
  });
});

describe('a change of webhooks', () => {
  it('leaves an activity entry with who did it', async () => {
    const response = await app.rest('POST', '/webhooks/test', { name: await target() });
    expect(await activityOf(app, response)).toMatchObject([{ event: 'webhook.test', actor: 'api_key:*' }]);
  });
});
