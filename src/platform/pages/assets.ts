import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

/**
 * Every file that the documentation's pages consist of, and where it is from. `npm run build` copies them to
 * `dist/pages` and compresses them there, so that a server that runs needs none of the packages; one that runs from its sources reads them there.
 */
export const PAGE_FILES = {
  'reference.html': 'pages/reference.html',
  'reference.css': 'pages/reference.css',
  'reference.js': 'pages/reference.js',
  'graphiql.html': 'pages/graphiql.html',
  'graphiql-page.css': 'pages/graphiql-page.css',
  'graphiql-page.js': 'pages/graphiql-page.js',
  'icon.svg': 'pages/icon.svg',
  'openapi.json': 'schema/openapi.json',
  'openapi-bot.json': 'schema/openapi-bot.json',
  'swagger-ui.css': 'node_modules/swagger-ui-dist/swagger-ui.css',
  'swagger-ui.js': 'node_modules/swagger-ui-dist/swagger-ui-bundle.js',
  'graphiql.css': 'node_modules/graphiql/graphiql.min.css',
  'graphiql.js': 'node_modules/graphiql/graphiql.min.js',
  'graphql-ws.js': 'node_modules/graphql-ws/umd/graphql-ws.min.js',
  'react.js': 'node_modules/react/umd/react.production.min.js',
  'react-dom.js': 'node_modules/react-dom/umd/react-dom.production.min.js',
} as const;

export type PageFile = keyof typeof PAGE_FILES;

/** How a file may lie beside itself compressed (RFC 9110 §8.4.1), best first, and the end of its name then. */
export const ENCODINGS = { br: '.br', gzip: '.gz' } as const;

export type Encoding = keyof typeof ENCODINGS;

export interface FoundFile {
  readonly directory: string;
  readonly path: string;
  /** The SHA-256 of its content, as text for URLs and ETags. */
  readonly hash: string;
  /** As what it is there, too: at `path` and the end of the name. Only the build makes them. */
  readonly encodings: readonly Encoding[];
}

export function isPageFile(name: string): name is PageFile {
  return Object.hasOwn(PAGE_FILES, name);
}

/** Where a file may be: beside the compiled program; else, from src/platform/pages, in the source tree. */
const PLACES = (name: PageFile) =>
  [`../../../pages/${name}`, `../../../${PAGE_FILES[name]}`].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );

/** Finds files of pages. Each is read once, when it is first asked for: most servers' pages are never looked at. */
export class PageFiles {
  readonly #placesOf: (name: PageFile) => readonly string[];
  readonly #found = new Map<PageFile, Promise<FoundFile>>();

  constructor(placesOf: (name: PageFile) => readonly string[] = PLACES) {
    this.#placesOf = placesOf;
  }

  /** Where a file is, and its hash. */
  find(name: PageFile): Promise<FoundFile> {
    let file = this.#found.get(name);
    if (!file) {
      file = find(name, this.#placesOf(name));
      this.#found.set(name, file);
    }
    return file;
  }
}

async function find(name: PageFile, places: readonly string[]): Promise<FoundFile> {
  const path = places.find((place) => existsSync(place));
  if (path === undefined) throw new Error(`There is no ${name}; looked at ${places.join(', ')}`);
  const sum = createHash('sha256');
  await pipeline(createReadStream(path), sum);
  const encodings = (Object.keys(ENCODINGS) as Encoding[]).filter((each) =>
    existsSync(path + ENCODINGS[each]),
  );
  return { path, directory: dirname(path), hash: sum.digest('base64url').slice(0, 22), encodings };
}
