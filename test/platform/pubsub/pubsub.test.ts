import { beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createMetrics } from '../../../src/platform/metrics.js';
import { PubSub } from '../../../src/platform/pubsub/pubsub.js';
import { closeAfterwards, createDatabase, query } from '../../support/database.js';
import { until } from '../../support/embedded-postgres-kit.js';
import { createUnsteadyDatabase } from '../../support/unsteady-database.js';

let url: string;
const log = pino({ level: 'silent' });

beforeAll(async () => {
  url = await createDatabase();
});

function pubsub(at = url) {
  const metrics = createMetrics();
  const made = new PubSub({ url: at, log, metrics });
  closeAfterwards(() => made.close());
  const cut = async () => (await metrics.subscriptionsCut.get()).values.filter(({ value }) => value > 0);
  return { made, cut };
}

async function tell(topics: string[], payload: unknown, at = url): Promise<void> {
  await query(at, 'select notify_live($1::text[], $2::jsonb)', [topics, JSON.stringify(payload)]);
}

const connections = () =>
  query(
    url,
    "select 1 from pg_stat_activity where application_name = 'licensing-live' and datname = current_database()",
  );

describe('subscribe', () => {
  it('connects with the first subscriber, and once for all', async () => {
    const { made } = pubsub();
    expect(await connections()).toEqual([]);
    await Promise.all(['a', 'b', 'a'].map((topic) => made.subscribe(topic)));
    expect(await connections()).toHaveLength(1);
    await made.close();
    await until(async () => (await connections()).length === 0);
  });

  it('gives the messages of its topic, in order, to each subscriber and each process', async () => {
    const [one, two] = [pubsub().made, pubsub().made];
    const first = await one.subscribe<{ n: number }>('orders');
    const second = await one.subscribe<{ n: number }>('orders');
    const elsewhere = await two.subscribe<{ n: number }>('orders');
    for (let n = 1; n <= 3; n++) {
      await tell(['others'], { n: -n });
      await tell(['orders', 'others'], { n });
    }
    for (const messages of [first, second, elsewhere]) {
      for (let n = 1; n <= 3; n++) expect(await messages.next()).toEqual({ done: false, value: { n } });
    }
  });

  it('a topic that was not kept live for a while: whoever had subscribed has a gap, and is cut', async () => {
    const [one, two] = [pubsub(), pubsub()];
    const [late, lateElsewhere] = [await one.made.subscribe('kept'), await two.made.subscribe('kept')];
    await query(url, "update live_topic set expires_at = clock_timestamp() where topic = 'kept'");
    await tell(['kept'], 'missed');
    // Whoever subscribes makes it live again.
    const next = await one.made.subscribe('kept');
    await expect(late.next()).rejects.toMatchObject({ code: 'RESYNC_NEEDED' });
    await tell(['kept'], 'not missed');
    expect(await next.next()).toEqual({ done: false, value: 'not missed' });
    // Where nobody new subscribes, it shows at the next refresh.
    await two.made.subscribe('kept');
    await expect(lateElsewhere.next()).rejects.toMatchObject({ code: 'RESYNC_NEEDED' });
    expect(await two.cut()).toEqual([{ value: 1, labels: { reason: 'RESYNC_NEEDED' } }]);
  });

  it('a topic that is kept live by one gateway has no gap for another', async () => {
    const [one, two] = [pubsub().made, pubsub().made];
    const messages = await one.subscribe('shared');
    await two.subscribe('shared');
    await one.subscribe('shared');
    await tell(['shared'], 1);
    expect(await messages.next()).toEqual({ done: false, value: 1 });
  });

  it('return() ends whoever waits, at once, and none of the others', async () => {
    const { made } = pubsub();
    const [left, stays] = [await made.subscribe('ends'), await made.subscribe('ends')];
    const waiting = left.next();
    await left.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    await tell(['ends'], 'still here');
    expect(await stays.next()).toEqual({ done: false, value: 'still here' });
    const last = stays.next();
    await made.close();
    expect(await last).toEqual({ done: true, value: undefined });
    await expect(made.subscribe('ends')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

describe('a subscriber that takes nothing', () => {
  it('is cut after 10,000 messages with SUBSCRIBER_TOO_SLOW, and the others get them all', async () => {
    const { made, cut } = pubsub();
    const [slow, quick] = [await made.subscribe<number>('flood'), await made.subscribe<number>('flood')];
    const taken: number[] = [];
    const flood = "select notify_live(array['flood'], to_jsonb(n)) from generate_series($1::integer, $2) n";
    for (const [from, to] of [
      [1, 9_000],
      [9_001, 11_000],
    ] as const) {
      await query(url, flood, [from, to]);
      while (taken.length < to) taken.push((await quick.next()).value as number);
    }
    expect(taken).toEqual(Array.from({ length: 11_000 }, (_, n) => n + 1));
    // What it had not taken is gone: with a gap, the rest would be worth nothing.
    await expect(slow.next()).rejects.toMatchObject({ code: 'SUBSCRIBER_TOO_SLOW' });
    expect(await slow.next()).toEqual({ done: true, value: undefined });
    expect(await cut()).toEqual([{ value: 1, labels: { reason: 'SUBSCRIBER_TOO_SLOW' } }]);
  });
});

describe('a connection that breaks', () => {
  it('cuts with RESYNC_NEEDED once it is back; until then, UNAVAILABLE for whoever subscribes', async () => {
    const database = await createUnsteadyDatabase();
    const { made, cut } = pubsub(database.url);
    const messages = await made.subscribe('steady');
    const waiting = messages.next();
    await database.goAway();
    await until(() =>
      made.subscribe('steady').then(
        () => false,
        (error: unknown) => (error as { code: string }).code === 'UNAVAILABLE',
      ),
    );
    await tell(['steady'], 'missed', database.directUrl);
    await database.comeBack();
    await expect(waiting).rejects.toMatchObject({ code: 'RESYNC_NEEDED' });
    expect(await cut()).toEqual([{ value: 1, labels: { reason: 'RESYNC_NEEDED' } }]);
    const again = await made.subscribe('steady');
    await tell(['steady'], 'not missed', database.directUrl);
    expect(await again.next()).toEqual({ done: false, value: 'not missed' });
  });

  it('that never was: the subscriber gets the error, and the next one a connection', async () => {
    const database = await createUnsteadyDatabase();
    await database.goAway();
    const { made } = pubsub(database.url);
    await expect(made.subscribe('late')).rejects.toThrow();
    await database.comeBack();
    const messages = await made.subscribe('late');
    await tell(['late'], 1, database.directUrl);
    expect(await messages.next()).toEqual({ done: false, value: 1 });
  });
});
