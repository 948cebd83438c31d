import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityNamed } from '../support/activity.js';
import { startDownloads } from '../support/downloads.js';
import type { DownloadKit } from '../support/downloads.js';

let kit: DownloadKit;

const SMALL = randomBytes(100_000);

beforeAll(async () => {
  kit = await startDownloads();
});

const codeOf = ({ bytes }: { bytes: Buffer }) =>
  (JSON.parse(bytes.toString('utf8')) as { code: string }).code;

const uses = async (buildId: string) => (await kit.build(buildId)).uses as number;

describe('GET /download/:token', () => {
  it('200: the file, told by every header, and counted before its last byte is out', async () => {
    const offer = await kit.offer(SMALL, { asset: 'Plän 1.bin' });
    const { path, buildId } = await kit.link(offer);
    const { status, headers, bytes } = await kit.get(path);
    const now = kit.app.clock.now().toISOString();
    expect(await kit.build(buildId)).toMatchObject({ uses: 1, delivered_at: now });
    expect([status, bytes.equals(SMALL)]).toEqual([200, true]);
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '100000',
      'content-disposition': `attachment; filename="Pl?n 1.bin"; filename*=UTF-8''Pl%C3%A4n%201.bin`,
      etag: `"${createHash('sha256').update(SMALL).digest('hex')}"`,
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store, no-transform',
      'x-content-type-options': 'nosniff',
    });
    const delivered = (await activityNamed(kit.app, 'download.delivered')).filter(
      (e) => e.resource_id === buildId,
    );
    expect(delivered).toMatchObject([
      { changes: { delivered_at: [null, now] }, actor: `license:…${offer.key.slice(-6)}` },
    ]);
    const again = await kit.get(path);
    expect([again.status, codeOf(again)]).toEqual([410, 'DOWNLOAD_EXHAUSTED']);
  });

  it('200: an empty file', async () => {
    const { path, buildId } = await kit.link(await kit.offer(''));
    const { status, headers, bytes } = await kit.get(path);
    expect([status, headers['content-length'], bytes.length]).toEqual([200, '0', 0]);
    expect(await uses(buildId)).toBe(1);
  });

  it('HEAD 200, 304 and 416: cost no use', async () => {
    const { path, buildId } = await kit.link(await kit.offer(SMALL));
    const head = await kit.get(path, { range: 'bytes=5-' }, 'HEAD');
    expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([200, '100000', 0]);
    const etag = String(head.headers.etag);
    const known = await kit.get(path, { 'if-none-match': `"other", W/${etag}` });
    expect([known.status, known.headers.etag, known.bytes.length]).toEqual([304, etag, 0]);
    const beyond = await kit.get(path, { range: 'bytes=100000-' });
    expect([beyond.status, codeOf(beyond)]).toEqual([416, 'RANGE_NOT_SATISFIABLE']);
    expect(beyond.headers['content-range']).toBe('bytes */100000');
    expect(await uses(buildId)).toBe(0);
  });

  it.each([
    ['bytes=99000-', 206, 99_000, 99_999],
    ['bytes=-10', 206, 99_990, 99_999],
    ['bytes=0-', 206, 0, 99_999],
    ['bytes=-200000', 206, 0, 99_999],
    ['bytes=0-10,20-30', 200, 0, 99_999],
    ['lines=1-2', 200, 0, 99_999],
    ['bytes=9-3', 200, 0, 99_999],
  ])('%s %d', async (range, status, start, end) => {
    const { path, buildId } = await kit.link(await kit.offer(SMALL));
    const response = await kit.get(path, { range });
    expect([response.status, response.bytes.equals(SMALL.subarray(start, end + 1))]).toEqual([status, true]);
    const contentRange = status === 206 ? `bytes ${start}-${end}/100000` : undefined;
    expect(response.headers['content-range']).toBe(contentRange);
    expect(await uses(buildId)).toBe(1);
  });

  it('If-Range: a range of another file is answered with all of this one', async () => {
    const { path } = await kit.link(await kit.offer(SMALL), { max_uses: 2 });
    const { etag } = (await kit.get(path, {}, 'HEAD')).headers;
    const same = await kit.get(path, { range: 'bytes=5-', 'if-range': String(etag) });
    const another = await kit.get(path, { range: 'bytes=5-', 'if-range': '"x"' });
    expect([same.status, another.status, another.bytes.length]).toEqual([206, 200, 100_000]);
  });

  it('404: an unknown token, a file that is gone, a license that is gone', async () => {
    for (const token of ['x', 'A'.repeat(43), '%00', 'x'.repeat(1024)]) {
      const response = await kit.get(`/download/${token}`);
      expect([token.slice(0, 9), response.status]).toEqual([token.slice(0, 9), 404]);
    }
    const offer = await kit.offer(SMALL);
    const { path } = await kit.link(offer);
    await kit.app.rest('DELETE', '/files', { name: offer.file });
    expect(codeOf(await kit.get(path))).toBe('FILE_NOT_FOUND');
    await kit.app.rest('DELETE', '/licenses', { key: offer.key });
    expect(codeOf(await kit.get(path))).toBe('LICENSE_NOT_FOUND');
  });

  it('403: the license may not be used any more', async () => {
    const offer = await kit.offer(SMALL);
    const { path, buildId } = await kit.link(offer);
    await kit.app.rest('PATCH', '/licenses', { key: offer.key, status: 'suspended' });
    const suspended = await kit.get(path);
    expect([suspended.status, codeOf(suspended)]).toEqual([403, 'SUSPENDED']);
    expect(await uses(buildId)).toBe(0);
    await kit.app.rest('PATCH', '/licenses', { key: offer.key, status: 'active' });
    expect((await kit.get(path)).status).toBe(200);
  });

  it('404: the release was replaced since; the use is given back', async () => {
    const offer = await kit.offer(SMALL);
    const { path, buildId } = await kit.link(offer);
    await kit.app.sql(`update download set asset = asset || '{"bytes": 7}', bytes = 7 where build_id = $1`, [
      buildId,
    ]);
    expect([(await kit.get(path)).status, await uses(buildId)]).toEqual([404, 0]);
  });
});
