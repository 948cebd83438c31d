import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { ENCODINGS, PAGE_FILES } from './assets.js';
import type { PageFile } from './assets.js';

/** Some percent more than the best, in a fiftieth of the time: the build runs often. */
const BROTLI_QUALITY = 9;

const compress = {
  br: (content: Buffer) => {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    return promisify(brotliCompress)(content, { params });
  },
  gzip: (content: Buffer) => promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
} satisfies Record<keyof typeof ENCODINGS, (content: Buffer) => Promise<Buffer>>;

interface PageCopies {
  /** The source tree, with its packages. */
  readonly from: string;
  readonly to: string;
  readonly names?: readonly PageFile[];
}

/**
 * Copies what the documentation's pages consist of, for the build; beside each file that gets smaller by it, it lies
 * compressed as well. What is there already stays as it is.
 */
export async function copyPages({ from, to, names = Object.keys(PAGE_FILES) as PageFile[] }: PageCopies) {
  await mkdir(to, { recursive: true });
  await Promise.all(names.map((name) => copy(join(from, PAGE_FILES[name]), join(to, name))));
}

async function copy(source: string, target: string): Promise<void> {
  const content = await readFile(source);
  if (await holds(target, content)) return;
  const encodings = Object.entries(ENCODINGS) as [keyof typeof ENCODINGS, string][];
  for (const [encoding, suffix] of encodings) {
    const compressed = await compress[encoding](content);
    if (compressed.length < content.length) await put(target + suffix, compressed);
    else await rm(target + suffix, { force: true });
  }
  // Last: if it is there, so are the others.
  await put(target, content);
}

async function holds(path: string, content: Buffer): Promise<boolean> {
  return existsSync(path) && content.equals(await readFile(path));
}

/** Whole or not at all: a server may be reading there. */
async function put(path: string, content: Buffer): Promise<void> {
  await writeFile(`${path}.new`, content);
  await rename(`${path}.new`, path);
}
