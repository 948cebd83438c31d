import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesOf, streamPieces } from '../../src/licensing/downloads/stamp/pieces.js';
import type { OpenRange } from '../../src/licensing/downloads/stamp/pieces.js';
import { stampArchive } from '../../src/licensing/downloads/stamp/stamp-archive.js';
import { directoryHeader, endRecords } from '../../src/licensing/downloads/stamp/zip-records.rules.js';
import { startDownloads } from '../support/downloads.js';
import type { DownloadKit } from '../support/downloads.js';
import { readZip, zipOf } from '../support/zip.js';

const ENTRY = {
  name: 'META-INF/build.json',
  content: Buffer.from('{"build_id":"bld_1"}\n'),
  modifiedAt: new Date('2026-01-15T12:34:56Z'),
};

const opener =
  (stored: Buffer): OpenRange =>
  ({ start, end }) =>
    // In small pieces, so that records are cut anywhere.
    Promise.resolve(Readable.from(cut(stored.subarray(start, end + 1), 7)));

function* cut(bytes: Buffer, length: number) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function stamped(stored: Buffer): Promise<Buffer | undefined> {
  const pieces = await stampArchive(stored.length, opener(stored), ENTRY);
  if (!pieces) return undefined;
  const all = streamPieces(pieces, { start: 0, end: bytesOf(pieces) - 1 }, opener(stored));
  return Buffer.concat((await all.toArray()) as Buffer[]);
}

describe('stampArchive', () => {
  const names = fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8})?\.txt$/);
  const archives = fc.record({
    files: fc.dictionary(names, fc.uint8Array({ maxLength: 200 }), { maxKeys: 6 }),
    comment: fc.uint8Array({ maxLength: 40 }),
    ahead: fc.uint8Array({ maxLength: 40 }),
    zip64: fc.boolean(),
    hasOne: fc.boolean(),
  });

  it('adds the entry and keeps everything else: files, comment, bytes ahead of it, zip64', async () => {
    await fc.assert(
      fc.asyncProperty(archives, async ({ files, hasOne, ...options }) => {
        const entries = new Map(Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes)]));
        if (hasOne) entries.set(ENTRY.name, Buffer.from('an older one'));
        const stored = zipOf(entries, options);
        const result = await stamped(stored);
        const read = readZip(result ?? Buffer.alloc(0));
        expect(read.entries).toEqual(
          new Map([...entries].filter(([name]) => name !== ENTRY.name)).set(ENTRY.name, ENTRY.content),
        );
        expect(read.comment).toEqual(Buffer.from(options.comment));
        expect(await stamped(stored)).toEqual(result);
      }),
      { numRuns: 200 },
    );
  });

  it('gives any range as it is in the whole', async () => {
    const stored = zipOf(
      new Map([
        ['a.txt', Buffer.from('aaaa')],
        [ENTRY.name, Buffer.from('old')],
      ]),
      {},
    );
    const whole = await stamped(stored);
    const pieces = await stampArchive(stored.length, opener(stored), ENTRY);
    if (!whole || !pieces) throw new Error('It was not stamped');
    expect(bytesOf(pieces)).toBe(whole.length);
    for (let start = 0; start < whole.length; start += 3) {
      const range = { start, end: Math.min(start + 50, whole.length - 1) };
      const part = (await streamPieces(pieces, range, opener(stored)).toArray()) as Buffer[];
      expect(Buffer.concat(part)).toEqual(whole.subarray(start, range.end + 1));
    }
  });

  it('says so of what is no archive, or a broken one', async () => {
    const good = zipOf(new Map([['a.txt', Buffer.from('aaaa')]]), {});
    const broken = Buffer.from(good);
    broken.writeUInt32LE(0, good.length - 22 - 51);
    const farAway = Buffer.from(good);
    farAway.writeUInt32LE(0x7fffffff, good.length - 6);
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('PK'),
      Buffer.alloc(1000),
      good.subarray(0, -1),
      broken,
      farAway,
    ]) {
      expect(await stamped(bytes)).toBeUndefined();
    }
  });

  it('writes zip64 records beyond 4 GiB and 65534 entries', () => {
    const at = 5 * 2 ** 30;
    const header = directoryHeader(ENTRY, at);
    expect([header.readUInt32LE(42), header.readBigUInt64LE(header.length - 8)]).toEqual([
      0xffffffff,
      BigInt(at),
    ]);
    const end = endRecords({ offset: at, bytes: 100 }, 65_535, { comment: Buffer.from('c'), zip64: false });
    expect(end.length).toBe(56 + 20 + 22 + 1);
    expect([end.readBigUInt64LE(32), end.readBigUInt64LE(48)]).toEqual([65_535n, BigInt(at)]);
    expect(end.readBigUInt64LE(56 + 8)).toBe(BigInt(at + 100));
    expect([end.readUInt16LE(76 + 10), end.readUInt32LE(76 + 16)]).toEqual([0xffff, 0xffffffff]);
  });
});

