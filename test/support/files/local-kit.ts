import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalStore } from '../../../src/licensing/files/store/local-store.js';
import { publishRelease } from '../../../src/licensing/files/store/publish-release.js';
import { closeAfterwards } from '../database.js';
import type { StoreKit } from './store-kit.js';

export interface LocalKit extends StoreKit {
  readonly root: string;
}

/** A directory of its own, filled as the command line does it. */
export async function localKit(): Promise<LocalKit> {
  const home = await mkdtemp(join(tmpdir(), 'files-'));
  closeAfterwards(() => rm(home, { recursive: true }));
  const root = join(home, 'root');
  return {
    root,
    store: new LocalStore(root),
    put: async ({ repository, version, prerelease = false, assets }) => {
      const path = await mkdtemp(join(home, 'release-'));
      for (const [name, bytes] of Object.entries(assets)) await writeFile(join(path, name), bytes);
      await publishRelease({ root, path, repository, version, prerelease, force: true });
    },
    remove: (...path) => rm(join(root, ...path)),
    // A directory that is a file can't be listed: for root, who may read everything, a plain chmod changes nothing.
    breakDown: async () => {
      await rename(root, join(home, 'away'));
      await writeFile(root, '');
      await chmod(root, 0o000);
    },
  };
}
