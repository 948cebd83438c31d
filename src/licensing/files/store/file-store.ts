import type { Readable } from 'node:stream';

/** One file of one release. */
export interface StoredAsset {
  /** The release's tag, as the provider has it: `v1.2.0`, `1.2.0`. */
  readonly version: string;
  readonly prerelease: boolean;
  /** The file's own name, without a path. */
  readonly name: string;
  readonly bytes: number;
  /** Hex; null when the provider doesn't know it. */
  readonly sha256: string | null;
  /** What the provider finds it by. */
  readonly handle: string;
}

/** Bytes `start` to `end`, both counted from 0 and both included (RFC 9110 §14.1.2). */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Where releases lie: `owner/name` repositories, each with versions, each with assets. Every provider passes
 * test/licensing/file-stores.test.ts.
 */
export interface FileStore {
  /** `owner/name`, in order. */
  repositories(): Promise<readonly string[]>;
  /** Every asset of every release, in no order. Empty for a repository that doesn't exist. */
  assets(repository: string): Promise<readonly StoredAsset[]>;
  /**
   * The asset's bytes, streamed with back-pressure; destroying the stream ends the transfer at the provider.
   * Throws `FILE_NOT_FOUND` when it has gone meanwhile, and `UNAVAILABLE` when the provider doesn't answer.
   */
  open(repository: string, asset: StoredAsset, range?: ByteRange): Promise<Readable>;
}
