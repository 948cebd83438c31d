import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { z } from 'zod';
import { NotFound } from '../../../platform/errors.js';
import { isAssetName, parseRepository } from '../file-name.rules.js';
import { cut } from './cut.js';
import type { ByteRange, FileStore, StoredAsset } from './file-store.js';
import { GithubApi } from './github-api.js';
import type { GithubSettings } from './github-api.js';
import { PATIENCE } from './patience.js';
import type { Patience } from './patience.js';
import { storeAway } from './store-away.js';

const RELEASES = z.array(
  z.object({
    tag_name: z.string(),
    draft: z.boolean(),
    prerelease: z.boolean(),
    assets: z.array(
      z.object({
        id: z.int(),
        name: z.string(),
        size: z.int().nonnegative(),
        state: z.string(),
        /** `sha256:<hex>`; older releases and servers have none. */
        digest: z.string().nullish(),
      }),
    ),
  }),
);
const REPOSITORIES = z.array(z.object({ full_name: z.string() }));

const HOPS_MAX = 3;

/**
 * Releases of GitHub or GitHub Enterprise. An asset is streamed through us from wherever GitHub keeps it: the token goes
 * to the API and nowhere else, and our links don't give GitHub's away.
 */
export class GithubStore implements FileStore {
  readonly #settings: GithubSettings;
  readonly #patience: Patience;
  #api: Promise<GithubApi> | undefined;

  constructor(settings: GithubSettings, patience = PATIENCE) {
    this.#settings = settings;
    this.#patience = patience;
  }

  /** Those that the token was given for; without a token GitHub shows no list. */
  async repositories(): Promise<readonly string[]> {
    if (this.#settings.token === undefined) return [];
    const list = await asking(async () =>
      (await this.#connected()).list('/user/repos', {}, readRepositories),
    );
    return (list ?? []).filter((repository) => parseRepository(repository) !== undefined).sort();
  }

  async assets(repository: string): Promise<readonly StoredAsset[]> {
    const parts = parseRepository(repository);
    if (!parts) return [];
    const [owner, repo] = parts;
    const list = await asking(async () =>
      (await this.#connected()).list('/repos/{owner}/{repo}/releases', { owner, repo }, readAssets),
    );
    // A release that appears between two pages shifts others to the next one.
    return [...new Map(list?.map((asset) => [asset.handle, asset])).values()];
  }

  async open(repository: string, asset: StoredAsset, range?: ByteRange): Promise<Readable> {
    const parts = parseRepository(repository);
    const stream =
      parts && /^\d{1,16}$/.test(asset.handle)
        ? await asking(async () => this.#follow(await this.#connected(), parts, asset, range))
        : undefined;
    if (!stream) throw new NotFound('file', asset.name);
    return stream;
  }

  /** Loads the client; one that could not be loaded is tried anew. */
  #connected(): Promise<GithubApi> {
    this.#api ??= GithubApi.connect(this.#settings, this.#patience).catch((error: unknown) => {
      this.#api = undefined;
      throw error;
    });
    return this.#api;
  }

  /** Undefined when the asset has gone. */
  async #follow(
    api: GithubApi,
    [owner, repo]: readonly [string, string],
    asset: StoredAsset,
    range: ByteRange | undefined,
  ): Promise<Readable | undefined> {
    const headers = {
      accept: 'application/octet-stream',
      // Anything else would be bytes of a compressed form.
      'accept-encoding': 'identity',
      ...(range && { range: `bytes=${range.start}-${range.end}` }),
    };
    let route = '/repos/{owner}/{repo}/releases/assets/{asset_id}';
    let parameters: Record<string, unknown> = { owner, repo, asset_id: asset.handle, headers };
    for (let hop = 0; hop < HOPS_MAX; hop++) {
      const answer = await api.get(route, parameters);
      if (answer.status < 300) {
        const body = answer.body ? Readable.fromWeb(answer.body as ReadableStream) : Readable.from([]);
        return delivered({ ...answer, body }, asset, range);
      }
      await answer.body?.cancel();
      const location = locationOf(answer.headers, this.#settings.apiUrl);
      if (!location.href.startsWith(`${this.#settings.apiUrl}/`)) {
        return this.#fetch(api, location, headers, asset, range);
      }
      // A repository that was renamed: the API sends on to itself, and wants the token again.
      route = location.href;
      parameters = { headers };
    }
    throw new Error('GitHub sends in circles');
  }

  /** From wherever the API sent us, without the token. */
  async #fetch(
    api: GithubApi,
    from: URL,
    headers: Readonly<Record<string, string>>,
    asset: StoredAsset,
    range: ByteRange | undefined,
  ): Promise<Readable | undefined> {
    const { request } = await import('undici');
    let url = from;
    for (let hop = 0; hop < HOPS_MAX; hop++) {
      const { dispatcher } = api;
      const { statusCode: status, headers: answered, body } = await request(url, { dispatcher, headers });
      const answer = { status, headers: answered, body };
      if (status < 300) return delivered(answer, asset, range);
      await body.dump();
      if (status === 404 || status === 410) return undefined;
      if (status >= 400) throw new Error(`The storage of GitHub answers ${status}`);
      url = locationOf(answered, url.href);
    }
    throw new Error('The storage of GitHub sends in circles');
  }
}

