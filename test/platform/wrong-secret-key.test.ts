import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { logLines } from '../support/log-lines.js';
import { restClient } from '../support/rest.js';
import type { RestClient } from '../support/rest.js';
import { startReceiver } from '../support/webhook-receiver.js';
import { LOOPBACK_ALLOWED, deliveriesOf, startDispatcher } from '../support/webhooks.js';

const RIGHT = 'the secret key of this database, 32+ characters';
const WRONG = 'the secret key of another one, of 32+ characters';
const DETAIL =
  "A stored secret can't be opened with SECRET_KEY; on the server, `npm run cli -- doctor` tells more";

const logged = logLines();
/** By its own key, and by another one, on the same database. */
let right: TestApp;
let wrong: TestApp;
/** The wrong one, for the same caller as {@link right}. */
let rest: RestClient;

const issue = { name: 'issued once', events: ['license.created'] };
const once = { headers: { 'idempotency-key': 'once' } };

beforeAll(async () => {
  const env = { ...LOOPBACK_ALLOWED, WEBHOOKS_SCHEDULE: '0,3600' };
  right = await startApp({ env: { ...env, SECRET_KEY: RIGHT } });
  wrong = await startApp({
    ...{ databaseUrl: right.databaseUrl, log: logged.log },
    env: { ...env, SECRET_KEY: WRONG },
  });
  rest = restClient(wrong.url, right.apiKey);
  await right.rest('POST', '/webhooks', issue, once);
  await right.rest('POST', '/webhooks', { ...issue, name: 'another' });
  await right.rest('GET', '/keys/public');
});

beforeEach(() => {
  logged.lines.length = 0;
});

describe('a SECRET_KEY that is not the one of the database', () => {
  it.each([
    ['GET', '/webhooks', undefined, {}],
    ['PATCH', '/webhooks', { name: 'another', enabled: false }, {}],
    ['POST', '/webhooks', issue, once],
    ['POST', '/licenses/validate', { license_key: 'ANY', nonce: 'n' }, {}],
  ])(
    '%s %s 503 UNAVAILABLE where it opens a secret, logged once with the cause',
    async (method, path, body, options) => {
      const response = await rest(method, path, body, options);
      expect([response.status, response.body]).toEqual([
        503,
        expect.objectContaining({ code: 'UNAVAILABLE', detail: DETAIL }),
      ]);
      expect(logged.at('error')).toEqual([
        expect.objectContaining({
          msg: DETAIL,
          requestId: response.headers['x-request-id'],
          err: expect.objectContaining({
            message: expect.stringContaining('sealed with another SECRET_KEY'),
          }),
        }),
      ]);
      expect(logged.lines.join()).not.toMatch(/whsec_|32\+ characters/);
    },
  );

  it('/graphql: the same code for each field, and one line in the log', async () => {
    const { errors } = await wrong.graphql('{ webhooks { nodes { name secret headers } } }');
    expect(errors.length).toBeGreaterThan(1);
    for (const error of errors) {
      expect(error).toMatchObject({ message: DETAIL, extensions: { code: 'UNAVAILABLE', status: 503 } });
    }
    expect(logged.at('error')).toHaveLength(1);
  });

  it('everything else goes on: validations, public keys, a new signing key, and what is to go', async () => {
    const { key } = await right.seed.license();
    const validated = await wrong.anonymous('POST', '/licenses/validate', { license_key: key });
    expect(validated.body).toMatchObject({ valid: true });
    expect((await wrong.anonymous('GET', '/keys/public')).body.keys).toHaveLength(1);
    await right.rest('POST', '/webhooks', { ...issue, name: 'goes' });
    expect((await rest('DELETE', '/webhooks', { name: 'goes' })).status).toBe(204);
    expect(logged.at('error')).toEqual([]);
  });

  it('a delivery has failed and is tried again; with the right key it arrives', async () => {
    const receiver = await startReceiver();
    await right.rest('POST', '/webhooks', { name: 'shop', url: receiver.url, events: ['addon.created'] });
    const blind = startDispatcher(wrong);
    await right.rest('POST', '/addons', { name: 'told later' });
    await blind.settle();
    await blind.stop();
    expect(await deliveriesOf(right, 'shop')).toMatchObject([
      { attempts: 1, error: expect.stringContaining('SECRET_KEY'), next_attempt_at: expect.any(String) },
    ]);
    expect(receiver.calls).toHaveLength(0);
    right.clock.advance(2 * 3_600_000);
    await startDispatcher(right).settle();
    expect(await deliveriesOf(right, 'shop')).toMatchObject([{ status: 'delivered', attempts: 2 }]);
  });
});
