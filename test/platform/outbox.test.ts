import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { botEvents } from '../../src/bot/events.js';
import { licensingEvents } from '../../src/licensing/events.js';
import { SUBSCRIPTION_WORDS } from '../../src/licensing/webhooks/webhook-subscription.rules.js';
import { dataTogether, emitEvent, emitEvents } from '../../src/platform/events/emit.js';
import type { Emission, EventData } from '../../src/platform/events/emit.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { recordStatements } from '../support/statements.js';
import type { StatementRecorder } from '../support/statements.js';

let app: TestApp;
let statements: StatementRecorder;

beforeAll(async () => {
  app = await startApp();
  statements = await recordStatements(app.orm);
});

beforeEach(async () => {
  for (const table of ['webhook', 'webhook_event', 'webhook_delivery', 'activity'])
    await app.sql(`delete from ${table}`);
});

const resource = { type: 'thing', id: '1' };
const target = (name: string, events: string[], enabled = true) =>
  app.rest('POST', '/webhooks', { name, url: 'https://receiver.example', events, enabled });
const emitted = (event: string, data: EventData = {}) =>
  app.orm.em.fork().transactional((em) => emitEvent(em, app.ctx, event, { resource, data }));
const deliveries = () =>
  app.sql<{ name: string; event: string; body: string }>(
    `select w.name, d.event, e.body from webhook_delivery d
       join webhook w on w.id = d.webhook_id join webhook_event e on e.id = d.event_id order by d.id`,
  );
const told = async () => (await deliveries()).map(({ name, event }) => `${name} ${event}`);

describe('what can be subscribed to', () => {
  it('is every event that is announced, but for changes of the targets themselves', () => {
    const untold = ['webhook.created', 'webhook.updated', 'webhook.deleted', 'webhook.rotated'];
    const announced = [...licensingEvents, ...botEvents].filter((name) => !untold.includes(name));
    const names = [...SUBSCRIPTION_WORDS].filter((word) => !word.endsWith('*'));
    expect(names.sort()).toEqual(announced.sort());
  });
});

describe('who is told', () => {
  it.each([
    ['license.created', ['*', 'license.*', 'license.created']],
    ['product.deleted', ['*', 'product.*', 'product.deleted']],
    // What every validation causes must be named.
    ['session.opened', ['session.*', 'session.opened']],
    ['license.validation.failed', ['license.validation.*', 'license.validation.failed']],
    ['bot.started', ['*', 'bot.*', 'bot.started']],
  ])('%s: targets with %j in their list', async (event, words) => {
    // A target for each word there is.
    await app.sql(
      `insert into webhook (name, url, events, enabled, sealed_headers, sealed_secret, created_at, updated_at)
       select word, 'https://receiver.example', array[word], true, '', '', now(), now() from unnest($1::text[]) word`,
      [[...SUBSCRIPTION_WORDS]],
    );
    await emitted(event);
    expect((await told()).sort()).toEqual(words.map((word) => `${word} ${event}`).sort());
  });

  it('session.opened: of sessions that one statement opens, each once', async () => {
    await target('sessions', ['session.opened']);
    const { key } = await app.seed.license();
    const identifiers = Array.from({ length: 24 }, (_, n) => `seat ${n % 12}`);
    const verdicts = await Promise.all(
      identifiers.map((identifier) =>
        app.anonymous('POST', '/licenses/validate', { license_key: key, identifier }),
      ),
    );
    const tokens = verdicts.map(({ body }) => (body as { session: { token: string } }).session.token);
    const opened = (await deliveries()).map(
      ({ body }) => (JSON.parse(body) as { data: { token: string } }).data.token,
    );
    expect(opened).toHaveLength(12);
    expect(new Set(opened)).toEqual(new Set(tokens));
  });

  it('each target once, whatever its list; disabled and deleted ones not', async () => {
    await target('all', ['*', 'license.*', 'license.created']);
    await target('off', ['*'], false);
    await target('gone', ['*']);
    await app.rest('DELETE', '/webhooks', { name: 'gone' });
    await app.sql('delete from webhook_event');
    await app.sql('delete from webhook_delivery');
    await emitted('license.created');
    expect(await told()).toEqual(['all license.created']);
  });

  it('nobody: the activity entry is all that is written', async () => {
    await target('other', ['product.*']);
    await app.sql('delete from activity');
    await emitted('license.created');
    expect(await app.sql('select event from activity')).toEqual([{ event: 'license.created' }]);
    expect(await app.sql('select from webhook_event')).toEqual([]);
  });
});

