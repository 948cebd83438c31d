import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import S3rver from 's3rver';
import { S3Store } from '../../src/licensing/files/store/s3-store.js';
import { closeAfterwards } from '../support/database.js';
import { until } from '../support/embedded-postgres-kit.js';
import { APP as app, CONTENT, IMPATIENT, answerAll, firstAsset } from '../support/files/one-release.js';
import { PREFIX, S3_SETTINGS, md5, s3Kit } from '../support/files/s3-kit.js';
import type { S3Kit } from '../support/files/s3-kit.js';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();

describe('s3', () => {
  let kit: S3Kit;
  const key = `${PREFIX}acme/app/1.0.0/app`;
  const etag = `"${md5(CONTENT)}"`;

  beforeEach(async () => {
    kit = await s3Kit();
    await kit.put(app);
  });

  it('takes the sha256 from the checksum of the whole, else from the metadata, else from nowhere', async () => {
    const digest = sha256(CONTENT);
    const whole = {
      'x-amz-checksum-sha256': digest.toString('base64'),
      'x-amz-checksum-type': 'FULL_OBJECT',
    };
    const parts = {
      'x-amz-checksum-sha256': `${digest.toString('base64')}-2`,
      'x-amz-checksum-type': 'COMPOSITE',
    };
    const said = { 'x-amz-meta-sha256': 'AB'.repeat(32) };
    const found = async (headers: Record<string, string>) => {
      const own = await s3Kit();
      own.objects.set(key, { bytes: CONTENT, headers: { etag, ...headers } });
      return (await firstAsset(own.store)).sha256;
    };
    expect(await found({ ...whole, ...said })).toBe(digest.toString('hex'));
    expect(await found({ ...parts, ...said })).toBe('ab'.repeat(32));
    expect(await found(parts)).toBeNull();
    expect(await found({ 'x-amz-meta-sha256': 'unknown' })).toBeNull();
  });

  it('asks for the sha256 of an object once, and again when it is another', async () => {
    const heads = () => kit.server.asked.filter(({ method }) => method === 'HEAD').length;
    await kit.store.assets('acme/app');
    await kit.store.assets('acme/app');
    expect(heads()).toBe(1);
    await kit.put({ ...app, assets: { app: Buffer.from('another') } });
    expect((await firstAsset(kit.store)).sha256).toBe(sha256(Buffer.from('another')).toString('hex'));
    expect(heads()).toBe(2);
  });

  it('lists nothing that is no asset', async () => {
    const headers = { etag };
    for (const stray of [
      'readme',
      'acme/app/stray',
      'acme/app/1.0.0/deep/er',
      'acme/app/.hidden/x',
      'acme/app/1.0.0/.x',
    ]) {
      kit.objects.set(`${PREFIX}${stray}`, { bytes: CONTENT, headers });
    }
    kit.objects.set('elsewhere/acme/app/9.9.9/app', { bytes: CONTENT, headers });
    expect((await kit.store.assets('acme/app')).map(({ version, name }) => [version, name])).toEqual([
      ['1.0.0', 'app'],
    ]);
    expect(await kit.store.repositories()).toEqual(['acme/app']);
  });

  it('404 for an object that was replaced, where the store knows no conditions', async () => {
    const asset = await firstAsset(kit.store);
    answerAll(kit.server, (res) =>
      res.writeHead(200, { etag: '"other"', 'content-length': 10 }).end(CONTENT),
    );
    await expect(kit.store.open('acme/app', asset)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  it('cuts the range out itself where the store sends everything', async () => {
    const asset = await firstAsset(kit.store);
    answerAll(kit.server, (res) => res.writeHead(200, { etag, 'content-length': 10 }).end(CONTENT));
    const part = await buffer(await kit.store.open('acme/app', asset, { start: 3, end: 5 }));
    expect(part.toString()).toBe('345');
  });

  it('503 for a bucket that does not exist and for a key that is refused', async () => {
    const away = { code: 'UNAVAILABLE', status: 503 };
    const elsewhere = { ...S3_SETTINGS, endpoint: kit.server.url };
    for (const wrong of [{ bucket: 'nobody' }, { accessKeyId: 'AKIAOTHER' }]) {
      await expect(new S3Store({ ...elsewhere, ...wrong }).assets('acme/app')).rejects.toMatchObject(away);
      await expect(new S3Store({ ...elsewhere, ...wrong }).repositories()).rejects.toMatchObject(away);
    }
  });

  it('503 when it takes the question and never answers', async () => {
    answerAll(kit.server, () => undefined);
    const store = kit.storeWith(IMPATIENT);
    await expect(store.assets('acme/app')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('breaks a transfer off that stalls, and not one whose reader does', async () => {
    const store = kit.storeWith(IMPATIENT);
    const large = Buffer.alloc(4 * 1024 * 1024, 'x');
    await kit.put({ ...app, assets: { app: large } });
    const slow = await store.open('acme/app', await firstAsset(store));
    const other = await store.open('acme/app', await firstAsset(store));
    await until(() => slow.readableLength > 0);

    answerAll(kit.server, (res) => res.writeHead(200, { etag, 'content-length': 10 }).write('0123'));
    const stalled = await store.open('acme/app', { ...listed(etag) });
    await expect(buffer(stalled)).rejects.toThrow('stalled');

    // By now, longer than it may stall has passed for the others, whose bytes were there to be taken all the time.
    expect([(await buffer(slow)).length, (await buffer(other)).length]).toEqual([large.length, large.length]);
    function listed(handle: string) {
      return { version: '1.0.0', prerelease: false, name: 'app', bytes: 10, sha256: null, handle };
    }
  });

  it('serves more readers at once than the SDK keeps connections', async () => {
    const large = Buffer.alloc(8 * 1024 * 1024, 'x');
    await kit.put({ ...app, assets: { app: large } });
    const asset = await firstAsset(kit.store);
    const readers = await Promise.all(Array.from({ length: 60 }, () => kit.store.open('acme/app', asset)));
    expect(readers).toHaveLength(60);
    for (const reader of readers) reader.destroy();
    await until(() => kit.server.underWay() === 0);
  });
});

describe('s3, as another implementation speaks it (s3rver)', () => {
  let store: S3Store;

  beforeAll(async () => {
    const directory = mkdtempSync(join(tmpdir(), 's3-'));
    const configureBuckets = [{ name: 'releases', configs: [] }];
    const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets });
    const { port } = await server.run();
    closeAfterwards(async () => {
      await server.close();
      rmSync(directory, { recursive: true });
    });
    const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
    const endpoint = `http://127.0.0.1:${port}`;
    const settings = { endpoint, region: 'us-east-1', forcePathStyle: true };
    const client = new S3Client({ ...settings, credentials });
    const Metadata = { sha256: sha256(CONTENT).toString('hex') };
    const Key = 'acme/app/1.0.0/my app.zip';
    await client.send(new PutObjectCommand({ Bucket: 'releases', Key, Body: CONTENT, Metadata }));
    client.destroy();
    store = new S3Store({ ...settings, ...credentials, bucket: 'releases', prefix: '' });
  });

  it('lists what was uploaded, and opens it and a range of it', async () => {
    const asset = await firstAsset(store);
    expect(asset).toMatchObject({
      ...{ version: '1.0.0', name: 'my app.zip', bytes: 10, sha256: sha256(CONTENT).toString('hex') },
    });
    expect(await buffer(await store.open('acme/app', asset))).toEqual(CONTENT);
    const part = await buffer(await store.open('acme/app', asset, { start: 7, end: 9 }));
    expect(part.toString()).toBe('789');
    await expect(store.open('acme/app', { ...asset, handle: '"other"' })).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
    expect(await store.assets('acme/nothing')).toEqual([]);
  });
});
