import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { SealBroken, seal, unseal } from '../../src/platform/seal.js';
import { unreadableTexts } from '../../src/platform/secrets/reseal.service.js';
import { SEALED_PLACES } from '../../src/sealed-places.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { cliWith } from '../support/cli.js';
import { restClient } from '../support/rest.js';

const OLD = 'the secret key of the first year, 32+ characters';
const NEW = 'the secret key of the second year, 32+ characters';
const old = { secretKey: OLD, previousSecretKeys: [] };
const both = { secretKey: NEW, previousSecretKeys: [OLD] };

/** As the first release sealed: without the id of the key. */
function sealV1(plain: string, secretKey: string): string {
  const nonce = randomBytes(12);
  const key = createHash('sha256').update(`seal:${secretKey}`).digest();
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return ['v1', ...[nonce, cipher.getAuthTag(), sealed].map((part) => part.toString('base64url'))].join('.');
}

describe('seal', () => {
  it('opens with the key that sealed, present or previous, and with no other; older texts too', () => {
    for (const plain of ['', 's3cret', '🔑'.repeat(1000)]) {
      for (const sealed of [seal(plain, old), sealV1(plain, OLD)]) {
        expect(unseal(sealed, both)).toBe(plain);
        expect(() => unseal(sealed, { ...both, previousSecretKeys: [] })).toThrow(SealBroken);
      }
    }
    expect(seal('a', old)).not.toBe(seal('a', old));
    const [version, keyId, nonce, tag, text = ''] = seal('a secret', old).split('.');
    const changed = Buffer.from(text, 'base64url');
    changed[0] = (changed[0] ?? 0) ^ 1;
    const forged = [version, keyId, nonce, tag, changed.toString('base64url')].join('.');
    expect(() => unseal(forged, old)).toThrow(SealBroken);
    expect(() => unseal('plain', old)).toThrow(SealBroken);
  });
});

