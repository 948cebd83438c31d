import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { auditServer } from 'graphql-http';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { restClient } from '../support/rest.js';
import type { RestClient } from '../support/rest.js';

const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const POLICY = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'font-src': ["'self'", 'data:'],
  'connect-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};
const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

let app: TestApp;
/** Both ports, without a credential. */
let ports: Record<'licensing' | 'bot', RestClient>;

beforeAll(async () => {
  app = await startApp();
  ports = { licensing: app.anonymous, bot: restClient(app.botUrl, undefined) };
});

const pages = [
  ['licensing', '/docs'],
  ['bot', '/docs'],
  ['licensing', '/graphql'],
] as const;

describe.each(pages)('the page on the port of %s at GET %s', (port, path) => {
  it('200 without a key, under a policy that allows our own files and nothing else', async () => {
    const { status, headers } = await ports[port]('GET', path, undefined, { headers: HTML });
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = (headers['content-security-policy'] as string).split('; ').map((line) => line.split(' '));
    expect(Object.fromEntries(policy.map(([name, ...sources]) => [name, sources]))).toEqual(POLICY);
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    });
  });

  it('has no inline script or style, and loads what is here and kept for good', async () => {
    const { text } = await ports[port]('GET', path, undefined, { headers: HTML });
    expect(text).not.toMatch(/<script>|<style|\sstyle=|\son\w+=|https?:/);
    const urls = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = '']) => url);
    const assets = urls.filter((url) => url !== '/openapi.json');
    expect(assets.length).toBeGreaterThan(3);
    for (const url of assets) {
      const { status, headers, text: content } = await ports[port]('GET', url);
      expect([url, status, headers['content-type']]).toEqual([url, 200, TYPES[url.split('.').at(-1) ?? '']]);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      const hash = createHash('sha256').update(content).digest('base64url').slice(0, 22);
      expect(url).toContain(`/${hash}/`);
      // A style sheet could load from anywhere else, too.
      if (url.endsWith('.css')) expect(content).not.toMatch(/(url\(|@import)\s*["']?(https?:)?\/\//);
    }
  });
});

