import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../../../src/config.js';
import type { Patience } from '../../../src/licensing/files/store/patience.js';
import { S3Store } from '../../../src/licensing/files/store/s3-store.js';
import { byteServer, sendBytes } from './byte-server.js';
import type { ByteServer } from './byte-server.js';
import type { StoreKit } from './store-kit.js';

interface StoredObject {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export interface S3Kit extends StoreKit {
  readonly server: ByteServer;
  /** By key. */
  readonly objects: Map<string, StoredObject>;
  storeWith(patience: Patience): S3Store;
}

export const PREFIX = 'our/releases/';
export const S3_SETTINGS: Config['files']['s3'] = {
  ...{ bucket: 'bucket', region: 'eu-central-1', prefix: PREFIX, forcePathStyle: true },
  ...{ accessKeyId: 'AKIATEST', secretAccessKey: 'secret of the tests' },
};

/** A bucket over HTTP: lists in pages of 1 000, with delimiter; HEAD and GET with ranges and conditions. */
export async function s3Kit(): Promise<S3Kit> {
  const objects = new Map<string, StoredObject>();
  const server: ByteServer = await byteServer((req, res) => {
    const url = new URL(req.url ?? '', server.url);
    const key = decodeURIComponent(url.pathname.slice('/bucket/'.length));
    const isOurs = req.headers.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=AKIATEST/') ?? false;
    if (!isOurs) sendError(res, 403, 'AccessDenied');
    else if (!/^\/bucket(\/|$)/.test(url.pathname)) sendError(res, 404, 'NoSuchBucket');
    else if (key === '') sendListing(res, url.searchParams, objects);
    else sendObject(req, res, objects.get(key));
  });
  const storeWith = (patience?: Patience) => new S3Store({ ...S3_SETTINGS, endpoint: server.url }, patience);
  return {
    ...{ server, objects, storeWith, store: storeWith() },
    put: ({ repository, version, assets }) => {
      for (const [name, bytes] of Object.entries(assets)) {
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        const headers = { etag: `"${md5(bytes)}"`, 'x-amz-meta-sha256': sha256 };
        objects.set(`${PREFIX}${repository}/${version}/${name}`, { bytes, headers });
      }
      return Promise.resolve();
    },
    remove: (repository, version, name) => {
      objects.delete(`${PREFIX}${repository}/${version}/${name}`);
      return Promise.resolve();
    },
    breakDown: () => server.stop(),
    underWay: () => server.underWay(),
    sent: () => server.sent(),
  };
}

const PAGE = 1000;

function sendListing(res: ServerResponse, query: URLSearchParams, objects: S3Kit['objects']): void {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter');
  const after = query.get('continuation-token') ?? '';
  const rolled = [...objects.keys()]
    .filter((key) => key.startsWith(prefix))
    .map((key) => {
      const at = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length);
      return at === -1 ? key : key.slice(0, at + 1);
    });
  const names = [...new Set(rolled)].sort().filter((name) => name > after);
  const page = names.slice(0, PAGE);
  const isTruncated = names.length > PAGE;
  const entries = page.map((name) => {
    const object = objects.get(name);
    if (!object) return `<CommonPrefixes><Prefix>${xml(name)}</Prefix></CommonPrefixes>`;
    const etag = xml(object.headers['etag'] ?? '');
    return `<Contents><Key>${xml(name)}</Key><ETag>${etag}</ETag><Size>${object.bytes.length}</Size></Contents>`;
  });
  const next = isTruncated ? `<NextContinuationToken>${xml(page.at(-1) ?? '')}</NextContinuationToken>` : '';
  const body = `<ListBucketResult><IsTruncated>${String(isTruncated)}</IsTruncated>${next}${entries.join('')}</ListBucketResult>`;
  res.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${body}`);
}

function sendObject(req: IncomingMessage, res: ServerResponse, object: StoredObject | undefined): void {
  const condition = req.headers['if-match'];
  if (!object) {
    sendError(res, 404, 'NoSuchKey');
  } else if (condition !== undefined && condition !== object.headers['etag']) {
    sendError(res, 412, 'PreconditionFailed');
  } else {
    for (const [name, value] of Object.entries(object.headers)) {
      const isChecksum = name.startsWith('x-amz-checksum');
      if (!isChecksum || req.headers['x-amz-checksum-mode'] === 'ENABLED') res.setHeader(name, value);
    }
    sendBytes(req, res, object.bytes);
  }
}

function sendError(res: ServerResponse, status: number, code: string): void {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>It is so</Message></Error>`;
  res.writeHead(status, { 'content-type': 'application/xml' }).end(body);
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

export function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}
