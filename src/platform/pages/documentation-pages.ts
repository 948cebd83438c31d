import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Router } from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { failure } from '../errors.js';
import { findPageFile, isPageFile } from './assets.js';
import type { PageFile } from './assets.js';

export interface DocumentationOptions {
  /** The OpenAPI document that this port serves, and its reference page shows. */
  readonly document: PageFile & `openapi${string}`;
  /** Whether `GET /graphql` shows browsers GraphiQL. */
  readonly graphiql: boolean;
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

/**
 * `GET /openapi.json`, the reference page at `GET /docs` and, for browsers, GraphiQL at `GET /graphql`; all public.
 * Everything they load comes from here, under names that hold its hash, so that browsers keep it for good.
 */
export function documentationPages({ document, graphiql }: DocumentationOptions): Router {
  const router = Router();
  router.get('/openapi.json', async (_req, res) => {
    await sendFile(res, document, { 'Cache-Control': 'no-cache' });
  });
  router.get('/docs', async (_req, res) => {
    res.set(PAGE_HEADERS).send(await page('reference.html'));
  });
  router.get(`${ASSETS}/:hash/:name`, sendAsset);
  router.all(['/openapi.json', '/docs', `${ASSETS}/:hash/:name`], (req) => {
    const headers = { Allow: 'GET, HEAD' };
    throw failure('METHOD_NOT_ALLOWED', `${req.method} is not allowed here; allowed: GET, HEAD`, { headers });
  });
  if (graphiql) router.get('/graphql', showGraphiql);
  return router;
}

const showGraphiql: RequestHandler = async (req, res, next) => {
  res.vary('Accept');
  if (!wantsPage(req)) {
    next();
    return;
  }
  res.set(PAGE_HEADERS).send(await page('graphiql.html'));
};

/** A browser that was pointed here, and no client with an operation. */
function wantsPage(req: Request): boolean {
  const preferred = req.accepts(['application/json', 'application/graphql-response+json', 'text/html']);
  return preferred === 'text/html' && req.query['query'] === undefined;
}

const sendAsset: RequestHandler<{ hash: string; name: string }> = async (req, res, next) => {
  const { hash, name } = req.params;
  if (!isPageFile(name) || name.endsWith('.html') || (await findPageFile(name)).hash !== hash) {
    next('router');
    return;
  }
  await sendFile(res, name, {
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Cross-Origin-Resource-Policy': 'same-origin',
  });
};

/** From disk, as fast as the client reads; 304 for whoever has it. */
async function sendFile(res: Response, name: PageFile, headers: Record<string, string>): Promise<void> {
  const { directory, path, hash } = await findPageFile(name);
  res.set({ ...headers, ETag: `"${hash}"` });
  const options = { root: directory, cacheControl: false, etag: false, lastModified: false };
  await new Promise<void>((resolve, reject) => {
    res.sendFile(basename(path), options, (error?: Error) => {
      // A client that hung up is nobody's fault.
      if (!error || res.headersSent) resolve();
      else reject(error);
    });
  });
}

/** The page's HTML, with `{{name}}` the URL of each file. */
async function page(name: PageFile): Promise<string> {
  const html = await readFile((await findPageFile(name)).path, 'utf8');
  const names = new Set([...html.matchAll(/\{\{([\w.-]+)\}\}/g)].map(([, asset = '']) => asset));
  let filled = html;
  for (const asset of names) {
    if (!isPageFile(asset)) throw new Error(`${name} asks for ${asset}, which is no file of a page`);
    const { hash } = await findPageFile(asset);
    filled = filled.replaceAll(`{{${asset}}}`, `${ASSETS}/${hash}/${asset}`);
  }
  return filled;
}

function policyText(policy: Readonly<Record<string, string>>): string {
  return Object.entries(policy)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; ');
}
