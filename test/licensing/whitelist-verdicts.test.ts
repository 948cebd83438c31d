import { beforeAll, describe, expect, it } from '@jest/globals';
import { maskKey } from '../../src/licensing/licenses/license-key.rules.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';

let app: TestApp;
let count = 0;

beforeAll(async () => {
  app = await startApp({ env: { SERVER_TRUSTED_PROXIES: '127.0.0.1' } });
});

/** A license of a product of its own, on which the whitelists are enforced. */
async function licenseWith(...whitelists: Record<string, unknown>[]) {
  const names = [];
  for (const whitelist of whitelists) {
    count += 1;
    const response = await app.rest('POST', '/whitelists', { name: `list ${count}`, ...whitelist });
    expect(response.status).toBe(201);
    names.push(response.body.name as string);
  }
  const product = await app.seed.product({ whitelists: names });
  const license = await app.seed.license({ product: product.name });
  return { key: license.key, id: license.id, names };
}

function validate(key: string, hwid?: string, body: Record<string, unknown> = {}, through = app) {
  const headers: Record<string, string> = hwid === undefined ? {} : { 'x-hwid': hwid };
  return through.anonymous('POST', '/licenses/validate', { license_key: key, ...body }, { headers });
}

async function values(id: number): Promise<string[]> {
  const rows = await app.sql<{ value: string }>(
    'select value from license_whitelist_value where license_id = $1 order by created_at, value',
    [id],
  );
  return rows.map((row) => row.value);
}

