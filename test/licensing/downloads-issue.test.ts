import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf, activityText } from '../support/activity.js';
import { startDownloads } from '../support/downloads.js';
import type { DownloadKit } from '../support/downloads.js';

let kit: DownloadKit;

beforeAll(async () => {
  kit = await startDownloads();
});

describe('POST /downloads/issue', () => {
  it('201: a link to the newest version, whose token is stored nowhere', async () => {
    const customer = await kit.app.seed.customer();
    const offer = await kit.offer('one', { name: 'newest' });
    await kit.app.rest('PATCH', '/licenses', { key: offer.key, customer: customer.name });
    await kit.publish(offer.repo, 'v1.10.0', { 'app.bin': 'ten' });
    await kit.publish(offer.repo, '1.9.0', { 'app.bin': 'nine' });
    await kit.publish(offer.repo, '2.0.0-rc.1', { 'app.bin': 'candidate' }, true);
    const issued = await kit.issue({ license_key: offer.key, file: 'newest', unknown: 'ignored' });
    expect([issued.status, issued.body]).toEqual([
      201,
      {
        build_id: expect.stringMatching(/^bld_[0-9a-hjkmnp-tv-z]{20}$/),
        token: expect.stringMatching(/^[\w-]{43}$/),
        url: `${kit.app.config.server.publicUrl}/download/${issued.body.token as string}`,
        product: offer.product,
        customer: customer.name,
        version: 'v1.10.0',
        file: 'newest',
        expires_at: new Date(kit.app.clock.now().getTime() + 3_600_000).toISOString(),
        max_uses: 1,
      },
    ]);
    expect((await kit.get(`/download/${issued.body.token as string}`)).bytes.toString()).toBe('ten');
    await kit.app.flush();
    const stored = JSON.stringify([
      await kit.app.sql('select * from download'),
      await kit.app.sql('select * from request_log'),
    ]);
    expect(stored).not.toContain(issued.body.token);
    expect(stored).toContain('/download/…');
    expect(await activityText(kit.app)).not.toContain(issued.body.token);
    const [entry] = await activityOf(kit.app, issued);
    expect(entry).toMatchObject({
      event: 'download.issued',
      actor: `license:…${offer.key.slice(-6)}`,
      resource_type: 'download',
      resource_id: issued.body.build_id,
      changes: { version: [null, 'v1.10.0'], license: [null, `…${offer.key.slice(-6)}`] },
    });
  });

  it('201: the version that is asked for, however its tag is written; prereleases where the file has them', async () => {
    const offer = await kit.offer('one', { name: 'chosen' });
    await kit.publish(offer.repo, 'v1.1.0', { 'app.bin': 'x' });
    await kit.publish(offer.repo, '3.0.0-beta.1', { 'app.bin': 'x' });
    await kit.publish(offer.repo, '2.0.0', { 'other.bin': 'x' });
    const version = async (asked?: string) => {
      const { body } = await kit.issue({ license_key: offer.key, file: 'chosen', version: asked });
      return body.version ?? body.code;
    };
    expect(await version()).toBe('v1.1.0');
    expect(await version('1.1.0')).toBe('v1.1.0');
    expect(await version('v1.0.0')).toBe('1.0.0');
    for (const none of ['3.0.0-beta.1', '2.0.0', '9.9.9', 'x\u0000', '../1.0.0', '']) {
      expect(await version(none)).toBe('VERSION_NOT_FOUND');
    }
    await kit.app.rest('PATCH', '/files', { name: 'chosen', prerelease: true });
    expect(await version()).toBe('3.0.0-beta.1');
  });

  it('404 LICENSE_NOT_FOUND and FILE_NOT_FOUND: what does not exist; the license comes first', async () => {
    const { key, file } = await kit.offer('x');
    for (const unknown of ['AAAAA-BBBBB', '', 'x\u0000']) {
      const response = await kit.issue({ license_key: unknown, file: 'none either' });
      expect([response.status, response.body.code]).toEqual([404, 'LICENSE_NOT_FOUND']);
    }
    for (const unknown of ['none', 'x\u0000', file.toUpperCase()]) {
      const response = await kit.issue({ license_key: key, file: unknown });
      expect([response.status, response.body.code]).toEqual([404, 'FILE_NOT_FOUND']);
    }
  });

  it.each([
    ['SUSPENDED', { status: 'suspended' }],
    ['REVOKED', { status: 'revoked' }],
    ['EXPIRED', { expires_at: '2020-01-01T00:00:00Z' }],
  ])('403 %s: a license that is not valid', async (code, change) => {
    const { key, file } = await kit.offer('x');
    await kit.app.rest('PATCH', '/licenses', { key, ...change });
    const response = await kit.issue({ license_key: key, file });
    expect([response.status, response.body.code]).toEqual([403, code]);
  });

  it('403 PRODUCT_MISMATCH and ADDON_REQUIRED: a license of something else, or without the addon', async () => {
    const addon = await kit.app.seed.addon();
    const offer = await kit.offer('x', { addon: addon.name });
    const other = await kit.app.seed.license({ product: (await kit.app.seed.product()).name });
    const none = await kit.app.seed.license();
    for (const { key } of [other, none]) {
      const response = await kit.issue({ license_key: key, file: offer.file });
      expect([response.status, response.body.code]).toEqual([403, 'PRODUCT_MISMATCH']);
    }
    const without = await kit.issue({ license_key: offer.key, file: offer.file });
    expect([without.status, without.body.code]).toEqual([403, 'ADDON_REQUIRED']);
    await kit.app.rest('PATCH', '/licenses', { key: offer.key, addons: [addon.name] });
    expect((await kit.issue({ license_key: offer.key, file: offer.file })).status).toBe(201);
  });

  it('403 VERSION_DENIED: rules judge the version that is asked for', async () => {
    const { product, key, file } = await kit.offer('x');
    const config = { range: '<1' };
    const rule = await kit.app.rest('POST', '/rules', { type: 'version', action: 'allow', config });
    await kit.app.rest('POST', '/rules/attach', { rule: rule.body.name, product });
    const response = await kit.issue({ license_key: key, file });
    expect([response.status, response.body.code]).toEqual([403, 'VERSION_DENIED']);
    await kit.app.rest('PATCH', '/rules', { name: rule.body.name, config: { range: '^1.0.0' } });
    expect((await kit.issue({ license_key: key, file })).status).toBe(201);
  });

  it('403 WHITELIST_…: enforced lists are looked at and nothing is bound', async () => {
    const { product, key, file } = await kit.offer('x');
    const list = { name: 'download machines', type: 'header', header: 'X-HWID', limit: 1 };
    await kit.app.rest('POST', '/whitelists', list);
    await kit.app.rest('POST', '/whitelists/attach', { whitelist: list.name, product });
    const code = async (headers: Record<string, string>) =>
      (await kit.issue({ license_key: key, file }, headers)).body.code as unknown;
    expect(await code({})).toBe('WHITELIST_REQUIRED');
    expect(await code({ 'X-HWID': 'a' })).toBeUndefined();
    expect(await code({ 'X-HWID': 'b' })).toBeUndefined();
    const values = async () =>
      (await kit.app.rest('GET', `/licenses/whitelists?license=${key}`)).body[0].values as unknown;
    expect(await values()).toEqual([]);
    await kit.app.anonymous(
      'POST',
      '/licenses/validate',
      { license_key: key },
      { headers: { 'X-HWID': 'b' } },
    );
    expect(await code({ 'X-HWID': 'a' })).toBe('WHITELIST_LIMIT_REACHED');
    expect(await code({ 'X-HWID': 'b' })).toBeUndefined();
    await kit.app.rest('PATCH', '/whitelists', { name: list.name, limit: 0 });
    expect(await code({ 'X-HWID': 'a' })).toBe('WHITELIST_MISMATCH');
    expect(await values()).toEqual(['b']);
  });

  it('201: a value that a list of the type field asks for is read from the body', async () => {
    const { product, key, file } = await kit.offer('x');
    const list = { name: 'download fields', type: 'field', field: 'machine' };
    await kit.app.rest('POST', '/whitelists', list);
    await kit.app.rest('POST', '/whitelists/attach', { whitelist: list.name, product });
    expect((await kit.issue({ license_key: key, file })).body.code).toBe('WHITELIST_REQUIRED');
    expect((await kit.issue({ license_key: key, file, machine: 'a' })).status).toBe(201);
  });

  it('201: takes no seat, and needs none', async () => {
    const { key, file } = await kit.offer('x');
    await kit.app.rest('PATCH', '/licenses', { key, seats: 1 });
    await kit.app.anonymous('POST', '/licenses/validate', { license_key: key, identifier: 'the only one' });
    expect((await kit.issue({ license_key: key, file })).status).toBe(201);
    expect((await kit.app.rest('GET', `/sessions?license=${key}`)).body).toHaveLength(1);
  });

  it('409 FILE_NOT_ISSUABLE: a file that is not complete', async () => {
    const { key } = await kit.offer('x');
    const { body } = await kit.app.rest('POST', '/files', {});
    const response = await kit.issue({ license_key: key, file: body.name });
    expect([response.status, response.body.code]).toEqual([409, 'FILE_NOT_ISSUABLE']);
  });

  it.each([
    ['max_uses', 0],
    ['max_uses', 101],
    ['expires_in', 59],
    ['expires_in', 604_801],
    ['max_uses', 'many'],
  ])('422 INVALID_FIELD: %s %p', async (field, value) => {
    const { key, file } = await kit.offer('x');
    const response = await kit.issue({ license_key: key, file, [field]: value });
    expect([response.status, response.body.errors]).toMatchObject([422, [{ pointer: `/${field}` }]]);
  });

  it('201: the same link for the same Idempotency-Key', async () => {
    const { key, file } = await kit.offer('x');
    const headers = { 'Idempotency-Key': 'one-link' };
    const first = await kit.issue({ license_key: key, file }, headers);
    const again = await kit.issue({ license_key: key, file }, headers);
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
    expect((await kit.app.rest('GET', `/downloads?license=${key}`)).body).toHaveLength(1);
  });

  it('201: max_uses and expires_in as they are asked for', async () => {
    const { key, file } = await kit.offer('x');
    const { body } = await kit.issue({ license_key: key, file, max_uses: 100, expires_in: 604_800 });
    const expiresAt = new Date(kit.app.clock.now().getTime() + 604_800_000).toISOString();
    expect(body).toMatchObject({ max_uses: 100, expires_at: expiresAt });
  });
});
