import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GithubStore } from '../../../src/licensing/files/store/github-store.js';
import type { Patience } from '../../../src/licensing/files/store/patience.js';
import { byteServer, sendBytes } from './byte-server.js';
import type { ByteServer } from './byte-server.js';
import type { StoreKit } from './store-kit.js';

interface Asset {
  readonly id: number;
  readonly name: string;
  readonly state: string;
  readonly bytes: Buffer;
  readonly hasDigest: boolean;
}

interface Release {
  readonly tag: string;
  readonly draft: boolean;
  prerelease: boolean;
  assets: Asset[];
}

export interface GithubKit extends StoreKit {
  readonly api: ByteServer;
  /** Where assets are kept: another origin, which must never see the token. */
  readonly storage: ByteServer;
  readonly apiUrl: string;
  readonly releases: Map<string, Release[]>;
  /** A store with settings of its own on the same server. */
  storeWith(settings: { token?: string | undefined; patience?: Patience }): GithubStore;
}

export const TOKEN = 'github_pat_of_the_tests';

/** As much of the REST API as releases need: paged lists with ETags, 404s, and assets that lead to another server. */
export async function githubKit(): Promise<GithubKit> {
  const releases = new Map<string, Release[]>();
  let ids = 1000;
  const storage = await byteServer((req, res) => {
    const id = Number(/^\/blobs\/(\d+)\?signature=s$/.exec(req.url ?? '')?.[1]);
    const asset = [...releases.values()].flat().flatMap((release) => release.assets);
    const found = asset.find((each) => each.id === id);
    if (found) sendBytes(req, res, found.bytes);
    else res.writeHead(404).end('<Error/>');
  });
  const api: ByteServer = await byteServer((req, res) => {
    if (req.headers.authorization !== `token ${TOKEN}`) {
      sendJson(req, res, 401, { message: 'Bad credentials' });
      return;
    }
    const url = new URL(req.url ?? '', api.url);
    const [, repository = '', rest = ''] =
      /^\/api\/v3\/repos\/([^/]+\/[^/]+)\/releases(.*)$/.exec(url.pathname) ?? [];
    const found = releases.get(repository);
    const id = Number(/^\/assets\/(\d+)$/.exec(rest)?.[1]);
    if (url.pathname === '/api/v3/user/repos') {
      sendPage(
        req,
        res,
        url,
        [...releases.keys()].map((full_name) => ({ id: 1, full_name })),
      );
    } else if (found && rest === '') {
      sendPage(req, res, url, found.map(shown));
    } else if (found?.some(({ assets }) => assets.some((asset) => asset.id === id))) {
      res.writeHead(302, { location: `${storage.url}/blobs/${id}?signature=s` }).end();
    } else {
      sendJson(req, res, 404, { message: 'Not Found' });
    }
  });
  const apiUrl = `${api.url}/api/v3`;
  const storeWith: GithubKit['storeWith'] = ({ token = TOKEN, patience }) =>
    new GithubStore({ apiUrl, token }, patience);
  return {
    ...{ api, storage, apiUrl, releases, storeWith, store: storeWith({}) },
    put: ({ repository, version, prerelease = false, assets }) => {
      const all = releases.get(repository) ?? [];
      releases.set(repository, all);
      let release = all.find(({ tag }) => tag === version);
      if (!release) all.unshift((release = { tag: version, draft: false, prerelease, assets: [] }));
      const added = Object.entries(assets).map(([name, bytes]) => ({
        ...{ id: ++ids, name, state: 'uploaded', bytes, hasDigest: true },
      }));
      release.prerelease = prerelease;
      release.assets = [...release.assets.filter(({ name }) => !(name in assets)), ...added];
      return Promise.resolve();
    },
    remove: (repository, version, name) => {
      const release = releases.get(repository)?.find(({ tag }) => tag === version);
      if (release) release.assets = release.assets.filter((asset) => asset.name !== name);
      return Promise.resolve();
    },
    breakDown: async () => {
      await api.stop();
      await storage.stop();
    },
    underWay: () => storage.underWay(),
    sent: () => storage.sent(),
  };
}

function shown({ tag, draft, prerelease, assets }: Release) {
  return {
    ...{ id: 1, tag_name: tag, name: `Release ${tag}`, draft, prerelease, body: 'What is new' },
    assets: assets.map(({ id, name, state, bytes, hasDigest }) => ({
      ...{ id, name, state, size: bytes.length, content_type: 'application/zip', download_count: 7 },
      digest: hasDigest ? `sha256:${createHash('sha256').update(bytes).digest('hex')}` : null,
    })),
  };
}

function sendPage(req: IncomingMessage, res: ServerResponse, url: URL, items: readonly unknown[]): void {
  const size = Number(url.searchParams.get('per_page') ?? 30);
  const page = Number(url.searchParams.get('page') ?? 1);
  if (page * size < items.length) {
    const next = new URL(url);
    next.searchParams.set('page', String(page + 1));
    res.setHeader('link', `<${next.href}>; rel="next", <${next.href}>; rel="last"`);
  }
  sendJson(req, res, 200, items.slice((page - 1) * size, page * size));
}

function sendJson(req: IncomingMessage, res: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  const etag = `W/"${createHash('sha256').update(body).digest('hex')}"`;
  if (status === 200 && req.headers['if-none-match'] === etag) {
    res.writeHead(304, { etag }).end();
    return;
  }
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8', etag }).end(body);
}