describe('mutation resealSecrets, `secrets rotate`', () => {
  let first: TestApp;
  let second: TestApp;
  const issue = { name: 'ops', events: ['license.created'] };
  const headers = { 'idempotency-key': 'once' };

  beforeAll(async () => {
    first = await startApp({ env: { SECRET_KEY: OLD } });
    second = await startApp({
      databaseUrl: first.databaseUrl,
      env: { SECRET_KEY: NEW, SECRET_KEY_PREVIOUS: OLD },
    });
  });

  /** Everything in the database that looks sealed, wherever it stands. */
  async function sealedTexts(): Promise<string[]> {
    const columns = await first.sql<{ table_name: string; column_name: string }>(
      `select table_name, column_name from information_schema.columns
        where table_schema = 'public' and data_type in ('text', 'jsonb', 'character varying', 'ARRAY')`,
    );
    const everywhere = columns.map(
      ({ table_name: table, column_name: column }) => `select "${column}"::text as text from "${table}"`,
    );
    const rows = await first.sql<{ text: string }>(
      `select text from (${everywhere.join(' union all ')}) found where text ~ 'v[12]\\.[\\w-]{8}'`,
    );
    return rows.flatMap(({ text }) => text.match(/v[12]\.[\w.-]{30,}/g) ?? []);
  }

  it('seals everything anew while both keys serve; afterwards the old one is not needed', async () => {
    const created = await first.rest('POST', '/webhooks', issue, { headers });
    expect(created.status).toBe(201);
    expect((await first.rest('POST', '/webhooks/rotate', { name: 'ops' })).status).toBe(200);
    const [{ kid }] = (await first.anonymous('GET', '/keys/public')).body.keys;
    await first.sql(
      "insert into bot_module (id, enabled, state, config, created_at, updated_at) values ('m', false, 'disabled', $1, now(), now())",
      [
        JSON.stringify({
          general: { token: seal('bot-secret', old), prefix: '!', old: sealV1('older', OLD) },
        }),
      ],
    );
    await first.sql(
      `insert into idempotency_key (scope, key, fingerprint, status, headers, body, created_at)
       select 'bulk', n::text, '', 200, '{}', $1, now() from generate_series(1, 250) n`,
      [seal('{}', old)],
    );
    const before = await sealedTexts();
    // 250, the replayed response, the webhook's three, the signing key, the module's two.
    expect(before).toHaveLength(257);
    expect(JSON.stringify(await first.sql('select * from idempotency_key'))).not.toContain('whsec_');

    // Both gateways serve meanwhile, and two operators have the same idea.
    expect((await second.rest('GET', '/webhooks')).body).toEqual((await first.rest('GET', '/webhooks')).body);
    const mutation = 'mutation { resealSecrets { resealed unreadable isDone } }';
    const runs = await Promise.all([second.graphql(mutation), second.graphql(mutation)]);
    const counts = runs.map(({ data }) => data.resealSecrets as { resealed: number; unreadable: number });
    expect(counts.map(({ unreadable }) => unreadable)).toEqual([0, 0]);
    // Rows are exchanged, and a row of a module holds two.
    expect(counts.reduce((sum, { resealed }) => sum + resealed, 0)).toBe(256);
    const cli = cliWith({ LICENSING_URL: second.url, LICENSING_API_KEY: second.apiKey });
    expect(await cli('secrets', 'rotate')).toMatchObject({
      exitCode: 0,
      stdout: 'Sealed anew: 0. SECRET_KEY_PREVIOUS is not needed any more.\n',
    });

    const after = await sealedTexts();
    const alone = { secretKey: NEW, previousSecretKeys: [] };
    expect(after.map((text) => unseal(text, alone)).sort()).toEqual(
      before.map((text) => unseal(text, old)).sort(),
    );
    expect(await unreadableTexts(second.orm.em.fork(), alone, SEALED_PLACES)).toEqual({});
    const third = await startApp({ databaseUrl: first.databaseUrl, env: { SECRET_KEY: NEW } });
    expect((await third.rest('GET', '/webhooks')).body).toMatchObject([
      { secret: expect.stringMatching(/^whsec_/) },
    ]);
    const { key } = await third.seed.license();
    const signed = await third.anonymous('POST', '/licenses/validate', { license_key: key, nonce: 'n' });
    expect(signed.headers['x-signature']).toContain(`kid=${kid}`);
  });

  it('a stored response is replayed after the rotation, by the same caller', async () => {
    const graphql = 'mutation { createApiKey(input: { name: "r", scopes: ["*"] }) { plain } }';
    const { data } = await first.graphql(graphql);
    const [one, two] = [first.url, second.url].map((url) =>
      restClient(url, data.createApiKey.plain as string),
    );
    const sent = await one?.('POST', '/webhooks', { ...issue, name: 'again' }, { headers });
    await second.graphql('mutation { resealSecrets { isDone } }');
    const again = await two?.('POST', '/webhooks', { ...issue, name: 'again' }, { headers });
    expect(again).toMatchObject({
      status: 201,
      text: sent?.text,
      headers: { 'idempotency-replayed': 'true' },
    });
  });

  it('says how many no key opens, and exits 1; 403 without the scope', async () => {
    const lost = seal('x', { secretKey: 'a key that nobody has any more, 32+', previousSecretKeys: [] });
    await first.sql(
      "update bot_module set config = jsonb_build_object('general', jsonb_build_object('token', $1::text))",
      [lost],
    );
    const cli = cliWith({ LICENSING_URL: second.url, LICENSING_API_KEY: second.apiKey });
    expect(await cli('secrets', 'rotate')).toEqual({
      exitCode: 1,
      stdout: 'Sealed anew: 0.\n',
      stderr:
        'Error: Stored secrets that no key opens: 1. Is the key that sealed them in SECRET_KEY_PREVIOUS?\n',
    });
    expect(await unreadableTexts(second.orm.em.fork(), second.config, SEALED_PLACES)).toEqual({
      bot_module: 1,
    });
    const reader = await second.restAs('licensing:read', 'licensing:write');
    const refused = await reader('POST', '/graphql', { query: 'mutation { resealSecrets { isDone } }' });
    expect(refused.body.errors[0].extensions.code).toBe('INSUFFICIENT_SCOPE');
  });
});
