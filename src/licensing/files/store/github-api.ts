import type { Octokit } from '@octokit/core';
import type { Dispatcher } from 'undici';
import { ByteBoundedMap } from '../../../platform/byte-bounded-map.js';
import type { Patience } from './patience.js';

/** GitHub's REST API, as far as releases need it. What it answers is for the caller to check. */
export class GithubApi {
  readonly #octokit: Octokit;
  /** By what was asked; compared by their ETag. */
  readonly #pages = new ByteBoundedMap<Page>(KEPT_BYTES_MAX);

  private constructor(
    octokit: Octokit,
    /** Connections without the token, for wherever an answer leads. */
    readonly dispatcher: Dispatcher,
  ) {
    this.#octokit = octokit;
  }

  /** Octokit and undici take some 30 MB, so they are loaded by whoever really asks GitHub. */
  static async connect(settings: GithubSettings, patience: Patience): Promise<GithubApi> {
    const [{ Octokit: Core }, { retry }, { throttling }, undici] = await Promise.all([
      import('@octokit/core'),
      import('@octokit/plugin-retry'),
      import('@octokit/plugin-throttling'),
      import('undici'),
    ]);
    const { apiUrl, token } = settings;
    const { connectMs, answerMs: headersTimeout, stallMs: bodyTimeout } = patience;
    const dispatcher = new undici.Agent({ connect: { timeout: connectMs }, headersTimeout, bodyTimeout });
    const octokit = new (Core.plugin(retry, throttling))({
      ...{ baseUrl: apiUrl, auth: token, userAgent: 'licensing-gateway', log: SILENT },
      request: {
        log: SILENT,
        fetch: (url: string, init: object) => undici.fetch(url, { ...init, dispatcher }),
      },
      retry: RETRY,
      throttle: {
        // Its own queue: another configuration has another limit.
        id: `${apiUrl} ${token === undefined ? 'anonymous' : 'token'}`,
        onRateLimit: isWorthWaiting,
        onSecondaryRateLimit: isWorthWaiting,
      },
    });
    return new GithubApi(octokit, dispatcher);
  }

  /** Every item of a paged list. A page that is as it was is not sent again, and uses up no rate limit. */
  async list<T>(route: string, parameters: Parameters, read: (page: unknown) => T[]): Promise<T[]> {
    const items: T[] = [];
    // By number and not by the link of the page before, which could lead the token anywhere.
    for (let number = 1; number <= PAGES_MAX; number++) {
      const page = await this.#page(route, { ...parameters, per_page: PAGE_ITEMS, page: number }, read);
      items.push(...(page.items as T[]));
      if (page.isLast) break;
    }
    return items;
  }

  /** The answer to a GET as it comes, and not followed when it leads elsewhere. With the token: for the API alone. */
  async get(route: string, parameters: Parameters): Promise<GithubAnswer> {
    const request = { redirect: 'manual', parseSuccessResponseBody: false } as const;
    const answer = await this.#octokit.request(`GET ${route}`, { ...parameters, request });
    const { status, headers, data } = answer as Answer<GithubAnswer['body']>;
    return { status, headers, body: data };
  }

  async #page<T>(route: string, parameters: Parameters, read: (page: unknown) => T[]): Promise<Page> {
    const key = JSON.stringify([route, parameters]);
    const known = this.#pages.get(key);
    const headers = known ? { 'if-none-match': known.etag } : {};
    try {
      // The plugins count retries in `request`; one without its own would count on in that of all.
      const answer = await this.#octokit.request(`GET ${route}`, { ...parameters, headers, request: {} });
      const { data, headers: answered } = answer as Answer<unknown>;
      const isLast = !/<[^>]*>;\s*rel="next"/.test(answered['link'] ?? '');
      const page = { etag: answered['etag'] ?? '', isLast, items: read(data) };
      if (page.etag !== '') this.#pages.set(key, page, JSON.stringify(page).length * BYTES_PER_CHARACTER);
      return page;
    } catch (error) {
      if (known && (error as { status?: number }).status === 304) return known;
      throw error;
    }
  }
}

export interface GithubSettings {
  /** Without trailing slash. */
  readonly apiUrl: string;
  readonly token?: string | undefined;
}

export interface GithubAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: ReadableStream<Uint8Array> | null;
}

/** Of the route's path, and `headers`. */
type Parameters = Readonly<Record<string, unknown>>;

/** What Octokit gives for a route that it has no type for. */
interface Answer<Data> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly data: Data;
}

interface Page {
  readonly etag: string;
  readonly isLast: boolean;
  readonly items: readonly unknown[];
}

const PAGE_ITEMS = 100;
/** GitHub shows no more than 10 000 releases of a repository. */
const PAGES_MAX = 100;
const KEPT_BYTES_MAX = 16 * 1024 * 1024;
/** An asset takes about twice the room of its text. */
const BYTES_PER_CHARACTER = 2;

/** After 0.25 s and after 1 s; what GitHub refuses for a reason, it would refuse again. */
const RETRY = {
  retries: 2,
  retryAfterBaseValue: 250,
  doNotRetry: [400, 401, 403, 404, 410, 416, 422, 429, 451],
};

const WAIT_SECONDS_MAX = 2;

/** A limit that ends at once is waited for; any other is the caller's to wait for. */
function isWorthWaiting(seconds: number, _options: object, _octokit: object, retryCount: number): boolean {
  return retryCount === 0 && seconds <= WAIT_SECONDS_MAX;
}

const nothing = () => undefined;
/** What the client would write to the console comes as an error too, and is logged with the request. */
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };
