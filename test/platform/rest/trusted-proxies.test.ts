import { describe, expect, it } from '@jest/globals';
import { startApp } from '../../support/app.js';

/** The address that a session is opened for is the one that the server believes in. */
async function addressSeen(trusted: string | undefined, forwarded: string): Promise<string | undefined> {
  const app = await startApp(trusted === undefined ? {} : { env: { SERVER_TRUSTED_PROXIES: trusted } });
  const { key } = await app.seed.license();
  const headers = { 'x-forwarded-for': forwarded };
  const response = await app.anonymous('POST', '/licenses/validate', { license_key: key }, { headers });
  expect(response.body.code).toBe('VALID');
  const [session] = await app.sql<{ ip: string }>('select ip from session');
  await app.flush();
  const [logged] = await app.sql<{ ip: string }>(
    "select ip from request_log where path = '/licenses/validate'",
  );
  expect(logged?.ip).toBe(session?.ip);
  return session?.ip;
}

describe('X-Forwarded-For', () => {
  it('is not believed when no proxy is trusted', async () => {
    expect(await addressSeen(undefined, '203.0.113.7')).toBe('127.0.0.1');
  });

  it('is not believed from an address that is not listed', async () => {
    expect(await addressSeen('10.0.0.0/8', '203.0.113.7')).toBe('127.0.0.1');
  });

  it('is believed from a listed address', async () => {
    expect(await addressSeen('127.0.0.1', '203.0.113.7')).toBe('203.0.113.7');
  });

  it('is believed as far as the chain is trusted: what the client made up stands further left', async () => {
    expect(await addressSeen('127.0.0.0/8,10.0.0.0/8', '198.51.100.1, 203.0.113.7, 10.1.2.3')).toBe(
      '203.0.113.7',
    );
  });
});
