import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Router } from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { failure } from '../errors.js';
import { ENCODINGS, PageFiles, isPageFile } from './assets.js';
import type { FoundFile, PageFile } from './assets.js';

export interface DocumentationOptions {
  /** The OpenAPI document that this port serves, and its reference page shows. */
  readonly document: PageFile & `openapi${string}`;
  /** Whether `GET /graphql` shows browsers GraphiQL. */
  readonly graphiql: boolean;
  readonly files?: PageFiles;
}

/**
 * What the pages may do: run our scripts and talk to this server, and nothing else. `data:` are the images and fonts
 * within the style sheets.
 */
const POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
} as const;

const PAGE_HEADERS = {
  'Cache-Control': 'no-cache',
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policyText(POLICY),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
} as const;

const ASSETS = '/docs/assets';
/** Both ports serve the same. */
const FILES = new PageFiles();

/**
 * `GET /openapi.json`, the reference page at `GET /docs`, to which browsers are sent from `GET /`, and, for browsers,
 * GraphiQL at `GET /graphql`; all public.
 * Everything they load comes from here, under names that hold its hash, so that browsers keep it for good; compressed for
 * who takes that, as the build has left it.
 */
export function documentationPages({ document, graphiql, files = FILES }: DocumentationOptions): Router {
  const router = Router();
  router.get('/openapi.json', async (req, res) => {
    await sendFile(req, res, document, await files.find(document), { 'Cache-Control': 'no-cache' });
  });
  router.get('/', (req, res, next) => {
    res.vary('Accept');
    // Whoever takes anything, as curl does, is no browser and told what it has always been told.
    if (req.accepts(['application/problem+json', 'application/json', 'text/html']) === 'text/html') {
      res.redirect('/docs');
    } else next();
  });
  router.get('/docs', async (_req, res) => {
    res.set(PAGE_HEADERS).send(await page(files, 'reference.html'));
  });
  router.get(`${ASSETS}/:hash/:name`, sendAsset(files));
  router.all(['/openapi.json', '/docs', `${ASSETS}/:hash/:name`], (req) => {
    const headers = { Allow: 'GET, HEAD' };
    throw failure('METHOD_NOT_ALLOWED', `${req.method} is not allowed here; allowed: GET, HEAD`, { headers });
  });
  // Of every method, lest OPTIONS be told of ours alone.
  if (graphiql) router.all('/graphql', showGraphiql(files));
  return router;
}

function showGraphiql(files: PageFiles): RequestHandler {
  return async (req, res, next) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (isRead) res.vary('Accept');
    if (!isRead || !wantsPage(req)) {
      next();
      return;
    }
    res.set(PAGE_HEADERS).send(await page(files, 'graphiql.html'));
  };
}

/** A browser that was pointed here, and no client with an operation. */
function wantsPage(req: Request): boolean {
  const preferred = req.accepts(['application/json', 'application/graphql-response+json', 'text/html']);
  return preferred === 'text/html' && req.query['query'] === undefined;
}

function sendAsset(files: PageFiles): RequestHandler<{ hash: string; name: string }> {
  return async (req, res, next) => {
    const { hash, name } = req.params;
    const file = isPageFile(name) && !name.endsWith('.html') ? await files.find(name) : undefined;
    if (file?.hash !== hash) {
      next('router');
      return;
    }
    await sendFile(req, res, name, file, {
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'same-origin',
    });
  };
}

/** From disk, as fast as the client reads, in the best encoding that it takes; 304 for whoever has it. */
async function sendFile(
  req: Pick<Request, 'acceptsEncodings'>,
  res: Response,
  name: string,
  { directory, path, hash, encodings }: FoundFile,
  headers: Record<string, string>,
): Promise<void> {
  const encoding = encodings.find((each) => req.acceptsEncodings(each) !== false);
  // Compressed it is other bytes, and so another ETag (RFC 9110 §8.8.3).
  res.set({ ...headers, ETag: `"${encoding === undefined ? hash : `${hash}-${encoding}`}"` });
  if (encodings.length > 0) res.vary('Accept-Encoding');
  if (encoding !== undefined) res.set('Content-Encoding', encoding);
  res.type(extname(name));
  const file = basename(path) + (encoding === undefined ? '' : ENCODINGS[encoding]);
  const options = { root: directory, cacheControl: false, etag: false, lastModified: false };
  await new Promise<void>((resolve, reject) => {
    res.sendFile(file, options, (error?: Error) => {
      // A client that hung up is nobody's fault.
      if (!error || res.headersSent) {
        resolve();
        return;
      }
      res.removeHeader('Content-Encoding');
      reject(error);
    });
  });
}

/** The page's HTML, with `{{name}}` the URL of each file. */
async function page(files: PageFiles, name: PageFile): Promise<string> {
  const html = await readFile((await files.find(name)).path, 'utf8');
  const names = new Set([...html.matchAll(/\{\{([\w.-]+)\}\}/g)].map(([, asset = '']) => asset));
  let filled = html;
  for (const asset of names) {
    if (!isPageFile(asset)) throw new Error(`${name} asks for ${asset}, which is no file of a page`);
    const { hash } = await files.find(asset);
    filled = filled.replaceAll(`{{${asset}}}`, `${ASSETS}/${hash}/${asset}`);
  }
  return filled;
}

function policyText(policy: Readonly<Record<string, string>>): string {
  return Object.entries(policy)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; ');
}