describe('GET /openapi.json', () => {
  it.each([
    ['licensing', 'openapi.json', 'Licensing API'],
    ['bot', 'openapi-bot.json', 'Bot API'],
  ] as const)('200 on the port of %s without a key, 304 for whoever has it', async (port, file, title) => {
    const response = await ports[port]('GET', '/openapi.json');
    expect([response.status, response.headers['content-type']]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    expect(response.body.info.title).toBe(title);
    expect(response.text).toBe(readFileSync(new URL(`../../schema/${file}`, import.meta.url), 'utf8'));
    const { etag = '' } = response.headers;
    const again = await ports[port]('GET', '/openapi.json', undefined, {
      headers: { 'if-none-match': etag },
    });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
    const head = await ports[port]('HEAD', '/openapi.json');
    expect([head.status, head.headers['content-length'], head.headers.etag]).toEqual([
      200,
      String(Buffer.byteLength(response.text)),
      etag,
    ]);
  });
});

describe('the pages', () => {
  it('404 for an asset that is none, of another hash, or a way out of the directory', async () => {
    const { text } = await app.anonymous('GET', '/docs');
    const [, url = ''] = /src="([^"]+reference\.js)"/.exec(text) ?? [];
    const hash = url.split('/').at(-2) ?? '';
    const wrong = [
      url.replace(hash, 'x'.repeat(22)),
      `/docs/assets/${hash}/package.json`,
      `/docs/assets/${hash}/reference.html`,
      `/docs/assets/${hash}/__proto__`,
      `/docs/assets/${hash}/..%2f..%2fpackage.json`,
    ];
    for (const path of wrong) {
      const response = await app.anonymous('GET', path);
      expect([path, response.status, response.body.code]).toEqual([path, 404, 'NOT_FOUND']);
    }
  });

  it('405 for anything but GET and HEAD', async () => {
    for (const path of ['/docs', '/openapi.json']) {
      const response = await app.anonymous('POST', path, {});
      expect([response.status, response.body.code, response.headers.allow]).toEqual([
        405,
        'METHOD_NOT_ALLOWED',
        'GET, HEAD',
      ]);
    }
  });

  it('GET /graphql is GraphQL for whoever asks for JSON or brings an operation', async () => {
    const query = `/graphql?query=${encodeURIComponent('{ __typename }')}`;
    const preflight = { 'apollo-require-preflight': 'true' };
    for (const [path, headers] of [
      [query, { ...HTML, ...preflight }],
      [query, { accept: 'application/json', ...preflight }],
      [query, preflight],
    ] as const) {
      const response = await app.rest('GET', path, undefined, { headers });
      expect(response.body.data).toEqual({ __typename: 'Query' });
    }
    expect((await app.rest('GET', '/graphql')).headers['content-type']).toMatch(/json/);
  });

  it.each(['licensing', 'bot'] as const)(
    'GET / on the port of %s: browsers are sent to /docs, others to nothing',
    async (port) => {
      for (const method of ['GET', 'HEAD']) {
        const sent = await ports[port](method, '/', undefined, { headers: HTML });
        expect([sent.status, sent.headers.location, sent.headers.vary]).toEqual([302, '/docs', 'Accept']);
      }
      const bare = { licensing: app.rest, bot: app.bot }[port];
      for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
        const { status, body } = await bare('GET', '/', undefined, { headers: { accept } });
        expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
      }
      expect((await bare('POST', '/', {}, { headers: HTML })).body.code).toBe('NOT_FOUND');
    },
  );

  it('are off with SERVER.DOCS=false, and GraphQL stays', async () => {
    const bare = await startApp({ databaseUrl: app.databaseUrl, env: { SERVER_DOCS: 'false' } });
    for (const path of ['/docs', '/openapi.json'])
      expect((await bare.anonymous('GET', path)).body.code).toBe('NOT_FOUND');
    const page = await bare.anonymous('GET', '/graphql', undefined, { headers: HTML });
    expect(page.text).not.toContain('<html');
    expect((await bare.anonymous('GET', '/', undefined, { headers: HTML })).body.code).toBe('NOT_FOUND');
    expect((await bare.bot('GET', '/docs')).body.code).toBe('NOT_FOUND');
    // Without a credential nobody learns even that.
    expect((await restClient(bare.botUrl, undefined)('GET', '/docs')).body.code).toBe('API_KEY_MISSING');
    expect((await bare.graphql('{ __typename }')).data).toEqual({ __typename: 'Query' });
  });
});

describe('/graphql, by the audit of GraphQL over HTTP', () => {
  it('passes every MUST and every SHOULD', async () => {
    const withKey = (url: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${app.apiKey}`);
      return fetch(url, { ...init, headers });
    };
    const results = await auditServer({ url: `${app.url}/graphql`, fetchFn: withKey });
    expect(results.length).toBeGreaterThan(50);
    const failed = results.filter(({ status }) => status !== 'ok');
    // They ask for GET without a header that a form of another site can't send: against forgery, we want one.
    const forged = ['5A70', 'D6D5', '6A70'];
    expect(failed.filter(({ id }) => !forged.includes(id)).map(({ id, name }) => `${id} ${name}`)).toEqual(
      [],
    );
    expect(failed.map(({ name }) => name.split(' ')[0])).toEqual(failed.map(() => 'MAY'));
  });

  it('200 and 400: a refused operation, by what the client takes', async () => {
    const ask = (headers: Record<string, string>, body: object) =>
      app.rest('POST', '/graphql', body, { headers });
    const current = { accept: 'application/graphql-response+json, application/json;q=0.9' };
    const refused = { query: '{ nothing }' };
    for (const [headers, status, type] of [
      [{ accept: 'application/json' }, 200, 'application/json; charset=utf-8'],
      [current, 400, 'application/graphql-response+json; charset=utf-8'],
      [{}, 400, 'application/json; charset=utf-8'],
    ] as const) {
      const response = await ask(headers, refused);
      expect([response.status, response.headers['content-type']]).toEqual([status, type]);
      expect(response.body.errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    }
    // What is no GraphQL request is refused whoever asks.
    expect((await ask({ accept: 'application/json' }, {})).status).toBe(400);
    const anonymous = await app.anonymous(
      'POST',
      '/graphql',
      { query: '{ __schema { types { name } } }' },
      { headers: { accept: 'application/json' } },
    );
    expect(anonymous.status).toBe(401);
  });
});
