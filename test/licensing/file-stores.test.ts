import { createHash, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { StoredAsset } from '../../src/licensing/files/store/file-store.js';
import { until } from '../support/embedded-postgres-kit.js';
import { githubKit } from '../support/files/github-kit.js';
import { localKit } from '../support/files/local-kit.js';
import { s3Kit } from '../support/files/s3-kit.js';
import type { StoreKit } from '../support/files/store-kit.js';

const MEGABYTE = 1024 * 1024;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Ways out of a directory, of a URL and of a query, as a name or as a part of one. */
const TRICKS = [
  ...['..', '.', '', '../..', '../../etc/passwd', '/etc/passwd', 'a/../../b', '..\\..\\x', 'a\0b', 'a\nb'],
  ...['%2e%2e', '%2e%2e%2fapp', '..%2f..%2fx', 'x?y=z', 'x#y', '~root', '.release.json', 'a/b/c', '\ud800'],
];

/** What every provider must do alike. */
describe.each([
  { provider: 'local', start: localKit },
  { provider: 'github', start: githubKit },
  { provider: 's3', start: s3Kit },
])('$provider', ({ start }) => {
  let kit: StoreKit;
  const app = { repository: 'acme/app', version: '1.2.0' };

  const assetOf = async (repository: string, version: string, name: string): Promise<StoredAsset> => {
    const found = (await kit.store.assets(repository)).find(
      (asset) => asset.version === version && asset.name === name,
    );
    if (!found) throw new Error(`The store lists no ${repository} ${version} ${name}`);
    return found;
  };
  const bytesOf = async (stream: Promise<Readable>) => buffer(await stream);

  beforeAll(async () => {
    kit = await start();
    await kit.put({
      ...app,
      assets: { 'app.zip': Buffer.from('the app'), 'notes for you.txt': Buffer.from('new') },
    });
    await kit.put({
      repository: 'acme/app',
      version: 'v2.0.0-rc.1',
      prerelease: true,
      assets: { 'app.zip': Buffer.from('rc') },
    });
    await kit.put({ repository: 'acme/Lib.js', version: '1.0.0', assets: { lib: Buffer.alloc(0) } });
    await kit.put({ repository: 'Beta-2/app', version: '1.0.0', assets: { 'app.jar': Buffer.from('beta') } });
  });

  it('has nothing where nothing was published', async () => {
    const { store } = await start();
    expect([await store.repositories(), await store.assets('acme/app')]).toEqual([[], []]);
  });

  it('lists its repositories in order', async () => {
    expect(await kit.store.repositories()).toEqual(['Beta-2/app', 'acme/Lib.js', 'acme/app']);
  });

  it('lists every asset of every release with its size and sha256', async () => {
    const assets = (await kit.store.assets('acme/app')).map(({ handle, ...asset }) => {
      expect(handle).toEqual(expect.any(String));
      return asset;
    });
    const text = (name: string, content: string) => ({
      ...{ name, bytes: content.length, sha256: sha256(Buffer.from(content)) },
    });
    expect(assets).toHaveLength(3);
    expect(assets).toEqual(
      expect.arrayContaining([
        { version: '1.2.0', prerelease: false, ...text('app.zip', 'the app') },
        { version: '1.2.0', prerelease: false, ...text('notes for you.txt', 'new') },
        { version: 'v2.0.0-rc.1', prerelease: true, ...text('app.zip', 'rc') },
      ]),
    );
  });

  it('lists nothing for a repository that does not exist', async () => {
    expect(await kit.store.assets('acme/nothing')).toEqual([]);
    expect(await kit.store.assets('nobody/app')).toEqual([]);
  });

  it('lists nothing for a name that would lead elsewhere', async () => {
    const part = fc.oneof(fc.constantFrom(...TRICKS), fc.constantFrom('acme', 'app'));
    const repository = fc.array(part, { maxLength: 4 }).map((parts) => parts.join('/'));
    await fc.assert(
      fc.asyncProperty(repository, async (name) => {
        fc.pre(name !== 'acme/app');
        expect(await kit.store.assets(name)).toEqual([]);
      }),
    );
  });

  it('opens an asset, and any range of it', async () => {
    const content = randomBytes(3 * MEGABYTE + 17);
    await kit.put({ repository: 'acme/big', version: '1.0.0', assets: { 'big.bin': content } });
    const asset = await assetOf('acme/big', '1.0.0', 'big.bin');
    expect(sha256(await bytesOf(kit.store.open('acme/big', asset)))).toBe(asset.sha256);
    const offset = fc.integer({ min: 0, max: content.length - 1 });
    await fc.assert(
      fc.asyncProperty(offset, offset, async (a, b) => {
        const range = { start: Math.min(a, b), end: Math.max(a, b) };
        const part = await bytesOf(kit.store.open('acme/big', asset, range));
        expect(part.equals(content.subarray(range.start, range.end + 1))).toBe(true);
      }),
      {
        numRuns: 25,
        examples: [
          [0, 0],
          [content.length - 1, content.length - 1],
          [0, content.length - 1],
        ],
      },
    );
  });

  it('opens an asset without bytes', async () => {
    const asset = await assetOf('acme/Lib.js', '1.0.0', 'lib');
    expect(asset).toMatchObject({ bytes: 0, sha256: sha256(Buffer.alloc(0)) });
    expect((await bytesOf(kit.store.open('acme/Lib.js', asset))).length).toBe(0);
  });

  it('404 FILE_NOT_FOUND for an asset that has gone since it was listed', async () => {
    await kit.put({
      repository: 'acme/gone',
      version: '1.0.0',
      assets: { a: Buffer.from('a'), b: Buffer.from('b') },
    });
    const asset = await assetOf('acme/gone', '1.0.0', 'a');
    await kit.remove('acme/gone', '1.0.0', 'a');
    await expect(kit.store.open('acme/gone', asset)).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
      status: 404,
    });
    const names = (await kit.store.assets('acme/gone')).map(({ name }) => name);
    expect(names).toEqual(['b']);
  });

  it('404 FILE_NOT_FOUND for an asset that was replaced by another of its length', async () => {
    await kit.put({ repository: 'acme/new', version: '1.0.0', assets: { a: Buffer.from('old') } });
    const asset = await assetOf('acme/new', '1.0.0', 'a');
    await kit.put({ repository: 'acme/new', version: '1.0.0', assets: { a: Buffer.from('new') } });
    for (const range of [undefined, { start: 1, end: 2 }]) {
      const opened = kit.store.open('acme/new', asset, range);
      await expect(opened).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    }
    const replaced = await assetOf('acme/new', '1.0.0', 'a');
    expect((await bytesOf(kit.store.open('acme/new', replaced))).toString()).toBe('new');
  });

  it('404 FILE_NOT_FOUND for names that would lead elsewhere, wherever they stand', async () => {
    const asset = await assetOf('acme/app', '1.2.0', 'app.zip');
    for (const trick of TRICKS) {
      const tricked = [
        kit.store.open(`acme/${trick}`, asset),
        kit.store.open(trick, asset),
        kit.store.open('acme/app', { ...asset, version: trick, name: trick, handle: trick }),
      ];
      for (const opened of await Promise.allSettled(tricked)) {
        expect([trick, opened]).toMatchObject([trick, { reason: { code: 'FILE_NOT_FOUND' } }]);
      }
    }
  });

  it('sends no more than its reader takes, and ends with it', async () => {
    const content = Buffer.alloc(64 * MEGABYTE, 'x');
    await kit.put({ repository: 'acme/huge', version: '1.0.0', assets: { huge: content } });
    const asset = await assetOf('acme/huge', '1.0.0', 'huge');
    const before = kit.sent?.() ?? 0;
    const stream = await kit.store.open('acme/huge', asset);
    stream.once('readable', () => stream.read(1));
    await until(() => stream.readableLength > 0);
    // The system's own buffers take some; a stream that didn't wait for its reader would take it all.
    expect((kit.sent?.() ?? 0) - before).toBeLessThan(32 * MEGABYTE);
    expect(stream.readableLength).toBeLessThan(MEGABYTE);
    stream.destroy();
    await until(() => stream.closed && (kit.underWay?.() ?? 0) === 0);
  });

  it('lists a repository of 120 releases and 1 200 assets', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `asset-${index}`);
    const putMinor = (minor: number) => {
      const assets = Object.fromEntries(names.map((name) => [name, Buffer.from(`${minor} ${name}`)]));
      return kit.put({ repository: 'acme/many', version: `1.${minor}.0`, assets });
    };
    await Promise.all(Array.from({ length: 120 }, (_, minor) => putMinor(minor)));
    const assets = await kit.store.assets('acme/many');
    expect(new Set(assets.map(({ version, name }) => `${version} ${name}`)).size).toBe(1200);
    expect(assets).toHaveLength(1200);
    const wrong = assets.filter(({ version, name, ...asset }) => {
      const [, minor = ''] = version.split('.');
      return asset.sha256 !== sha256(Buffer.from(`${minor} ${name}`));
    });
    expect(wrong).toEqual([]);
  });

  it('503 UNAVAILABLE with Retry-After when it is away', async () => {
    const asset = await assetOf('acme/app', '1.2.0', 'app.zip');
    await kit.breakDown();
    const away = {
      ...{ code: 'UNAVAILABLE', status: 503, headers: { 'Retry-After': '5' } },
      message: 'The file store is away; try again later',
    };
    await expect(kit.store.repositories()).rejects.toMatchObject(away);
    await expect(kit.store.assets('acme/app')).rejects.toMatchObject(away);
    await expect(kit.store.open('acme/app', asset)).rejects.toMatchObject(away);
  });
});
