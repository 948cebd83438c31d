import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishRelease } from '../../src/licensing/files/store/publish-release.js';
import { startApp } from './app.js';
import type { TestApp } from './app.js';
import { closeAfterwards } from './database.js';
import type { RestResponse } from './rest.js';

/** A product with a file, and a license that may download it. */
export interface Offer {
  readonly product: string;
  readonly repo: string;
  readonly file: string;
  readonly key: string;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}

/** What tests do with downloads, on a server of their own with the provider `local`. */
export interface DownloadKit {
  readonly app: TestApp;
  readonly root: string;
  /** Lays a release of a repository down. */
  publish(
    repo: string,
    version: string,
    assets: Record<string, string | Buffer>,
    prerelease?: boolean,
  ): Promise<void>;
  /** Makes a product, a file of it with one release `1.0.0` of `content`, and a license. */
  offer(content: string | Buffer, file?: Record<string, unknown>): Promise<Offer>;
  issue(body: Record<string, unknown>, headers?: Record<string, string>): Promise<RestResponse>;
  /** The path of a new link, and its build. */
  link(offer: Offer, fields?: Record<string, unknown>): Promise<{ path: string; buildId: string }>;
  /** The whole answer, whatever it is. */
  get(path: string, headers?: Record<string, string>, method?: string): Promise<Received>;
  /** The answer as soon as its head is there; nothing of its body is read yet. */
  begin(path: string, headers?: Record<string, string>): Promise<IncomingMessage>;
  /** The build as REST shows it. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test names the members it expects
  build(buildId: string): Promise<any>;
}

export async function startDownloads(): Promise<DownloadKit> {
  const root = await mkdtemp(join(tmpdir(), 'downloads-'));
  closeAfterwards(() => rm(root, { recursive: true }));
  const app = await startApp({ env: { FILES_ROOT: root } });
  return downloadKit(app, root);
}

/** The same on another gateway of one database: give it the `app`. */
export function downloadKit(app: TestApp, root: string): DownloadKit {
  let offers = 0;
  const kit: DownloadKit = {
    app,
    root,
    async publish(repository, version, assets, prerelease = false) {
      const path = await mkdtemp(join(tmpdir(), 'release-'));
      for (const [name, content] of Object.entries(assets)) await writeFile(join(path, name), content);
      await publishRelease({ root, path, repository, version, prerelease, force: false });
      await rm(path, { recursive: true });
    },
    async offer(content, fields = {}) {
      const repo = `acme/app-${++offers}-${app.databaseUrl.slice(-6)}`;
      const product = await app.seed.product();
      const asset = typeof fields['asset'] === 'string' ? fields['asset'] : 'app.bin';
      await kit.publish(repo, '1.0.0', { [asset]: content });
      const file = await app.rest('POST', '/files', { product: product.name, repo, asset, ...fields });
      const { key } = await app.seed.license({ product: product.name });
      return { product: product.name, repo, file: file.body.name as string, key };
    },
    issue: (body, headers = {}) => app.anonymous('POST', '/downloads/issue', body, { headers }),
    async link({ key, file }, fields = {}) {
      const { status, text, body } = await kit.issue({ license_key: key, file, ...fields });
      if (status !== 201) throw new Error(`Issuing answered ${status}: ${text}`);
      return { path: `/download/${body.token as string}`, buildId: body.build_id as string };
    },
    async get(path, headers, method) {
      const response = await begun(app, path, headers, method);
      const pieces: Buffer[] = [];
      for await (const piece of response as AsyncIterable<Buffer>) pieces.push(piece);
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        bytes: Buffer.concat(pieces),
      };
    },
    begin: (path, headers) => begun(app, path, headers, 'GET'),
    build: async (buildId) => (await app.rest('GET', `/downloads?build_id=${buildId}`)).body[0],
  };
  return kit;
}

/** Each on a connection of its own, so that hanging up on one ends no other. */
function begun(
  app: TestApp,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const req = request(app.url + path, { method, headers, agent: false });
    req.once('response', resolve).once('error', reject).end();
  });
}
