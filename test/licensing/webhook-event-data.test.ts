import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { runTasks, startTestWorker } from '../support/worker.js';

/*
 * What webhooks carry is what REST returns, for every event: the record as it is afterwards, or of what is deleted, as
 * it was last. The bodies are read where they are stored, as they are sent byte for byte from there.
 */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.rest('POST', '/webhooks', {
    name: 'listener',
    url: 'https://receiver.example/hook',
    events: ['*', 'session.*', 'license.validation.*'],
  });
  await app.graphql(`mutation {
    defineCustomField(input: { record: product, name: "colour", type: string }) { id }
    customer: defineCustomField(input: { record: customer, name: "vat", type: string }) { id }
  }`);
});

type Data = Record<string, unknown>;

/** What a step has to work with, and what the data of its event must be. */
interface Step {
  readonly event: string;
  /** Causes the event; resolves to the data it must carry. */
  readonly cause: () => Promise<Data>;
}

const call = async (method: string, path: string, body?: unknown): Promise<Data> => {
  const response = await app.rest(method, path, body);
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.text}`);
  return (response.body ?? {}) as Data;
};
/** The record of a list that has this value. */
const find = async (path: string, field: string, value: unknown): Promise<Data> => {
  const { body } = await app.rest('GET', path);
  const record = (body as Data[]).find((each) => each[field] === value);
  if (!record) throw new Error(`${path} has no ${field} ${String(value)}`);
  return record;
};
const created = (path: string, body: Data) => () => call('POST', path, body);
const changed = (path: string, body: Data, field: string, value: unknown) => async () => {
  await call('PATCH', path, body);
  return find(path, field, value);
};
const removed = (path: string, body: Data, field: string) => async () => {
  const last = await find(path, field, body[field]);
  await call('DELETE', path, body);
  return last;
};
const KEY = 'DATA0-00000-00000-00000-00001';
const license = () => find('/licenses', 'key', KEY);
const licenseChanged = (body: Data) => changed('/licenses', { key: KEY, ...body }, 'key', KEY);
const listOf = async (name: string) => {
  const { body } = await app.rest('GET', `/licenses/whitelists?license=${KEY}`);
  return { license: KEY, ...(body as Data[]).find((list) => list['name'] === name) };
};

const STEPS: readonly Step[] = [
  { event: 'product.created', cause: created('/products', { name: 'P', colour: 'red' }) },
  { event: 'product.updated', cause: changed('/products', { name: 'P', colour: 'blue' }, 'name', 'P') },
  { event: 'customer.created', cause: created('/customers', { name: 'C', vat: 'DE1' }) },
  { event: 'customer.updated', cause: changed('/customers', { name: 'C', vat: null }, 'name', 'C') },
  { event: 'addon.created', cause: created('/addons', { name: 'A' }) },
  { event: 'addon.updated', cause: changed('/addons', { name: 'A', new_name: 'B' }, 'name', 'B') },
  {
    event: 'product.updated',
    cause: async () => {
      await call('POST', '/addons/attach', { addon: 'B', product: 'P' });
      return find('/products', 'name', 'P');
    },
  },
  {
    event: 'rule.created',
    cause: created('/rules', { name: 'R', config: { range: '>=1.0.0' }, message: 'Older than 1.0' }),
  },
  { event: 'rule.updated', cause: changed('/rules', { name: 'R', action: 'warn' }, 'name', 'R') },
  { event: 'rule.deleted', cause: removed('/rules', { name: 'R' }, 'name') },
  {
    event: 'file.created',
    cause: created('/files', { name: 'F', product: 'P', addon: 'B', repo: 'acme/app', asset: '*.zip' }),
  },
  { event: 'file.updated', cause: changed('/files', { name: 'F', addon: null, stamp: true }, 'name', 'F') },
  { event: 'file.deleted', cause: removed('/files', { name: 'F' }, 'name') },
  {
    event: 'whitelist.created',
    cause: created('/whitelists', { name: 'hwid', type: 'header', header: 'X-HWID', global: true }),
  },
  { event: 'whitelist.updated', cause: changed('/whitelists', { name: 'hwid', limit: 2 }, 'name', 'hwid') },
  { event: 'user.created', cause: created('/users', { user_id: 'ann', email: 'ann@example.com' }) },
  {
    event: 'user.updated',
    cause: changed('/users', { user_id: 'ann', display_name: 'Ann' }, 'user_id', 'ann'),
  },
  {
    event: 'identity.linked',
    cause: created('/identities', {
      user_id: 'ann',
      provider: 'discord',
      provider_id: '1',
      metadata: { username: 'ann' },
    }),
  },
  {
    event: 'license.created',
    cause: created('/licenses', {
      key: KEY,
      product: 'P',
      customer: 'C',
      user_id: 'ann',
      addons: ['B'],
      expires_at: '2027-01-01T00:00:00.000Z',
      whitelists: { hwid: { values: ['first'] } },
    }),
  },
  { event: 'license.updated', cause: licenseChanged({ note: 'x', seats: 3 }) },
  { event: 'license.suspended', cause: licenseChanged({ status: 'suspended' }) },
  { event: 'license.reinstated', cause: licenseChanged({ status: 'active' }) },
  {
    event: 'license.updated',
    cause: async () => {
      await call('PATCH', '/licenses/whitelists', { license: KEY, whitelist: 'hwid', limit: 2 });
      return license();
    },
  },
  {
    event: 'whitelist.bound',
    cause: async () => {
      await app.rest('POST', '/licenses/validate', { license_key: KEY, identifier: 'pc' }, headers('second'));
      return listOf('hwid');
    },
  },
  {
    event: 'whitelist.limit_reached',
    cause: async () => {
      await app.rest('POST', '/licenses/validate', { license_key: KEY, identifier: 'pc' }, headers('third'));
      return { ...(await listOf('hwid')), refused: 'third' };
    },
  },
  {
    event: 'whitelist.cleared',
    cause: async () => {
      await call('DELETE', '/licenses/whitelists', { license: KEY, whitelist: 'hwid' });
      return listOf('hwid');
    },
  },
  {
    event: 'whitelist.bound',
    cause: async () => {
      await call('POST', '/licenses/whitelists', { license: KEY, whitelist: 'hwid', value: 'first' });
      return listOf('hwid');
    },
  },
  { event: 'whitelist.deleted', cause: removed('/whitelists', { name: 'hwid' }, 'name') },
  {
    event: 'session.opened',
    cause: async () => {
      await call('POST', '/licenses/validate', { license_key: KEY, identifier: 'laptop' });
      return find('/sessions', 'identifier', 'laptop');
    },
  },
  {
    event: 'session.closed',
    cause: async () => {
      const session = await find('/sessions', 'identifier', 'laptop');
      await call('POST', '/sessions/close', { token: session['token'] });
      return session;
    },
  },
  { event: 'session.revoked', cause: removed('/sessions', { identifier: 'pc' }, 'identifier') },
  {
    event: 'session.expired',
    cause: async () => {
      await call('POST', '/licenses/validate', { license_key: KEY, identifier: 'before' });
      const session = await find('/sessions', 'identifier', 'before');
      app.clock.advance(700_000);
      const anew = await call('POST', '/licenses/validate', { license_key: KEY, identifier: 'before' });
      await call('POST', '/sessions/close', anew['session']);
      return session;
    },
  },
  {
    event: 'session.opened',
    cause: async () => {
      await call('POST', '/licenses/validate', { license_key: KEY, identifier: 'again' });
      // Its row is taken by a new session, once it has expired and before the job removes it.
      app.clock.advance(700_000);
      await call('POST', '/licenses/validate', { license_key: KEY, identifier: 'again' });
      return find('/sessions', 'identifier', 'again');
    },
  },
  {
    event: 'session.expired',
    cause: async () => {
      const session = await find('/sessions', 'identifier', 'again');
      app.clock.advance(700_000);
      await runTasks(app, 'expire-sessions');
      return session;
    },
  },
  ...[
    { event: 'license.validation.succeeded', body: { license_key: KEY, nonce: 'n' }, license: KEY },
    { event: 'license.validation.failed', body: { license_key: KEY, product: 'Q' }, license: KEY },
    { event: 'license.validation.failed', body: { license_key: 'unknown' }, license: null },
  ].map(({ event, body, license }) => ({
    event,
    cause: async () => {
      const verdict = await call('POST', '/licenses/validate', body);
      await app.flush();
      return { license, ...verdict };
    },
  })),
  { event: 'user.banned', cause: changed('/users', { user_id: 'ann', status: 'banned' }, 'user_id', 'ann') },
  {
    event: 'user.merged',
    cause: async () => {
      const ann = await find('/users', 'user_id', 'ann');
      await call('POST', '/users', { user_id: 'bob' });
      await call('POST', '/users/merge', { from: 'ann', to: 'bob' });
      return { ...ann, status: 'merged', merged_into: 'bob' };
    },
  },
  { event: 'identity.linked', cause: () => find('/identities', 'provider_id', '1') },
  { event: 'user.banned', cause: () => find('/users', 'user_id', 'bob') },
  {
    event: 'identity.unlinked',
    cause: async () => {
      const identity = await find('/identities', 'provider_id', '1');
      await call('DELETE', '/identities', { provider: 'discord', provider_id: '1' });
      return identity;
    },
  },
  { event: 'license.revoked', cause: licenseChanged({ status: 'revoked' }) },
  {
    event: 'license.updated',
    cause: async () => {
      await call('DELETE', '/users', { user_id: 'bob', force: true });
      return license();
    },
  },
  { event: 'license.deleted', cause: removed('/licenses', { key: KEY }, 'key') },
  { event: 'addon.deleted', cause: removed('/addons', { name: 'B' }, 'name') },
  { event: 'product.updated', cause: () => find('/products', 'name', 'P') },
  { event: 'product.deleted', cause: removed('/products', { name: 'P' }, 'name') },
  { event: 'customer.deleted', cause: removed('/customers', { name: 'C' }, 'name') },
];

function headers(hwid: string) {
  return { headers: { 'X-HWID': hwid } };
}

async function lastOf(event: string): Promise<Data> {
  const rows = await app.sql<{ body: string }>(
    `select e.body from webhook_delivery d join webhook_event e on e.id = d.event_id
      where d.event = $1 order by d.id desc limit 1`,
    [event],
  );
  return JSON.parse(rows[0]?.body ?? '{}') as Data;
}

describe('the data of an event is the record as REST returns it', () => {
  beforeAll(() => startTestWorker(app));

  it.each(STEPS.map((step, place) => ({ ...step, place })))('$place: $event', async ({ event, cause }) => {
    const expected = await cause();
    const body = await lastOf(event);
    expect(body).toMatchObject({ id: expect.stringMatching(/^evt_[0-9a-f]{32}$/), type: event });
    expect(body['data']).toEqual(expected);
  });
});
