import type { FileStore } from '../../../src/licensing/files/store/file-store.js';

/** A release as a test lays it down at a provider. */
export interface LaidRelease {
  readonly repository: string;
  readonly version: string;
  readonly prerelease?: boolean;
  readonly assets: Readonly<Record<string, Buffer>>;
}

/** A provider that really runs, with what a test does behind the program's back. */
export interface StoreKit {
  readonly store: FileStore;
  /** Lays a release down; of one that is there, replaces the assets that are named. */
  put(release: LaidRelease): Promise<void>;
  /** Takes an asset away. */
  remove(repository: string, version: string, name: string): Promise<void>;
  /** From now on the provider doesn't answer. */
  breakDown(): Promise<void>;
  /** Transfers that the provider has not ended; undefined where nobody could count them. */
  underWay?(): number;
  /** Bytes that the provider has sent so far. */
  sent?(): number;
}
