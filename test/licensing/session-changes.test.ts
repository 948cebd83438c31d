import { once } from 'node:events';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { closeAfterwards } from '../support/database.js';
import { until } from '../support/embedded-postgres-kit.js';
import { ROADS, byWebsocket, untilLive } from '../support/subscriptions.js';
import { runTasks, startTestWorker } from '../support/worker.js';

let app: TestApp;
let other: TestApp;

beforeAll(async () => {
  app = await startApp();
  other = await startApp({ databaseUrl: app.databaseUrl });
  await startTestWorker(app);
});

const QUERY = `subscription ($license: String) {
  sessionChanged(license: $license) { change identifier at licenseKey session { token } license { seats seatsUsed } }
}`;

/** Validates by another gateway than the one that is subscribed to; gives the session's token. */
async function open(key: string, identifier: string): Promise<string> {
  const { body } = await other.anonymous('POST', '/licenses/validate', { license_key: key, identifier });
  expect(body).toMatchObject({ valid: true });
  return body.session.token as string;
}

type Change = Record<string, unknown> & { change: string; identifier: string };

function changesOf({ results }: { readonly results: { data: { sessionChanged: Change } }[] }): Change[] {
  return results.map(({ data }) => data.sessionChanged);
}

const briefly = (changes: Change[]) => changes.map(({ change, identifier }) => `${change} ${identifier}`);

describe.each(ROADS)('subscription sessionChanged by %s', (_road, subscribe) => {
  it('OPENED and CLOSED, with the seats in use, whichever gateway it comes by; a renewal is no news', async () => {
    const { key, id } = await app.seed.license({ seats: 2 });
    const subscription = subscribe(app, app.apiKey, { query: QUERY, variables: { license: key } });
    await untilLive(app, `session:${id}`);
    const token = await open(key, 'first');
    await open(key, 'first');
    await other.anonymous('POST', '/sessions/heartbeat', { token });
    await open(key, 'second');
    await other.anonymous('POST', '/sessions/close', { token });
    await until(() => subscription.results.length >= 3);
    const at = app.clock.now().toISOString();
    const common = { at, licenseKey: key };
    expect(changesOf(subscription)).toEqual([
      expect.objectContaining({ ...common, change: 'OPENED', identifier: 'first' }),
      expect.objectContaining({ ...common, change: 'OPENED', identifier: 'second' }),
      {
        ...{ ...common, change: 'CLOSED', identifier: 'first', session: null },
        license: { seats: 2, seatsUsed: 1 },
      },
    ]);
  });

  it('EXPIRED and REVOKED, of this license alone, and of a deleted license', async () => {
    const [watched, unwatched] = [await app.seed.license(), await app.seed.license()];
    const subscription = subscribe(app, app.apiKey, { query: QUERY, variables: { license: watched.key } });
    await untilLive(app, `session:${watched.id}`);
    for (const identifier of ['revoked', 'orphaned']) {
      await open(watched.key, identifier);
      await open(unwatched.key, identifier);
    }
    await other.rest('DELETE', '/sessions', { identifier: 'revoked' });
    await other.rest('DELETE', '/licenses', { key: watched.key });
    await until(() => subscription.results.length >= 4);
    const changes = changesOf(subscription);
    expect(briefly(changes)).toEqual([
      'OPENED revoked',
      'OPENED orphaned',
      'REVOKED revoked',
      'REVOKED orphaned',
    ]);
    expect(changes.at(-1)).toMatchObject({ session: null, license: null, licenseKey: null });

    const rest = subscribe(app, app.apiKey, { query: QUERY, variables: { license: unwatched.key } });
    await untilLive(app, `session:${unwatched.id}`);
    app.clock.advance(600_000);
    other.clock.set(app.clock.now());
    await runTasks(app, 'expire-sessions');
    await until(() => rest.results.length >= 1);
    expect(briefly(changesOf(rest))).toEqual(['EXPIRED orphaned']);
  });

  it('EXPIRED and then OPENED for a session that is opened anew before the job removes it', async () => {
    const { key, id } = await app.seed.license();
    await open(key, 'again');
    const subscription = subscribe(app, app.apiKey, { query: QUERY, variables: { license: key } });
    await untilLive(app, `session:${id}`);
    app.clock.advance(600_000);
    other.clock.set(app.clock.now());
    await open(key, 'again');
    await until(() => subscription.results.length >= 2);
    expect(briefly(changesOf(subscription))).toEqual(['EXPIRED again', 'OPENED again']);
  });

  it('a session that is open: its token, as GET /sessions gives it', async () => {
    const { key, id } = await app.seed.license();
    const subscription = subscribe(app, app.apiKey, {
      query: QUERY,
      variables: { license: key.toLowerCase() },
    });
    await untilLive(app, `session:${id}`);
    const token = await open(key, 'open');
    await until(() => subscription.results.length >= 1);
    expect(changesOf(subscription)).toMatchObject([{ session: { token }, license: { seatsUsed: 1 } }]);
  });

  it('404 LICENSE_NOT_FOUND: a key that no license has, with its end shown alone', async () => {
    const subscription = subscribe(app, app.apiKey, {
      query: QUERY,
      variables: { license: 'NO-SUCH-LICENSE-KEY' },
    });
    const end = await subscription.ended;
    const text = JSON.stringify([end, subscription.results, await textOf(end)]);
    expect(text).toContain('LICENSE_NOT_FOUND');
    expect(text).not.toContain('NO-SUCH');
  });
});

