import type { Settings } from '../../../config.js';
import type { FileStore } from './file-store.js';
import { GithubStore } from './github-store.js';
import { LocalStore } from './local-store.js';
import { S3Store } from './s3-store.js';

const stores = new WeakMap<Settings, FileStore>();

/** The configured provider, one for each configuration, made when it is first asked for. */
export function fileStoreOf(settings: Settings): FileStore {
  const known = stores.get(settings);
  if (known) return known;
  const store = create(settings);
  stores.set(settings, store);
  return store;
}

function create({ files }: Settings): FileStore {
  switch (files.provider) {
    case 'local':
      return new LocalStore(files.root);
    case 'github':
      return new GithubStore(files.github);
    case 's3':
      return new S3Store(files.s3);
  }
}
