import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { startApp } from '../../support/app.js';
import type { TestApp } from '../../support/app.js';
import { closeAfterwards } from '../../support/database.js';
import { until } from '../../support/embedded-postgres-kit.js';
import { byEventStream, closeOf, openSocket, untilLive } from '../../support/subscriptions.js';

let app: TestApp;

beforeEach(async () => {
  app = await startApp();
});

/** Each result is long, so that the buffers between the two ends are full before all is told. */
const NAMES = Array.from({ length: 20 }, (_, n) => `n${n}: identifier`).join(' ');
const operation = { query: `subscription { sessionChanged { ${NAMES} } }` };
const CUT = 'licensing_subscriptions_cut_total{reason="SUBSCRIBER_TOO_SLOW"} 1';

async function flood(): Promise<void> {
  await app.sql(
    "select notify_session_change('OPENED', n, 1000000, repeat('x', 255), now()) from generate_series(1, 16000) n",
  );
  await until(async () => (await app.rest('GET', '/metrics')).text.includes(CUT));
}

/** Somebody who takes what comes, to see that nobody else pays for the slow. */
async function quickOne(): Promise<{ goesOn(): Promise<void> }> {
  const license = await app.seed.license();
  const query = `subscription { sessionChanged(license: "${license.key}") { identifier } }`;
  const quick = byEventStream(app, app.apiKey, { query });
  await untilLive(app, `session:${license.id}`);
  return {
    goesOn: async () => {
      const validation = { license_key: license.key, identifier: 'quick' };
      await app.anonymous('POST', '/licenses/validate', validation);
      await until(() => quick.results.length === 1);
    },
  };
}

describe('a subscriber that stops reading', () => {
  it('by an event stream: is cut, told so, and comes back by itself', async () => {
    const quick = await quickOne();
    const req = request(`${app.url}/graphql/stream`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.apiKey}`, 'content-type': 'application/json' },
    }).end(JSON.stringify(operation));
    closeAfterwards(() => Promise.resolve(req.destroy()));
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    await flood();
    await quick.goesOn();
    let text = '';
    res.on('data', (chunk: Buffer) => (text = (text + chunk.toString()).slice(-2000)));
    await once(res, 'end');
    expect(text).toContain('"code":"SUBSCRIBER_TOO_SLOW"');
    // That would say that all is well, and a client would not try again.
    expect(text).not.toContain('event: complete');
  }, 60_000);

  it('by a WebSocket: is closed with 1013, after which a client connects again', async () => {
    const quick = await quickOne();
    const socket = await openSocket(app);
    socket.send(
      JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${app.apiKey}` } }),
    );
    await once(socket, 'message');
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: operation }));
    await untilLive(app, 'session');
    socket.pause();
    await flood();
    await quick.goesOn();
    const closed = closeOf(socket);
    socket.resume();
    expect(await closed).toEqual([1013, 'SUBSCRIBER_TOO_SLOW']);
  }, 60_000);
});