describe('GET /download/:token of a stamped file', () => {
  let kit: DownloadKit;
  const jar = zipOf(
    new Map([
      ['META-INF/MANIFEST.MF', Buffer.from('Manifest-Version: 1.0\n')],
      ['Main.class', Buffer.alloc(300_000, 'class ')],
    ]),
    { comment: Buffer.from('kept') },
  );

  beforeAll(async () => {
    kit = await startDownloads();
  });

  it('200: names build and license, opens with a real unzip, resumes, and is found by its build', async () => {
    const offer = await kit.offer(jar, { asset: 'app.jar', stamp: true });
    const { path, buildId } = await kit.link(offer, { max_uses: 3 });
    const issuedAt = kit.app.clock.now().toISOString();
    const whole = await kit.get(path);
    const { entries, comment } = readZip(whole.bytes);
    expect(whole.headers['content-length']).toBe(String(whole.bytes.length));
    expect(JSON.parse(entries.get('META-INF/build.json')?.toString() ?? '')).toEqual({
      build_id: buildId,
      license: createHash('sha256').update(offer.key).digest('hex'),
      issued_at: issuedAt,
    });
    expect([entries.get('Main.class')?.length, comment.toString()]).toEqual([300_000, 'kept']);
    const head = await kit.get(path, {}, 'HEAD');
    expect([head.headers.etag, head.headers['content-length']]).toEqual([
      whole.headers.etag,
      whole.headers['content-length'],
    ]);
    kit.app.clock.advance(60_000);
    const rest = await kit.get(path, { range: 'bytes=300-', 'if-range': String(whole.headers.etag) });
    expect([rest.status, rest.bytes.equals(whole.bytes.subarray(300))]).toEqual([206, true]);
    expect(await kit.build(buildId)).toMatchObject({ license: offer.key, uses: 2 });
    const another = await kit.get((await kit.link(offer)).path);
    expect(another.headers.etag).not.toBe(whole.headers.etag);
    await opensWithTools(whole.bytes);
  });

  it.each([
    ['app.bin', jar],
    ['app.zip', Buffer.from('not a zip at all, whatever its name says')],
    ['app.zip', Buffer.alloc(0)],
  ])('200: %s as it is, when it can not be stamped', async (asset, content) => {
    const { path } = await kit.link(await kit.offer(content, { asset, stamp: true }));
    const { status, bytes, headers } = await kit.get(path);
    expect([status, bytes.equals(content)]).toEqual([200, true]);
    expect(headers.etag).toBe(`"${createHash('sha256').update(content).digest('hex')}"`);
  });
});

/** Where the machine has them, tools that others wrote have the last word. */
async function opensWithTools(archive: Buffer): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'stamp-'));
  const path = join(directory, 'app.jar');
  await writeFile(path, archive);
  for (const [tool, args] of [
    ['unzip', ['-tq', path]],
    [
      'python3',
      ['-c', 'import sys, zipfile; sys.exit(zipfile.ZipFile(sys.argv[1]).testzip() is not None)', path],
    ],
  ] as const) {
    await promisify(execFile)(tool, args).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    });
  }
  expect((await readFile(path)).length).toBe(archive.length);
  await rm(directory, { recursive: true });
}
