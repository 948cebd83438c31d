import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

/**
 * Every file that the documentation's pages consist of, and where it is from. `npm run build` copies them to
 * `dist/pages`, so that a server that runs needs none of the packages; one that runs from its sources reads them there.
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

export interface FoundFile {
  readonly directory: string;
  readonly path: string;
  /** The SHA-256 of its content, as text for URLs and ETags. */
  readonly hash: string;
}

export function isPageFile(name: string): name is PageFile {
  return Object.hasOwn(PAGE_FILES, name);
}

const found = new Map<PageFile, Promise<FoundFile>>();

/** Where a file is, and its hash. Read once, when it is first asked for: most servers' pages are never looked at. */
export function findPageFile(name: PageFile): Promise<FoundFile> {
  let file = found.get(name);
  if (!file) {
    file = find(name);
    found.set(name, file);
  }
  return file;
}

async function find(name: PageFile): Promise<FoundFile> {
  // Beside the compiled program; else, from src/platform/pages, in the source tree.
  const places = [`../../../pages/${name}`, `../../../${PAGE_FILES[name]}`].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  const path = places.find((place) => existsSync(place));
  if (path === undefined) throw new Error(`There is no ${name}; looked at ${places.join(', ')}`);
  const sum = createHash('sha256');
  await pipeline(createReadStream(path), sum);
  return { path, directory: dirname(path), hash: sum.digest('base64url').slice(0, 22) };
}