/** What an event stream was refused with. */
async function textOf(end: unknown): Promise<string> {
  const { response } = (end ?? {}) as { response?: Response };
  return response ? response.text() : '';
}

describe('subscription sessionChanged', () => {
  it('without a license: the changes of all', async () => {
    const subscription = byWebsocket(app, app.apiKey, { query: QUERY });
    await untilLive(app, 'session');
    const identifiers = ['all 1', 'all 2', 'all 3'];
    for (const identifier of identifiers) await open((await app.seed.license()).key, identifier);
    await until(() => subscription.results.length >= 3);
    expect(briefly(changesOf(subscription))).toEqual(identifiers.map((identifier) => `OPENED ${identifier}`));
  });

  it('400 changes at once: each arrives once', async () => {
    const { key, id } = await app.seed.license();
    const subscription = byWebsocket(app, app.apiKey, {
      query: 'subscription ($license: String) { sessionChanged(license: $license) { change identifier } }',
      variables: { license: key },
    });
    await untilLive(app, `session:${id}`);
    const identifiers = Array.from({ length: 200 }, (_, n) => `seat ${n}`);
    await Promise.all(identifiers.map((identifier) => open(key, identifier)));
    const { body } = await other.rest('DELETE', '/sessions', { license: key });
    expect(body.cleared).toBe(200);
    await until(() => subscription.results.length >= 400);
    const told = briefly(changesOf(subscription));
    expect(told.slice(0, 200).sort()).toEqual(identifiers.map((name) => `OPENED ${name}`).sort());
    expect(told.slice(200).sort()).toEqual(identifiers.map((name) => `REVOKED ${name}`).sort());
  });

  it('what is rolled back is not told', async () => {
    const { key, id } = await app.seed.license();
    const subscription = byWebsocket(app, app.apiKey, { query: QUERY, variables: { license: key } });
    await untilLive(app, `session:${id}`);
    const client = new Client(app.databaseUrl);
    await client.connect();
    await client.query('begin');
    await client.query("select notify_session_change('OPENED', 1, $1, 'never', now())", [id]);
    await client.query('rollback');
    await client.end();
    await open(key, 'really');
    await until(() => subscription.results.length >= 1);
    expect(briefly(changesOf(subscription))).toEqual(['OPENED really']);
  });

  it('with nobody subscribed to a license, its changes notify nobody', async () => {
    const own = await startApp();
    const quiet = await own.seed.license();
    const listening = new Client(own.databaseUrl);
    await listening.connect();
    closeAfterwards(() => listening.end());
    await listening.query('listen live');
    const first = once(listening, 'notification');
    await own.anonymous('POST', '/licenses/validate', { license_key: quiet.key, identifier: 'quiet' });
    await own.sql("select pg_notify('live', 'the end')");
    expect((await first)[0]).toMatchObject({ payload: 'the end' });
  });
});
