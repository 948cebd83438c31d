import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { PageFiles } from '../../src/platform/pages/assets.js';
import { copyPages } from '../../src/platform/pages/copy-pages.js';
import { documentationPages } from '../../src/platform/pages/documentation-pages.js';
import { closeAfterwards } from '../support/database.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NAMES = [
  ...(['openapi.json', 'reference.html', 'reference.css', 'reference.js'] as const),
  ...(['icon.svg', 'swagger-ui.js', 'swagger-ui.css'] as const),
];
const DECODE = { br: brotliDecompressSync, gzip: gunzipSync, undefined: (content: Buffer) => content };

let directory: string;
let url: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pages-'));
  closeAfterwards(() => rm(directory, { recursive: true }));
  await copyPages({ from: ROOT, to: directory, names: NAMES });
  const files = new PageFiles((name) => [join(directory, name)]);
  const pages = documentationPages({ document: 'openapi.json', graphiql: false, files });
  const server = createServer(express().use(pages)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closeAfterwards(() => Promise.resolve(server.close()));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

function get(path: string, headers: Record<string, string>, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const req = request(url + path, { method, headers }, (res) => {
      const pieces: Buffer[] = [];
      res.on('data', (piece: Buffer) => pieces.push(piece));
      res.on('end', () => {
        resolve({ status: res.statusCode ?? 0, headers: res.headers, bytes: Buffer.concat(pieces) });
      });
    });
    req.on('error', reject);
    req.end();
  });
}

async function pathOf(name: string): Promise<string> {
  const html = (await get('/docs', {})).bytes.toString();
  return new RegExp(`"(/docs/assets/[^"]+/${name})"`).exec(html)?.[1] ?? '';
}

describe('what the build has compressed', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip', 'br'],
    ['*', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['deflate', undefined],
    ['identity', undefined],
    [undefined, undefined],
  ] as const)('to Accept-Encoding: %s goes as %s', async (accepted, encoding) => {
    const asked = accepted === undefined ? {} : { 'accept-encoding': accepted };
    for (const [path, name, type] of [
      ['/openapi.json', 'openapi.json', 'application/json; charset=utf-8'],
      [await pathOf('swagger-ui.js'), 'swagger-ui.js', 'text/javascript; charset=utf-8'],
      [await pathOf('reference.css'), 'reference.css', 'text/css; charset=utf-8'],
    ] as const) {
      const { status, headers, bytes } = await get(path, asked);
      expect([status, headers['content-type'], headers['content-encoding'], headers.vary]).toEqual([
        ...[200, type, encoding, 'Accept-Encoding'],
      ]);
      expect(headers['content-length']).toBe(String(bytes.length));
      const plain = readFileSync(join(directory, name));
      expect(DECODE[String(encoding) as keyof typeof DECODE](bytes).equals(plain)).toBe(true);
      expect(bytes.length < plain.length).toBe(encoding !== undefined);
    }
  });

  it('has an ETag for each encoding, 304 for whoever has that one, and is kept as long as the plain file', async () => {
    const path = await pathOf('swagger-ui.js');
    const etags = new Set<string>();
    for (const encoding of ['br', 'gzip', 'identity']) {
      const asked = { 'accept-encoding': encoding };
      const { headers } = await get(path, asked);
      const { etag = '' } = headers;
      etags.add(etag);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      const again = await get(path, { ...asked, 'if-none-match': etag });
      expect([again.status, again.bytes.length, again.headers.etag, again.headers.vary]).toEqual([
        ...[304, 0, etag, 'Accept-Encoding'],
      ]);
      const head = await get(path, asked, 'HEAD');
      expect(head.headers['content-length']).toBe(headers['content-length']);
    }
    expect(etags.size).toBe(3);
  });

  it('is a quarter of it by brotli', async () => {
    const path = await pathOf('swagger-ui.js');
    const { bytes } = await get(path, { 'accept-encoding': 'br' });
    expect(bytes.length).toBeLessThan(readFileSync(join(directory, 'swagger-ui.js')).length / 4);
  });
});

describe('the build', () => {
  it('compresses anew what has changed, and leaves nothing half', async () => {
    const [own, source] = [join(directory, 'again'), join(directory, 'source')];
    const write = (text: string) => writeFile(join(source, 'pages/reference.js'), text, { flag: 'w' });
    await copyPages({ from: ROOT, to: join(source, 'pages'), names: ['reference.js'] });
    const build = () => copyPages({ from: source, to: own, names: ['reference.js'] });
    const read = (suffix: string) => readFileSync(join(own, `reference.js${suffix}`));
    await write('a'.repeat(1_000));
    await build();
    await write('b'.repeat(1_000));
    await build();
    expect(gunzipSync(read('.gz')).toString()).toBe('b'.repeat(1_000));
    expect(brotliDecompressSync(read('.br')).toString()).toBe('b'.repeat(1_000));
    // What wouldn't get smaller lies there as it is alone.
    await write('c');
    await build();
    expect(readdirSync(own)).toEqual(['reference.js']);
  });
});
