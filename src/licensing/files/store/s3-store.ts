import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type * as Sdk from '@aws-sdk/client-s3';
import type { GetObjectCommandOutput, HeadObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { prerelease as prereleaseOf } from 'semver';
import type { Config } from '../../../config.js';
import { ByteBoundedMap } from '../../../platform/byte-bounded-map.js';
import { NotFound } from '../../../platform/errors.js';
import { isAssetName, isVersionName, parseRepository } from '../file-name.rules.js';
import { cut } from './cut.js';
import type { ByteRange, FileStore, StoredAsset } from './file-store.js';
import { PATIENCE } from './patience.js';
import type { Patience } from './patience.js';
import { storeAway } from './store-away.js';

interface Connection {
  readonly sdk: typeof Sdk;
  readonly client: S3Client;
}

interface ListedObject {
  readonly key: string;
  readonly etag: string;
  readonly bytes: number;
}

const ATTEMPTS_MAX = 3;
/** Objects whose sha256 is asked for at once: a list doesn't tell it. */
const HEADS_AT_ONCE = 16;
const DIGESTS_BYTES_MAX = 8 * 1024 * 1024;
const DIGEST_BYTES = 400;

/** Objects of an S3-compatible store: `<prefix><owner>/<name>/<version>/<asset>`. */
export class S3Store implements FileStore {
  readonly #settings: Config['files']['s3'];
  readonly #patience: Patience;
  #connection: Promise<Connection> | undefined;
  /** By key and ETag, so by content; null where the store doesn't know it. */
  readonly #digests = new ByteBoundedMap<{ readonly sha256: string | null }>(DIGESTS_BYTES_MAX);

  constructor(settings: Config['files']['s3'], patience = PATIENCE) {
    this.#settings = settings;
    this.#patience = patience;
  }

  async repositories(): Promise<readonly string[]> {
    const found = await asking(async () => {
      const { prefix } = this.#settings;
      const all: string[] = [];
      for (const owner of await this.#directories(prefix)) all.push(...(await this.#directories(owner)));
      return all.map((key) => key.slice(prefix.length).replace(/\/$/, ''));
    });
    return (found ?? []).filter((repository) => parseRepository(repository) !== undefined).sort();
  }

  async assets(repository: string): Promise<readonly StoredAsset[]> {
    if (!parseRepository(repository)) return [];
    const prefix = `${this.#settings.prefix}${repository}/`;
    const found = await asking(async () => {
      const objects = await this.#objects(prefix);
      const assets = objects.flatMap((object) => {
        const [version = '', name = '', ...deeper] = object.key.slice(prefix.length).split('/');
        const isAsset = deeper.length === 0 && isVersionName(version) && isAssetName(name);
        return isAsset ? [{ object, version, name }] : [];
      });
      return inTurns(assets, HEADS_AT_ONCE, async ({ object, version, name }) => ({
        ...{ version, name, prerelease: prereleaseOf(version) !== null },
        ...{ bytes: object.bytes, sha256: await this.#digestOf(object), handle: object.etag },
      }));
    });
    return found ?? [];
  }

  async open(repository: string, asset: StoredAsset, range?: ByteRange): Promise<Readable> {
    const { version, name, handle } = asset;
    const isSafe = parseRepository(repository) && isVersionName(version) && isAssetName(name);
    const key = `${this.#settings.prefix}${repository}/${version}/${name}`;
    const answer = isSafe ? await asking(() => this.#get(key, handle, range)) : undefined;
    if (!answer) throw new NotFound('file', name);
    // In Node the body is the answer's own stream.
    const body = answer.Body as IncomingMessage;
    endWhenStalled(body, this.#patience.stallMs);
    return range && answer.ContentRange === undefined ? cut(body, range) : body;
  }

  /** Undefined when another object has taken its place since it was listed. */
  async #get(key: string, etag: string, range?: ByteRange): Promise<GetObjectCommandOutput | undefined> {
    const { sdk, client } = await this.#connected();
    const Range = range && `bytes=${range.start}-${range.end}`;
    const input = { ...this.#place(key), IfMatch: etag, ...(Range && { Range }) };
    const answer = await client.send(new sdk.GetObjectCommand(input));
    if (answer.ETag === etag) return answer;
    // Not every store knows the condition.
    (answer.Body as IncomingMessage).destroy();
    return undefined;
  }

  /** What lies directly below, as far as it has something below itself. */
  async #directories(prefix: string): Promise<string[]> {
    const { sdk, client } = await this.#connected();
    const { Bucket } = this.#place('');
    const input = { Bucket, Prefix: prefix, Delimiter: '/' };
    const found: string[] = [];
    for await (const page of sdk.paginateListObjectsV2({ client }, input)) {
      for (const { Prefix } of page.CommonPrefixes ?? []) if (Prefix !== undefined) found.push(Prefix);
    }
    return found;
  }

  async #objects(prefix: string): Promise<ListedObject[]> {
    const { sdk, client } = await this.#connected();
    const { Bucket } = this.#place('');
    const found: ListedObject[] = [];
    for await (const page of sdk.paginateListObjectsV2({ client }, { Bucket, Prefix: prefix })) {
      for (const { Key, ETag, Size } of page.Contents ?? []) {
        if (Key !== undefined && ETag !== undefined && Size !== undefined)
          found.push({ key: Key, etag: ETag, bytes: Size });
      }
    }
    return found;
  }

  async #digestOf({ key, etag }: ListedObject): Promise<string | null> {
    const content = `${etag} ${key}`;
    const known = this.#digests.get(content);
    if (known) return known.sha256;
    const { sdk, client } = await this.#connected();
    const command = new sdk.HeadObjectCommand({ ...this.#place(key), ChecksumMode: 'ENABLED' });
    // One that has gone meanwhile is still listed; opening it will tell.
    const head = await client.send(command).catch((error: unknown) => {
      if (isGone(error)) return undefined;
      throw error;
    });
    const sha256 = head ? sha256Of(head) : null;
    if (head?.ETag === etag) this.#digests.set(content, { sha256 }, DIGEST_BYTES + key.length);
    return head?.ETag === etag ? sha256 : null;
  }

  #place(key: string): { Bucket: string | undefined; Key: string } {
    return { Bucket: this.#settings.bucket, Key: key };
  }

  /** Loads the SDK, some 40 MB; one that could not be loaded is tried anew. */
  #connected(): Promise<Connection> {
    this.#connection ??= connect(this.#settings, this.#patience).catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }
}

async function connect(
  { endpoint, region, accessKeyId, secretAccessKey, forcePathStyle }: Config['files']['s3'],
  { connectMs, answerMs }: Patience,
): Promise<Connection> {
  const sdk = await import('@aws-sdk/client-s3');
  const hasKey = accessKeyId !== undefined && secretAccessKey !== undefined;
  // A slow reader keeps its connection for long; with the SDK's 50 they would keep everybody else waiting.
  const agent = { maxSockets: Infinity };
  const client = new sdk.S3Client({
    ...{ region, forcePathStyle, maxAttempts: ATTEMPTS_MAX },
    ...(endpoint !== undefined && { endpoint }),
    ...(hasKey && { credentials: { accessKeyId, secretAccessKey } }),
    // Whoever downloads checks the bytes; to the SDK they are a stream.
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      ...{ connectionTimeout: connectMs, requestTimeout: answerMs, throwOnRequestTimeout: true },
      // It would count the time in which our own reader takes nothing.
      socketTimeout: 0,
      ...{ httpAgent: agent, httpsAgent: agent },
    },
  });
  return { sdk, client };
}

/** Ends a transfer in which the store sends nothing, twice in a row, though we would take it. */
function endWhenStalled(body: IncomingMessage, stallMs: number): void {
  const { socket } = body;
  let seen: number | undefined;
  const check = () => {
    const isForUs = body.readableLength >= body.readableHighWaterMark;
    if (!isForUs && socket.bytesRead === seen) body.destroy(new Error('The file store has stalled'));
    else socket.setTimeout(stallMs);
    // At the first time it may have been us: bytes wait unread as long as this process is busy.
    seen = socket.bytesRead;
  };
  socket.on('timeout', check).setTimeout(stallMs);
  body.once('close', () => socket.off('timeout', check).setTimeout(0));
}

/** The store's own checksum of the whole, else what whoever uploaded it says. */
function sha256Of({ ChecksumSHA256, ChecksumType, Metadata }: HeadObjectCommandOutput): string | null {
  // One of several parts ends in their number, and is not of the content.
  const isWhole = ChecksumType !== 'COMPOSITE' && ChecksumSHA256?.includes('-') === false;
  if (isWhole) return Buffer.from(ChecksumSHA256, 'base64').toString('hex');
  const said = Metadata?.['sha256']?.toLowerCase() ?? '';
  return /^[0-9a-f]{64}$/.test(said) ? said : null;
}

/** Undefined when the store says that there is no such object, or no longer the same. */
async function asking<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isGone(error)) return undefined;
    throw storeAway(error);
  }
}

const GONE = new Set(['NoSuchKey', 'NotFound', 'PreconditionFailed', 'InvalidRange']);

function isGone(error: unknown): boolean {
  return GONE.has((error as Error).name);
}

async function inTurns<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += atOnce) {
    results.push(...(await Promise.all(items.slice(at, at + atOnce).map(work))));
  }
  return results;
}
