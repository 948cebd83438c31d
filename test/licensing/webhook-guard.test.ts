import { beforeAll, describe, expect, it } from '@jest/globals';
import type { LookupAddress } from 'node:dns';
import type { Dispatcher } from '../../src/licensing/webhooks/delivery/dispatcher.service.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { startReceiver } from '../support/webhook-receiver.js';
import type { WebhookReceiver } from '../support/webhook-receiver.js';
import { deliveriesOf, startDispatcher } from '../support/webhooks.js';

/*
 * Names are resolved here by a table in place of DNS; connections are real. The receiver on loopback stands for what
 * must not be reached: only 127.0.0.77 is allowed, and is the same receiver.
 */

const ALLOWED = '127.0.0.77';

let app: TestApp;
let dispatcher: Dispatcher;
let receiver: WebhookReceiver;
let port: string;
let asked: string[];

/** What each name is, by the number of the question. */
const NAMES: Readonly<Record<string, (question: number) => readonly string[]>> = {
  'good.example': () => [ALLOWED],
  'loopback.example': () => ['127.0.0.1'],
  'private.example': () => ['10.0.0.1'],
  'metadata.example': () => ['169.254.169.254'],
  'mapped.example': () => ['::ffff:127.0.0.1'],
  'second.example': () => [ALLOWED, '10.0.0.1'],
  'changing.example': (question) => [question === 1 ? ALLOWED : '127.0.0.1'],
  'nowhere.example': () => [],
};

beforeAll(async () => {
  app = await startApp({
    env: { WEBHOOKS_ALLOW_HTTP: 'true', WEBHOOKS_ALLOWED_NETWORKS: ALLOWED, WEBHOOKS_SCHEDULE: '0,5' },
  });
  asked = [];
  dispatcher = startDispatcher(app, {
    resolve: (host, callback) => {
      asked.push(host);
      const question = asked.filter((name) => name === host).length;
      const addresses = NAMES[host]?.(question) ?? [];
      callback(
        null,
        addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    },
  });
  receiver = await startReceiver({ host: '0.0.0.0' });
  ({ port } = new URL(receiver.url));
});

let targets = 0;

/** The deliveries of a new target after one event, by what became of the first attempt. */
async function deliverTo(host: string) {
  const name = `target-${++targets}`;
  const url = `http://${host}:${port}/hook`;
  const created = await app.rest('POST', '/webhooks', { name, url, events: ['addon.created'] });
  if (created.status !== 201) return { created, name, delivery: undefined };
  await app.rest('POST', '/addons', { name });
  await app.rest('PATCH', '/webhooks', { name, events: [] });
  await dispatcher.settle();
  return { created, name, delivery: (await deliveriesOf(app, name))[0] };
}

describe('what must not be called', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1 is loopback'],
    ['2130706433', '127.0.0.1 is loopback'],
    ['0x7f000001', '127.0.0.1 is loopback'],
    ['0177.0.0.1', '127.0.0.1 is loopback'],
    ['127.1', '127.0.0.1 is loopback'],
    ['0', '0.0.0.0 is unspecified'],
    ['169.254.169.254', '169.254.169.254 is link-local'],
    ['[::1]', '::1 is loopback'],
    ['[::]', ':: is unspecified'],
    ['[::ffff:169.254.169.254]', 'is link-local'],
    ['[::ffff:7f00:1]', 'is loopback'],
    ['[64:ff9b::a00:1]', 'is private'],
    ['[fd00::1]', 'fd00::1 is private'],
    ['[fe80::1]', 'is link-local'],
    ['localhost', 'localhost is 127.0.0.1, which is loopback'],
    ['anything.localhost', 'loopback'],
    ['localhost.', 'loopback'],
  ])('422: http://%s', async (host, detail) => {
    const { created } = await deliverTo(host);
    expect(created.status).toBe(422);
    expect(created.body.errors).toEqual([
      expect.objectContaining({ pointer: '/url', detail: expect.stringContaining(detail) }),
    ]);
  });

  it.each([
    ['loopback.example', 'loopback.example is 127.0.0.1, which is loopback'],
    ['private.example', 'private.example is 10.0.0.1, which is private'],
    ['metadata.example', 'metadata.example is 169.254.169.254, which is link-local'],
    ['mapped.example', 'loopback'],
    ['second.example', 'second.example is 10.0.0.1, which is private'],
    ['nowhere.example', 'The name has no address'],
  ])('a name that leads there is refused when it is called, and recorded: %s', async (host, error) => {
    const before = receiver.calls.length;
    const { delivery } = await deliverTo(host);
    expect(delivery).toMatchObject({ status: 'retrying', code: null, error: expect.stringContaining(error) });
    expect(receiver.calls).toHaveLength(before);
  });

  it('a name that was good once is asked and looked at again with the next connection', async () => {
    receiver.answer = { status: 500, headers: { connection: 'close' } };
    const { name, delivery } = await deliverTo('changing.example');
    expect(delivery).toMatchObject({ status: 'retrying', code: 500 });
    const before = receiver.calls.length;
    app.clock.advance(10_000);
    await dispatcher.settle();
    expect((await deliveriesOf(app, name))[0]).toMatchObject({
      status: 'failed',
      code: null,
      error: expect.stringContaining('changing.example is 127.0.0.1'),
    });
    expect(receiver.calls).toHaveLength(before);
    receiver.answer = { status: 204 };
  });

  it('a redirect leads nowhere', async () => {
    const location = `http://127.0.0.1:${port}/inside`;
    receiver.answer = { status: 302, headers: { location } };
    const { delivery } = await deliverTo('good.example');
    expect(delivery).toMatchObject({ status: 'retrying', code: 302 });
    expect(receiver.calls.map(({ path }) => path)).not.toContain('/inside');
    receiver.answer = { status: 204 };
  });

  it('a target that was allowed when it was written is not when it is called', async () => {
    const name = 'written before';
    await app.rest('POST', '/webhooks', {
      name,
      url: `http://${ALLOWED}:${port}/`,
      events: ['addon.created'],
    });
    await app.sql('update webhook set url = $1, version = version + 1 where name = $2', [
      `http://127.0.0.1:${port}/`,
      name,
    ]);
    const before = receiver.calls.length;
    await app.rest('POST', '/addons', { name });
    await dispatcher.settle();
    expect(await deliveriesOf(app, name)).toMatchObject([
      { status: 'retrying', error: 'The address is refused: 127.0.0.1 is loopback' },
    ]);
    expect(receiver.calls).toHaveLength(before);
    await app.rest('DELETE', '/webhooks', { name });
  });
});

describe('what may be called', () => {
  it.each([[ALLOWED], ['good.example']])('an address of an allowed network: %s', async (host) => {
    const before = receiver.calls.length;
    const { delivery } = await deliverTo(host);
    expect(delivery).toMatchObject({ status: 'delivered', code: 204 });
    // The name stays the name: only the connection goes to the address that was checked.
    expect(receiver.calls.slice(before).map(({ headers }) => headers.host)).toEqual([`${host}:${port}`]);
  });
});
