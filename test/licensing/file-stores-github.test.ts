import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '../support/embedded-postgres-kit.js';
import { TOKEN, githubKit } from '../support/files/github-kit.js';
import type { GithubKit } from '../support/files/github-kit.js';
import { APP as app, CONTENT, IMPATIENT, answerAll, firstAsset } from '../support/files/one-release.js';

describe('github', () => {
  let kit: GithubKit;

  beforeEach(async () => {
    kit = await githubKit();
    await kit.put(app);
  });

  it('never sends the token to where an asset is kept', async () => {
    await buffer(await kit.store.open('acme/app', await firstAsset(kit.store)));
    expect(kit.api.asked.map(({ headers }) => headers.authorization)).toEqual([
      `token ${TOKEN}`,
      `token ${TOKEN}`,
    ]);
    expect(kit.storage.asked.map(({ rawHeaders }) => rawHeaders.join())).toEqual([
      expect.not.stringMatching(/token|authorization/i),
    ]);
  });

  it('never sends the token along when a list leads to another origin', async () => {
    answerAll(kit.api, (res) => res.writeHead(301, { location: `${kit.storage.url}/repos` }).end());
    answerAll(kit.storage, (res) => res.writeHead(200, { 'content-type': 'application/json' }).end('[]'));
    expect(await kit.store.assets('acme/app')).toEqual([]);
    expect(kit.storage.asked[0]?.headers.authorization).toBeUndefined();
  });

  it('goes on with the token where a renamed repository leads within the API', async () => {
    await kit.put({ ...app, repository: 'acme/new-name' });
    const asset = await firstAsset(kit.store);
    const [moved] = await kit.store.assets('acme/new-name');
    kit.api.interfere = (req, res) => {
      if (req.url?.includes('/acme/app/') !== true) return false;
      const location = `${kit.apiUrl}/repos/acme/new-name/releases/assets/${moved?.handle ?? ''}`;
      res.writeHead(301, { location }).end();
      return true;
    };
    expect(await buffer(await kit.store.open('acme/app', asset))).toEqual(CONTENT);
  });

  it('asks for a list again only whether it has changed', async () => {
    const first = await kit.store.assets('acme/app');
    expect(await kit.store.assets('acme/app')).toEqual(first);
    const conditions = () => kit.api.asked.map(({ headers }) => headers['if-none-match'] !== undefined);
    expect(conditions()).toEqual([false, true]);
    await kit.put({ ...app, version: '1.1.0' });
    expect((await kit.store.assets('acme/app')).map(({ version }) => version)).toEqual(['1.1.0', '1.0.0']);
    expect((await kit.store.assets('acme/app')).length).toBe(2);
    expect(conditions()).toEqual([false, true, true, true]);
  });

  it('lists no drafts, and nothing that is still being uploaded; without a digest the sha256 is null', async () => {
    kit.releases.set('acme/app', [
      { tag: '2.0.0', draft: true, prerelease: false, assets: [asset(1, 'uploaded')] },
      { tag: '1.0.0', draft: false, prerelease: false, assets: [asset(2, 'starter'), asset(3, 'uploaded')] },
    ]);
    expect(await kit.store.assets('acme/app')).toEqual([
      { version: '1.0.0', prerelease: false, name: 'a-3', bytes: 10, sha256: null, handle: '3' },
    ]);
    function asset(id: number, state: string) {
      return { id, state, name: `a-${id}`, bytes: CONTENT, hasDigest: false };
    }
  });

  it('503 with the time until the rate limit ends', async () => {
    const date = new Date().toUTCString();
    const reset = String(Date.parse(date) / 1000 + 600);
    answerAll(kit.api, (res) => {
      const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset, date };
      res.writeHead(403, headers).end('{"message":"API rate limit exceeded"}');
    });
    const refused = { code: 'UNAVAILABLE', status: 503, headers: { 'Retry-After': '601' } };
    await expect(kit.store.assets('acme/app')).rejects.toMatchObject(refused);
    expect(kit.api.asked).toHaveLength(1);
  });

  it('503 with the wait that a secondary limit asks for', async () => {
    answerAll(kit.api, (res) => {
      const body = '{"message":"You have exceeded a secondary rate limit"}';
      res.writeHead(429, { 'retry-after': '90', 'content-type': 'application/json' }).end(body);
    });
    const refused = { code: 'UNAVAILABLE', headers: { 'Retry-After': '90' } };
    await expect(kit.store.assets('acme/app')).rejects.toMatchObject(refused);
    expect(kit.api.asked).toHaveLength(1);
  });

  it('waits for a limit that ends in a second', async () => {
    kit.api.interfere = (_req, res) => {
      kit.api.interfere = undefined;
      const body = '{"message":"You have exceeded a secondary rate limit"}';
      res.writeHead(429, { 'retry-after': '1', 'content-type': 'application/json' }).end(body);
      return true;
    };
    expect(await kit.store.assets('acme/app')).toHaveLength(1);
  });

  it('asks again after a 502', async () => {
    kit.api.interfere = (_req, res) => {
      kit.api.interfere = undefined;
      res.writeHead(502).end('Bad gateway');
      return true;
    };
    expect(await kit.store.assets('acme/app')).toHaveLength(1);
  });

  it('503 for a token that GitHub refuses, without naming it anywhere', async () => {
    const refused = await kit
      .storeWith({ token: 'ghp_wrong' })
      .assets('acme/app')
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'UNAVAILABLE', cause: { status: 401 } });
    const { message, stack, cause } = refused as Error & { cause: Error };
    expect([message, stack, cause.message, cause.stack].join()).not.toContain('ghp_wrong');
  });

  it.each(['<html>', '{"message":"no list"}', '[{"tag_name":1}]', ''])(
    '503 for the list %j',
    async (body) => {
      answerAll(kit.api, (res) => res.writeHead(200, { 'content-type': 'application/json' }).end(body));
      await expect(kit.store.assets('acme/app')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    },
  );

  it('503 when it takes the question and never answers', async () => {
    const store = kit.storeWith({ patience: IMPATIENT });
    const asset = await firstAsset(store);
    answerAll(kit.storage, () => undefined);
    await expect(store.open('acme/app', asset)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    answerAll(kit.api, () => undefined);
    await expect(store.assets('acme/app')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('breaks a transfer off that stalls', async () => {
    const store = kit.storeWith({ patience: IMPATIENT });
    const asset = await firstAsset(store);
    answerAll(kit.storage, (res) => res.writeHead(200, { 'content-length': 10 }).write('0123'));
    await expect(buffer(await store.open('acme/app', asset))).rejects.toThrow();
    await until(() => kit.storage.underWay() === 0);
  });

  it('cuts the range out itself where the storage sends everything', async () => {
    const asset = await firstAsset(kit.store);
    answerAll(kit.storage, (res) => {
      res.writeHead(200, { 'content-length': 10 });
      res.write(CONTENT.subarray(0, 4));
      res.end(CONTENT.subarray(4));
    });
    for (const [start, end] of [
      [0, 9],
      [2, 5],
      [4, 9],
      [9, 9],
      [0, 0],
    ] as const) {
      const part = await buffer(await kit.store.open('acme/app', asset, { start, end }));
      expect(part).toEqual(CONTENT.subarray(start, end + 1));
    }
  });

  it('404 when the storage has other bytes than were listed', async () => {
    const asset = await firstAsset(kit.store);
    answerAll(kit.storage, (res) => res.writeHead(200, { 'content-length': 11 }).end('01234567890'));
    await expect(kit.store.open('acme/app', asset)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  it('503 where an answer leads in circles, or nowhere', async () => {
    const asset = await firstAsset(kit.store);
    for (const location of [`${kit.storage.url}/again`, 'file:///etc/passwd', 'ftp://x/y']) {
      answerAll(kit.storage, (res) => res.writeHead(302, { location }).end());
      await expect(kit.store.open('acme/app', asset)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    }
  });
});
