import type { ServerResponse } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { claimDue } from '../../src/licensing/webhooks/delivery/delivery-claim.repository.js';
import type { Dispatcher } from '../../src/licensing/webhooks/delivery/dispatcher.service.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { until } from '../support/embedded-postgres-kit.js';
import { startReceiver } from '../support/webhook-receiver.js';
import type { WebhookReceiver } from '../support/webhook-receiver.js';
import { startTestWorker } from '../support/worker.js';
import { LOOPBACK_ALLOWED, deliveriesOf, startDispatcher } from '../support/webhooks.js';

let app: TestApp;
let receiver: WebhookReceiver;

const started: Dispatcher[] = [];

beforeAll(async () => {
  app = await startApp({ env: LOOPBACK_ALLOWED });
});

beforeEach(async () => {
  receiver = await startReceiver();
});

// Nobody takes what the next test wants to see taken, and nobody is told of what it does.
afterEach(async () => {
  for (const dispatcher of started.splice(0)) await dispatcher.stop();
  await app.sql('update webhook set enabled = false');
  await app.sql('delete from webhook_delivery');
});

const dispatch = (options: Parameters<typeof startDispatcher>[1] = {}) => {
  const dispatcher = startDispatcher(app, options);
  started.push(dispatcher);
  return dispatcher;
};

const target = (name: string, url: string) =>
  app.rest('POST', '/webhooks', { name, url, events: ['license.created'] });

/** So many events, written by few statements. */
const cause = async (count: number) => {
  const { data } = await app.graphql(
    'mutation ($input: CreateLicensesInput!) { createLicenses(input: $input) { count } }',
    { input: { count } },
  );
  expect(data).toEqual({ createLicenses: { count } });
};

const statuses = async (name: string) =>
  Object.fromEntries(
    [...Map.groupBy(await deliveriesOf(app, name), ({ status }) => status)].map(([status, all]) => [
      status,
      all.length,
    ]),
  );

/** Holds every answer back until `release`. */
function hanging(held: WebhookReceiver) {
  const waiting: ServerResponse[] = [];
  held.answer = (res) => {
    waiting.push(res);
  };
  return {
    waiting,
    release: () => {
      held.answer = { status: 204 };
      for (const res of waiting.splice(0)) res.writeHead(204).end();
    },
  };
}

describe('one target that hangs and one that refuses', () => {
  it('hold up no other: it gets all of its own before the first one has answered once', async () => {
    const slow = await startReceiver();
    const held = hanging(slow);
    await target('hangs', slow.url);
    await target('refuses', 'http://127.0.0.1:1/');
    await target('works', receiver.url);
    const dispatcher = dispatch();
    await cause(200);
    await until(() => receiver.calls.length === 200);
    // As many as it may have on its way, and no answer yet.
    expect(held.waiting).toHaveLength(64);
    expect(slow.calls).toHaveLength(64);
    held.release();
    await dispatcher.settle();
    expect(await statuses('hangs')).toEqual({ delivered: 200 });
    expect(await statuses('works')).toEqual({ delivered: 200 });
    expect(await statuses('refuses')).toEqual({ retrying: 200 });
  });
});

describe('a target whose secret can not be unsealed', () => {
  it('says so, and holds up no other', async () => {
    await target('sealed elsewhere', receiver.url);
    await target('fine', receiver.url);
    await app.sql("update webhook set sealed_secret = 'v1.x.y.z' where name = 'sealed elsewhere'");
    await cause(3);
    await dispatch().settle();
    expect(await statuses('fine')).toEqual({ delivered: 3 });
    expect(await deliveriesOf(app, 'sealed elsewhere')).toMatchObject(
      Array.from({ length: 3 }, () => ({ status: 'retrying', error: expect.stringContaining('SECRET_KEY') })),
    );
  });
});