interface Delivery {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readable;
}

/** The bytes that were asked for; undefined when they are of another file than the one that was listed. */
function delivered({ status, headers, body }: Delivery, asset: StoredAsset, range?: ByteRange) {
  // Undici calls it an error when a stream is destroyed early; whoever does that need not expect one.
  body.on('error', () => undefined);
  const isPart = status === 206;
  const whole = String(asset.bytes);
  const expected = isPart ? `bytes ${range?.start}-${range?.end}/${whole}` : whole;
  const said = headers[isPart ? 'content-range' : 'content-length'] ?? whole;
  if (said === expected) return range && !isPart ? cut(body, range) : body;
  body.destroy();
  return undefined;
}

/** Where an answer leads. From https never to http: somebody on the way could put other bytes there. */
function locationOf(headers: Readonly<Record<string, unknown>>, base: string): URL {
  const { location } = headers;
  const url = typeof location === 'string' ? URL.parse(location, `${base}/`) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && base.startsWith('http:'));
  if (!url || !isSafe) throw new Error('GitHub sends on to no place that can be asked');
  return url;
}

/** Undefined when GitHub says 404, as it does for what the token may not see. */
async function asking<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const { status, response } = error as { status?: number; response?: { headers: Headers } };
    if (status === 404 || status === 410) return undefined;
    throw storeAway(error, response && waitSeconds(response.headers));
  }
}

type Headers = Readonly<Record<string, string | number | undefined>>;

/** How long GitHub asks to be left alone. By its own clock, which ours need not agree with. */
function waitSeconds(headers: Headers): number | undefined {
  const wait = Number(headers['retry-after'] ?? NaN);
  if (wait > 0) return wait;
  if (headers['x-ratelimit-remaining'] !== '0') return undefined;
  const until = Number(headers['x-ratelimit-reset'] ?? NaN) - Date.parse(String(headers['date'])) / 1000;
  return until > 0 ? until + 1 : undefined;
}

function readRepositories(page: unknown): string[] {
  return REPOSITORIES.parse(page).map(({ full_name }) => full_name);
}

/** Without drafts, which are nobody's yet, and uploads that haven't ended. */
function readAssets(page: unknown): StoredAsset[] {
  return RELEASES.parse(page)
    .filter(({ draft }) => !draft)
    .flatMap(({ tag_name: version, prerelease, assets }) =>
      assets
        .filter(({ name, state }) => state === 'uploaded' && isAssetName(name))
        .map(({ id, name, size, digest }) => {
          const [, sha256 = null] = /^sha256:([0-9a-f]{64})$/.exec(digest ?? '') ?? [];
          return { version, prerelease, name, bytes: size, sha256, handle: String(id) };
        }),
    );
}
