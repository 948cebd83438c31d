import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Settings } from '../../../config.js';
import { fileStoreOf } from '../../files/store/file-store-of.js';
import type { ByteRange, StoredAsset } from '../../files/store/file-store.js';
import { bytesOf, streamPieces } from './pieces.js';
import type { OpenRange } from './pieces.js';
import { stampArchive } from './stamp-archive.js';

/** A file as a build delivers it, the same bytes each time. */
export interface DeliveredFile {
  readonly bytes: number;
  /** Another one whenever a byte differs, without quotes. */
  readonly etag: string;
  open(range: ByteRange): Promise<Readable>;
}

/** What the entry says of the build, to whoever finds a leaked file. */
export interface BuildStamp {
  readonly buildId: string;
  /** Only its hash is told. */
  readonly licenseKey: string;
  readonly issuedAt: Date;
}

export const STAMP_ENTRY = 'META-INF/build.json';
const ARCHIVE = /\.(zip|jar)$/i;

export function storedFile(settings: Settings, repository: string, asset: StoredAsset): DeliveredFile {
  const store = fileStoreOf(settings);
  return {
    bytes: asset.bytes,
    etag: asset.sha256 ?? digest(JSON.stringify([repository, asset])),
    async open(range) {
      // Of no bytes there is no range; there may be a file nevertheless.
      if (asset.bytes === 0) return store.open(repository, asset);
      const isWhole = range.start === 0 && range.end === asset.bytes - 1;
      return store.open(repository, asset, isWhole ? undefined : range);
    },
  };
}

/** The stored archive with an entry that names the build; undefined for what is no zip or jar, or can't be read as one. */
export async function stampedFile(
  file: DeliveredFile,
  { name }: StoredAsset,
  stamp: BuildStamp,
): Promise<DeliveredFile | undefined> {
  if (!ARCHIVE.test(name)) return undefined;
  const content = JSON.stringify({
    build_id: stamp.buildId,
    license: digest(stamp.licenseKey),
    issued_at: stamp.issuedAt.toISOString(),
  });
  const entry = { name: STAMP_ENTRY, content: Buffer.from(`${content}\n`), modifiedAt: stamp.issuedAt };
  const open: OpenRange = (range) => file.open(range);
  const pieces = await stampArchive(file.bytes, open, entry);
  if (!pieces) return undefined;
  return {
    bytes: bytesOf(pieces),
    etag: digest(`${file.etag}\n${content}`),
    open: (range) => Promise.resolve(streamPieces(pieces, range, open)),
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