describe('what is told', () => {
  it('is one event for all targets, whose body is the data byte for byte', async () => {
    await target('a', ['*']);
    await target('b', ['*']);
    const data = fc.jsonValue({ maxDepth: 3 }).map((value) => ({ z: value, a: 1.5, 'é\n"\\': null }));
    await fc.assert(
      fc.asyncProperty(data, async (value) => {
        await app.sql('delete from webhook_delivery');
        await emitted('license.created', value);
        const rows = await deliveries();
        expect(rows.map(({ name }) => name)).toEqual(['a', 'b']);
        const [body, same] = rows.map((row) => row.body);
        expect(same).toBe(body);
        const { id, timestamp } = JSON.parse(body ?? '') as { id: string; timestamp: string };
        expect(body).toBe(JSON.stringify({ id, type: 'license.created', timestamp, data: value }));
        expect(timestamp).toBe(app.clock.now().toISOString());
      }),
      { numRuns: 30 },
    );
  });

  it('is nothing of a transaction that is rolled back', async () => {
    await target('a', ['*']);
    await app.sql('delete from activity');
    const rolledBack = app.orm.em.fork().transactional(async (em) => {
      await emitEvent(em, app.ctx, 'license.created', { resource, data: {} });
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    expect(await told()).toEqual([]);
    expect(await app.sql('select from activity')).toEqual([]);
  });

  it('has ids that are unique and sort by time', async () => {
    await target('a', ['*']);
    for (let n = 0; n < 20; n++) {
      await emitted('license.created', { n });
      app.clock.advance(1);
    }
    const rows = await app.sql<{ id: string; body: string }>(
      'select id, body from webhook_event order by id',
    );
    expect(rows.map(({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n)).toEqual(
      Array.from({ length: 20 }, (_, n) => n),
    );
    expect(rows.every(({ id }) => /^evt_[0-9a-f]{32}$/.test(id))).toBe(true);
  });
});

describe('many emissions', () => {
  const many = (data: (n: number) => NonNullable<Emission['data']>): Emission[] =>
    Array.from({ length: 1000 }, (_, n) => ({ resource: { type: 'thing', id: String(n) }, data: data(n) }));
  /** How many statements it took. */
  const emitMany = async (emissions: readonly Emission[]) => {
    const work = () => emitEvents(app.orm.em.fork(), app.ctx, 'license.created', emissions);
    return (await statements.during(work)).length;
  };

  it('are one statement, and keep their order', async () => {
    await target('a', ['*']);
    await app.sql('delete from webhook_delivery');
    expect(await emitMany(many((n) => ({ n })))).toBe(1);
    const ids = (await deliveries()).map(({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n);
    expect(ids).toEqual(Array.from({ length: 1000 }, (_, n) => n));
  });

  it('whose data is to be had later: one statement if nobody wants it, and then nothing is asked for', async () => {
    let loads = 0;
    const later = () => {
      const dataOf = dataTogether(() => {
        loads++;
        return Promise.resolve(new Map(Array.from({ length: 1000 }, (_, n) => [n, { n }])));
      });
      return many((n) => dataOf(n));
    };
    expect(await emitMany(later())).toBe(1);
    expect(loads).toBe(0);
    await target('a', ['*']);
    await app.sql('delete from webhook_delivery');
    expect(await emitMany(later())).toBe(2);
    expect(loads).toBe(1);
    const ids = (await deliveries()).map(({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n);
    expect(ids).toEqual(Array.from({ length: 1000 }, (_, n) => n));
  });
});
