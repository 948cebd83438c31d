import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { Dispatcher } from '../../src/licensing/webhooks/delivery/dispatcher.service.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { startReceiver } from '../support/webhook-receiver.js';
import type { ReceivedCall, WebhookReceiver } from '../support/webhook-receiver.js';
import { LOOPBACK_ALLOWED, deliveriesOf, startDispatcher } from '../support/webhooks.js';

let app: TestApp;
let dispatcher: Dispatcher;
let receiver: WebhookReceiver;

beforeAll(async () => {
  app = await startApp({
    env: { ...LOOPBACK_ALLOWED, WEBHOOKS_SCHEDULE: '0,5,300,1800' },
  });
  // Receivers check that a signature is of their own time.
  app.clock.set(new Date(Date.now()));
  dispatcher = startDispatcher(app);
});

beforeEach(async () => {
  receiver = await startReceiver();
});

let targets = 0;

/** A target that gets only what `cause` causes. */
async function target(options: Record<string, unknown> = {}) {
  const name = `target-${++targets}`;
  const { body } = await app.rest('POST', '/webhooks', {
    ...{ name, url: receiver.url, events: ['addon.created'] },
    ...options,
  });
  return {
    name,
    secret: body.secret as string,
    cause: async () => {
      const addon = await app.rest('POST', '/addons', { name: `${name}: ${Math.random()}` });
      await app.rest('PATCH', '/webhooks', { name, events: [] });
      await dispatcher.settle();
      return addon;
    },
    deliveries: () => deliveriesOf(app, name),
  };
}

const advance = async (seconds: number) => {
  app.clock.advance(seconds * 1000);
  await dispatcher.settle();
};
const verify = (secret: string, { text, headers }: ReceivedCall) =>
  new Webhook(secret).verify(text, headers as Record<string, string>);
const only = <T>([first, ...others]: readonly T[]): T => {
  if (first === undefined || others.length > 0) throw new Error('Expected exactly one');
  return first;
};