describe('POST /licenses/validate with an enforced whitelist', () => {
  it('200 VALID: binds an unseen value until the list is full, and knows it from then on', async () => {
    const { key, id } = await licenseWith({ type: 'header', header: 'X-HWID', limit: 2 });
    expect((await validate(key, 'machine a')).body).toMatchObject({ valid: true });
    expect((await validate(key, 'machine b')).body).toMatchObject({ valid: true });
    expect((await validate(key, 'machine c')).body).toMatchObject({
      valid: false,
      code: 'WHITELIST_LIMIT_REACHED',
      status: 'active',
      session: null,
    });
    expect((await validate(key, 'machine a')).body).toMatchObject({ valid: true });
    expect(await values(id)).toEqual(['machine a', 'machine b']);
  });

  it('200 WHITELIST_REQUIRED: without the value, or with one that could never be stored', async () => {
    const { key, id } = await licenseWith({ type: 'header', header: 'X-HWID' });
    for (const hwid of [undefined, '', '   ', 'x'.repeat(256)]) {
      expect((await validate(key, hwid)).body).toMatchObject({ valid: false, code: 'WHITELIST_REQUIRED' });
    }
    expect(await values(id)).toEqual([]);
    expect(await app.sql('select 1 from session where license_id = $1', [id])).toHaveLength(0);
  });

  it('200 WHITELIST_MISMATCH: a closed list takes only what an administrator has set', async () => {
    const { key, names } = await licenseWith({ type: 'header', header: 'X-HWID', limit: 0 });
    expect((await validate(key, 'mine')).body).toMatchObject({ valid: false, code: 'WHITELIST_MISMATCH' });
    const entry = { license: key, whitelist: names[0], value: 'mine' };
    expect((await app.rest('POST', '/licenses/whitelists', entry)).status).toBe(200);
    expect((await validate(key, 'mine')).body).toMatchObject({ valid: true });
  });

  it('200: a field of the body, a number too', async () => {
    const { key, id } = await licenseWith({ type: 'field', field: 'hwid' });
    expect((await validate(key, undefined, { hwid: 42 })).body).toMatchObject({ valid: true });
    expect((await validate(key, undefined, { hwid: { nested: true } })).body).toMatchObject({
      code: 'WHITELIST_REQUIRED',
    });
    expect(await values(id)).toEqual(['42']);
  });

  it('200: the client address, also inside a CIDR that an administrator has set', async () => {
    const { key, names } = await licenseWith({ type: 'ip', limit: 0 });
    const from = (address: string) =>
      app.anonymous(
        'POST',
        '/licenses/validate',
        { license_key: key },
        { headers: { 'x-forwarded-for': address } },
      );
    expect((await from('203.0.113.7')).body).toMatchObject({ code: 'WHITELIST_MISMATCH' });
    await app.rest('POST', '/licenses/whitelists', {
      license: key,
      whitelist: names[0],
      value: '203.0.113.0/24',
    });
    expect((await from('203.0.113.7')).body).toMatchObject({ valid: true });
    expect((await from('::ffff:203.0.113.9')).body).toMatchObject({ valid: true });
    expect((await from('203.0.114.7')).body).toMatchObject({ code: 'WHITELIST_MISMATCH' });
  });

  it('200: two lists bind both values or none', async () => {
    const { key, id } = await licenseWith(
      { type: 'header', header: 'X-HWID', limit: 5 },
      { type: 'field', field: 'server', limit: 1 },
    );
    expect((await validate(key, 'a', { server: 'one' })).body).toMatchObject({ valid: true });
    expect((await validate(key, 'b', { server: 'two' })).body).toMatchObject({
      code: 'WHITELIST_LIMIT_REACHED',
    });
    expect(await values(id)).toEqual(['a', 'one']);
  });

  it('200 SEAT_LIMIT_REACHED: binds nothing', async () => {
    const { key, id } = await licenseWith({ type: 'header', header: 'X-HWID', limit: 5 });
    await app.rest('PATCH', '/licenses', { key, seats: 1 });
    expect((await validate(key, 'first')).body).toMatchObject({ valid: true });
    expect((await validate(key, 'second')).body).toMatchObject({ code: 'SEAT_LIMIT_REACHED' });
    expect(await values(id)).toEqual(['first']);
  });

  it("200: the first enforced list's value names the seat", async () => {
    const { key, id } = await licenseWith({ type: 'header', header: 'X-HWID', limit: -1 });
    await validate(key, 'seat one');
    await validate(key, 'seat two');
    const sessions = await app.sql('select identifier from session where license_id = $1 order by 1', [id]);
    expect(sessions).toEqual([{ identifier: 'seat one' }, { identifier: 'seat two' }]);
  });

  it("200: the license's own limit overrides the definition's, from the next validation on", async () => {
    const { key, names } = await licenseWith({ type: 'header', header: 'X-HWID', limit: 1 });
    await validate(key, 'a');
    expect((await validate(key, 'b')).body).toMatchObject({ code: 'WHITELIST_LIMIT_REACHED' });
    await app.rest('PATCH', '/licenses/whitelists', { license: key, whitelist: names[0], limit: 2 });
    expect((await validate(key, 'b')).body).toMatchObject({ valid: true });
  });

  it('200: a list that is not enforced asks for nothing, until it is global', async () => {
    const { body } = await app.rest('POST', '/whitelists', {
      name: 'loose',
      type: 'header',
      header: 'X-Loose',
    });
    const { key } = await app.seed.license();
    expect((await validate(key)).body).toMatchObject({ valid: true });
    await app.rest('PATCH', '/whitelists', { name: body.name, global: true });
    expect((await validate(key)).body).toMatchObject({ code: 'WHITELIST_REQUIRED' });
    await app.rest('DELETE', '/whitelists', { name: body.name });
    expect((await validate(key)).body).toMatchObject({ valid: true });
  });

  it('shows of a key what maskKey shows, of a short one no more than half', async () => {
    const { names } = await licenseWith({ type: 'header', header: 'X-HWID' });
    const product = await app.seed.product({ whitelists: names });
    for (const typed of ['SHORTY', 'ÄÖ💚💚💚XY', 'A-KEY-OF-SOME-LENGTH']) {
      const { key } = await app.seed.license({ product: product.name, key: typed });
      const bound = await validate(key, 'noted');
      const [entry] = await app.sql(
        "select resource_id from activity where event = 'whitelist.bound' and request_id = $1",
        [bound.headers['x-request-id']],
      );
      expect(entry).toEqual({ resource_id: maskKey(key) });
    }
  });

  it('leaves an activity entry for each bound value, and none for a known one', async () => {
    const { key, id, names } = await licenseWith({ type: 'header', header: 'X-HWID' });
    const bound = await validate(key, 'noted');
    await validate(key, 'noted');
    const entries = await app.sql(
      "select actor, source, resource_id, changes, request_id from activity where event = 'whitelist.bound' and request_id = $1",
      [bound.headers['x-request-id']],
    );
    expect(entries).toEqual([
      {
        actor: 'anonymous',
        source: 'rest',
        resource_id: `…${key.slice(-6)}`,
        changes: { [names[0] ?? '']: [null, 'noted'] },
        request_id: bound.headers['x-request-id'],
      },
    ]);
    expect(await values(id)).toEqual(['noted']);
  });
});

describe('1000 validations at once', () => {
  it('with 1000 values against a limit of 3 bind exactly 3, through two gateways', async () => {
    const { key, id } = await licenseWith({ type: 'header', header: 'X-HWID', limit: 3 });
    const second = await startApp({ databaseUrl: app.databaseUrl });
    const verdicts = await Promise.all(
      Array.from({ length: 1000 }, (_, n) => validate(key, `machine ${n}`, {}, n % 2 === 0 ? app : second)),
    );
    const codes = Map.groupBy(verdicts, (verdict) => verdict.body.code as string);
    expect(codes.get('VALID')).toHaveLength(3);
    expect(codes.get('WHITELIST_LIMIT_REACHED')).toHaveLength(997);
    expect(await values(id)).toHaveLength(3);
  });
});
