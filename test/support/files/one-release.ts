import type { ServerResponse } from 'node:http';
import type { FileStore, StoredAsset } from '../../../src/licensing/files/store/file-store.js';
import type { ByteServer } from './byte-server.js';

export const CONTENT = Buffer.from('0123456789');
/** One release with one asset. */
export const APP = { repository: 'acme/app', version: '1.0.0', assets: { app: CONTENT } };
/** For providers that never answer. */
export const IMPATIENT = { connectMs: 1000, answerMs: 100, stallMs: 100 };

export async function firstAsset(store: FileStore): Promise<StoredAsset> {
  const [asset] = await store.assets('acme/app');
  if (!asset) throw new Error('The store lists no asset');
  return asset;
}

/** Answers every request so, from now on. */
export function answerAll(server: ByteServer, answer: (res: ServerResponse) => void): void {
  server.interfere = (_req, res) => {
    answer(res);
    return true;
  };
}
