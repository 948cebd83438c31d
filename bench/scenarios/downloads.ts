import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { publishRelease } from '../../src/licensing/files/store/publish-release.js';
import { ratio, takeTurns } from '../support/compare.js';
import { keyOf, seedLicenses, validations } from '../support/database.js';
import type { BenchDatabase } from '../support/database.js';
import { load } from '../support/load.js';
import { PIN_LOAD, startLimit, startProduct } from '../support/programs.js';
import type { Running } from '../support/programs.js';
import type { Finding } from '../support/report.js';
import type { Scenario } from '../support/scenario.js';

const MEBIBYTE = 1024 ** 2;
const FILE_BYTES = 2048 * MEBIBYTE;
const SLOW_READERS = 100;

/** A file of 2 GiB against a bare stream of it, what that costs in memory, and validations beside a hundred slow readers. */
export const downloads: Scenario = async ({ database, seconds, rounds }) => {
  await seedLicenses(database, 1_000);
  const root = await mkdtemp(join(tmpdir(), 'bench-files-'));
  const file = join(root, 'big.bin');
  await writeNoise(file, FILE_BYTES);
  const release = { repository: 'bench/app', version: '1.0.0', prerelease: false, force: false };
  await publishRelease({ root: join(root, 'store'), path: file, ...release });
  const limit = await startLimit('file-stream', database.url, { FILE: file });
  const product = await startProduct(database.url, { FILES_ROOT: join(root, 'store') });
  try {
    const path = await issue(database, product);
    await download(`${product.url}${path}`); // warms up, and so is the page cache
    const idle = product.memory();
    let most = idle;
    const watch = setInterval(() => (most = Math.max(most, product.memory())), 50);
    const best = await takeTurns(
      rounds,
      () => download(limit.url),
      () => download(`${product.url}${path}`),
      (bytesPerSecond) => bytesPerSecond,
    );
    clearInterval(watch);
    const isSame = (await digestOf(file)) === (await receivedDigest(`${product.url}${path}`));
    const alone = await validateBeside(product, seconds);
    const readers = await slowReaders(product.url, path);
    const beside = await validateBeside(product, seconds);
    for (const reader of readers) reader.destroy();
    return [
      { what: 'bare stream of 2 GiB', measured: { note: speed(best.limit) } },
      {
        what: 'download of 2 GiB',
        measured: {
          note: `${speed(best.product)}, +${Math.round(most - idle)} MiB of memory`,
          errors: isSame ? 0 : 1,
        },
        ratio: ratio(best.ratio, 'bare stream', '≥ 0.5'),
      },
      { what: 'validate', measured: alone },
      {
        what: `validate beside ${SLOW_READERS} slow readers`,
        measured: beside,
        ratio: ratio(beside.rate / alone.rate, 'alone', '≥ 0.9'),
      },
    ] satisfies Finding[];
  } finally {
    await product.stop();
    await limit.stop();
    await rm(root, { recursive: true });
  }
};

/** Bytes that nothing compresses and that come as fast as a cipher gives them. */
async function writeNoise(file: string, bytes: number): Promise<void> {
  const noise = createCipheriv('aes-256-ctr', randomBytes(32), randomBytes(16));
  function* pieces() {
    for (let at = 0; at < bytes; at += MEBIBYTE) yield noise.update(Buffer.alloc(MEBIBYTE));
  }
  await pipeline(pieces, createWriteStream(file));
}

/** The path of a link to the file. */
async function issue(database: BenchDatabase, { url }: Running): Promise<string> {
  await database.sql(`
    insert into file (name, product_id, repo, asset, created_at, updated_at)
      select 'big', id, 'bench/app', 'big.bin', now(), now() from product where name = 'Product 1'`);
  // The third license is of the first product.
  const body = JSON.stringify({ license_key: keyOf(3), file: 'big', max_uses: 100 });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/downloads/issue`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`Issuing answered ${response.status}: ${await response.text()}`);
  return `/download/${((await response.json()) as { token: string }).token}`;
}

/** Bytes a second. Reads into one buffer, so that the client takes as little of the machine as can be. */
async function download(url: string): Promise<number> {
  const startedAt = performance.now();
  const received = await new Promise<number>((resolve, reject) => {
    let bytes = 0;
    const onread = {
      buffer: Buffer.alloc(MEBIBYTE),
      callback: (count: number) => {
        bytes += count;
        return true;
      },
    };
    get(url, { onread })
      .once('close', () => {
        resolve(bytes);
      })
      .once('error', reject);
  });
  if (received < FILE_BYTES) throw new Error(`Only ${received} bytes came`);
  return received / ((performance.now() - startedAt) / 1000);
}

function get(url: string, options: object = {}): Socket {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), ...options });
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n`);
  return socket;
}

/** Each takes about 1 KB a second, once what the buffers of its connection hold has come. */
async function slowReaders(url: string, path: string): Promise<Socket[]> {
  const readers = Array.from({ length: SLOW_READERS }, () => {
    const reader = get(url + path).pause();
    const timer = setInterval(() => void reader.read(1024), 1000);
    return reader.once('close', () => {
      clearInterval(timer);
    });
  });
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  return readers;
}

function validateBeside({ url }: Running, seconds: number) {
  const bodies = validations(1_000);
  return load({ url: `${url}/licenses/validate`, bodies, connections: 16, seconds }, PIN_LOAD);
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash.digest('hex');
}

/** The SHA-256 that is really received. */
async function receivedDigest(url: string): Promise<string> {
  const hash = createHash('sha256');
  const { body } = await fetch(url);
  for await (const piece of body ?? []) hash.update(piece as Uint8Array);
  return hash.digest('hex');
}

function speed(bytesPerSecond: number): string {
  return `${Math.round(bytesPerSecond / MEBIBYTE)} MiB/s`;
}