describe('several workers', () => {
  it('share the deliveries: each is sent once', async () => {
    await target('shared', receiver.url);
    await cause(600);
    const dispatchers = [dispatch(), dispatch(), dispatch()];
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.settle()));
    await until(() => receiver.calls.length >= 600);
    for (const dispatcher of dispatchers) await dispatcher.settle();
    expect(await statuses('shared')).toEqual({ delivered: 600 });
    expect(receiver.calls).toHaveLength(600);
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(600);
  });
});

describe('a worker that dies with deliveries in its hands', () => {
  it('delays them until its lease is over; then they are sent under the same id, and it is still that attempt', async () => {
    await target('bereft', receiver.url);
    await cause(3);
    const em = app.orm.em.fork();
    const now = app.clock.now();
    const leaseUntil = new Date(now.getTime() + 60_000);
    const claim = { now, leaseUntil, atHand: new Map<number, never>(), perTargetMax: 64, totalMax: 64 };
    const claimed = await claimDue(em, claim);
    expect(claimed).toHaveLength(3);
    const dispatcher = dispatch();
    await dispatcher.settle();
    expect(receiver.calls).toHaveLength(0);
    app.clock.advance(60_000);
    await dispatcher.settle();
    const ids = receiver.calls.map(({ headers }) => headers['webhook-id']);
    expect(ids.sort()).toEqual(claimed.map(({ eventId }) => eventId).sort());
    expect(await deliveriesOf(app, 'bereft')).toMatchObject(
      claimed.map(() => ({ status: 'delivered', attempts: 1 })),
    );
  });
});

describe('a target that is too slow for what waits for it', () => {
  it('gets it all the same: what can not begin within its lease is given back and claimed again', async () => {
    await target('slow', receiver.url);
    const held = hanging(receiver);
    await cause(100);
    const dispatcher = dispatch();
    await until(() => held.waiting.length === 64);
    app.clock.advance(20_000);
    held.release();
    await dispatcher.settle();
    expect(await statuses('slow')).toEqual({ delivered: 100 });
    const rows = await app.sql(
      'select claim, attempts, count(*)::integer from webhook_delivery group by 1, 2 order by 1',
    );
    expect(rows).toEqual([
      { claim: 2, attempts: 1, count: 64 },
      { claim: 4, attempts: 1, count: 36 },
    ]);
    expect(receiver.calls).toHaveLength(100);
  });
});

describe('a worker that is stopped', () => {
  it('lets end what is on its way, and gives back what has not begun', async () => {
    await target('left', receiver.url);
    const held = hanging(receiver);
    await cause(100);
    const dispatcher = dispatch();
    await until(() => held.waiting.length === 64);
    const stopped = dispatcher.stop();
    // What is given back is to be had at once, while the others still wait for their answers.
    await until(async () => (await statuses('left'))['pending'] === 36);
    expect(await statuses('left')).toEqual({ delivering: 64, pending: 36 });
    held.release();
    await stopped;
    expect(await statuses('left')).toEqual({ delivered: 64, pending: 36 });
    await dispatch().settle();
    expect(await statuses('left')).toEqual({ delivered: 100 });
    expect(await deliveriesOf(app, 'left')).toMatchObject(
      Array.from({ length: 100 }, () => ({ attempts: 1 })),
    );
    expect(receiver.calls).toHaveLength(100);
  });
});

describe('a worker that waits', () => {
  it('is told by the job of a change, which stands in its transaction', async () => {
    await target('told', receiver.url);
    await app.sql('select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))');
    await cause(1);
    expect(await jobs()).toHaveLength(1);
    await startTestWorker(app);
    for (let n = 2; n <= 5; n++) {
      await until(() => receiver.calls.length === n - 1);
      await cause(1);
    }
    await until(() => receiver.calls.length === 5);
    await until(async () => (await jobs()).length === 0);
  });
});

function jobs() {
  return app.sql<{ run_at: Date }>(
    `select run_at from graphile_worker.jobs where task_identifier = 'deliver-webhooks'`,
  );
}