describe('a delivery', () => {
  it('is a POST by Standard Webhooks, with the record as data and the headers of the target', async () => {
    const { cause, secret, deliveries } = await target({ headers: { Authorization: 'Bearer mine' } });
    const addon = await cause();
    const call = only(receiver.calls);
    const delivery = only(await deliveries());
    expect(call).toMatchObject({ method: 'POST', path: '/hook' });
    expect(call.headers).toMatchObject({
      'webhook-id': delivery.event_id,
      'content-type': 'application/json',
      'user-agent': expect.stringContaining('licensing'),
      authorization: 'Bearer mine',
    });
    expect(verify(secret, call)).toEqual({
      id: delivery.event_id,
      type: 'addon.created',
      timestamp: app.clock.now().toISOString(),
      data: addon.body,
    });
    expect(() => verify(secret, { ...call, text: call.text.replace('target', 'tar9et') })).toThrow();
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, code: 204, error: null });
  });

  it('is signed by the old secret too for 24 hours after a rotation', async () => {
    const { name, secret, cause } = await target();
    const { body } = await app.rest('POST', '/webhooks/rotate', { name });
    await cause();
    const during = only(receiver.calls);
    for (const each of [secret, body.secret as string]) verify(each, during);
    expect(during.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    app.clock.advance(24 * 3_600_000);
    await app.rest('PATCH', '/webhooks', { name, events: ['addon.created'] });
    await cause();
    expect(receiver.calls[1]?.headers['webhook-signature']).toMatch(/^v1,\S+$/);
    app.clock.advance(-24 * 3_600_000);
  });

  it('follows the schedule while it fails, ±20 %, with the same id and bytes; the last attempt ends it', async () => {
    receiver.answer = { status: 500, body: 'out of order' };
    const { cause, deliveries } = await target();
    await cause();
    const failed = { status: 'retrying', code: 500, error: 'The answer is HTTP 500' };
    for (const [made, wait] of [
      [1, 5],
      [2, 300],
      [3, 1800],
    ] as const) {
      const delivery = only(await deliveries());
      expect(delivery).toMatchObject({ ...failed, attempts: made });
      const waits = (Date.parse(delivery.next_attempt_at ?? '') - app.clock.now().getTime()) / 1000;
      expect(Math.abs(waits - wait)).toBeLessThanOrEqual(wait * 0.2);
      await advance(waits - 0.001);
      expect(receiver.calls).toHaveLength(made);
      await advance(0.001);
      expect(receiver.calls).toHaveLength(made + 1);
    }
    expect(await deliveries()).toMatchObject([{ status: 'failed', attempts: 4, next_attempt_at: null }]);
    await advance(1_000_000);
    expect(receiver.calls).toHaveLength(4);
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.calls.map(({ text }) => text)).size).toBe(1);
    // Each attempt is signed anew, for its own time.
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(4);
  });

  it('waits as long as Retry-After asks for, up to a day', async () => {
    const { cause, deliveries } = await target();
    const waits = async () => {
      const { next_attempt_at } = only(await deliveries());
      return (Date.parse(next_attempt_at ?? '') - app.clock.now().getTime()) / 1000;
    };
    receiver.answer = { status: 429, headers: { 'retry-after': '1000' } };
    await cause();
    expect(await waits()).toBe(1000);
    const date = new Date(app.clock.now().getTime() + 4_000_000);
    receiver.answer = { status: 503, headers: { 'retry-after': date.toUTCString() } };
    await advance(1000);
    expect(Math.abs((await waits()) - 3000)).toBeLessThan(1);
    receiver.answer = { status: 503, headers: { 'retry-after': '999999' } };
    await advance(3000);
    expect(await waits()).toBe(86_400);
  });

  it.each([301, 302, 307, 308])('fails at a redirect (%d), which is not followed', async (status) => {
    receiver.answer = (res, { path }) => {
      res.writeHead(path === '/hook' ? status : 204, { location: '/elsewhere' }).end();
    };
    const { cause, deliveries } = await target();
    await cause();
    expect(receiver.calls.map(({ path }) => path)).toEqual(['/hook']);
    expect(await deliveries()).toMatchObject([
      { status: 'retrying', code: status, error: expect.stringContaining('redirects are not followed') },
    ]);
  });

  it.each([200, 201, 202, 204, 299])('has arrived with %d', async (status) => {
    receiver.answer = { status };
    const { cause, deliveries } = await target();
    await cause();
    expect(await deliveries()).toMatchObject([{ status: 'delivered', code: status }]);
  });

  it('is tried again when there is no answer, and no connection', async () => {
    const { name, cause, deliveries } = await target();
    receiver.answer = (res) => res.destroy();
    await cause();
    expect(await deliveries()).toMatchObject([
      { status: 'retrying', code: null, error: expect.stringContaining('closed') },
    ]);
    await app.rest('PATCH', '/webhooks', { name, url: 'http://127.0.0.1:1/' });
    await advance(6);
    expect(await deliveries()).toMatchObject([
      { status: 'retrying', attempts: 2, code: null, error: 'The connection was refused (ECONNREFUSED)' },
    ]);
    receiver.answer = { status: 204 };
    await app.rest('PATCH', '/webhooks', { name, url: receiver.url });
    await advance(360);
    expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 3 }]);
  });

  it('is tried again when the answer does not come in time', async () => {
    const impatient = await startApp({ env: { ...LOOPBACK_ALLOWED, WEBHOOKS_TIMEOUT: '1' } });
    receiver.answer = () => undefined;
    await impatient.rest('POST', '/webhooks', { name: 'hangs', url: receiver.url, events: ['*'] });
    await impatient.rest('POST', '/addons', { name: 'A' });
    await startDispatcher(impatient).settle();
    expect(await deliveriesOf(impatient, 'hangs')).toMatchObject([
      { status: 'retrying', code: null, error: 'No answer within 1 s' },
    ]);
  });

  it('keeps the first 2 KiB of each answer, whatever is in it', async () => {
    const { name, cause } = await target();
    receiver.answer = { status: 500, body: `\u0000é${'x'.repeat(5000)}` };
    await cause();
    receiver.answer = { status: 200, body: 'thanks' };
    await advance(6);
    const { data } = await app.graphql(
      `query ($webhook: String!) { webhookDeliveries(first: 9, filter: { webhook: $webhook }) { nodes {
         status webhook { name } body
         attemptLog { code error answer durationMs at }
       } } }`,
      { webhook: name },
    );
    const { attemptLog, ...delivery } = only(data.webhookDeliveries.nodes as { attemptLog: unknown }[]);
    expect(delivery).toEqual({ status: 'delivered', webhook: { name }, body: receiver.calls[0]?.text });
    expect(attemptLog).toEqual([
      {
        code: 500,
        error: 'The answer is HTTP 500',
        answer: `\ufffdé${'x'.repeat(2045)}`,
        durationMs: expect.any(Number),
        at: expect.any(String),
      },
      expect.objectContaining({ code: 200, error: null, answer: 'thanks' }),
    ]);
  });

  it('does not read an endless answer', async () => {
    receiver.answer = (res) => {
      res.writeHead(200);
      const more = () => {
        while (res.write('x'.repeat(64 * 1024)));
        res.once('drain', more);
      };
      more();
    };
    const { cause, deliveries } = await target();
    await cause();
    expect(await deliveries()).toMatchObject([{ status: 'delivered', code: 200 }]);
  });
});
