import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { LocalStore } from '../../src/licensing/files/store/local-store.js';
import { publishRelease } from '../../src/licensing/files/store/publish-release.js';
import type { Publication } from '../../src/licensing/files/store/publish-release.js';
import { closeAfterwards } from '../support/database.js';

let home: string;
let root: string;
let store: LocalStore;

beforeEach(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'files-'));
  closeAfterwards(() => rm(directory, { recursive: true, force: true }));
  home = directory;
  root = join(home, 'root');
  store = new LocalStore(root);
});

/** Writes a file as somebody would by hand, with the directories on its way. */
async function lay(path: string, content = 'content'): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, content);
}

async function publish(fields: Partial<Publication> = {}) {
  const path = join(home, 'app.zip');
  await lay(path, 'the app');
  const usual = { root, path, repository: 'acme/app', version: '1.0.0', prerelease: false, force: false };
  return publishRelease({ ...usual, ...fields });
}

async function names(repository = 'acme/app') {
  return (await store.assets(repository)).map(({ version, name }) => `${version} ${name}`).sort();
}

const asset = { version: '1.0.0', prerelease: false, name: 'app.zip', bytes: 7, sha256: null, handle: '' };
const gone = { code: 'FILE_NOT_FOUND', status: 404 };

describe('nothing outside of the root is read', () => {
  beforeEach(async () => {
    await lay(join(home, 'outside/app/1.0.0/app.zip'));
    await mkdir(join(root, 'acme/app/1.0.0'), { recursive: true });
  });

  it.each([
    { what: 'an owner', link: 'evil', to: 'outside', repository: 'evil/app' },
    { what: 'a repository', link: 'acme/evil', to: 'outside/app', repository: 'acme/evil' },
    { what: 'a version', link: 'acme/evil/1.0.0', to: 'outside/app/1.0.0', repository: 'acme/evil' },
    {
      what: 'an asset',
      link: 'acme/evil/1.0.0/app.zip',
      to: 'outside/app/1.0.0/app.zip',
      repository: 'acme/evil',
    },
  ])('through a link that is $what', async ({ link, to, repository }) => {
    await mkdir(join(root, link, '..'), { recursive: true });
    await symlink(join(home, to), join(root, link));
    expect(await names(repository)).toEqual([]);
    await expect(store.open(repository, asset)).rejects.toMatchObject(gone);
    if (link.split('/').length < 3) expect(await store.repositories()).toEqual(['acme/app']);
  });

  it('through a link that took the place of an asset, or of its release, after it was listed', async () => {
    await lay(join(root, 'acme/app/1.0.0/app.zip'));
    const [listed] = await store.assets('acme/app');
    if (!listed) throw new Error('The store lists no asset');
    expect((await buffer(await store.open('acme/app', listed))).toString()).toBe('content');
    await rename(join(root, 'acme/app/1.0.0'), join(root, 'acme/app/moved'));
    await symlink(join(home, 'outside/app/1.0.0'), join(root, 'acme/app/1.0.0'));
    await expect(store.open('acme/app', listed)).rejects.toMatchObject(gone);
  });

  it('from a link that stands for what a release knows of itself', async () => {
    await lay(join(root, 'acme/app/1.0.0/app.zip'));
    const sha256 = { 'app.zip': 'a'.repeat(64) };
    await lay(join(home, 'release.json'), JSON.stringify({ prerelease: true, sha256 }));
    await symlink(join(home, 'release.json'), join(root, 'acme/app/1.0.0/.release.json'));
    expect(await store.assets('acme/app')).toMatchObject([{ prerelease: false, sha256: null }]);
  });

  it('from the root being a link itself: that is for its owner to decide', async () => {
    await lay(join(root, 'acme/app/1.0.0/app.zip'));
    await symlink(root, join(home, 'link'));
    expect(await new LocalStore(join(home, 'link')).assets('acme/app')).toHaveLength(1);
  });
});

describe('what is no plain file', () => {
  it('is neither listed nor waited for: a pipe, a socket, a directory, hidden files', async () => {
    const release = join(root, 'acme/app/1.0.0');
    await lay(join(release, 'app.zip'));
    await mkdir(join(release, 'directory'));
    await lay(join(release, '.hidden'));
    await promisify(execFile)('mkfifo', [join(release, 'pipe')]);
    const socket = createServer().listen(join(release, 'socket'));
    await once(socket, 'listening');
    expect(await names()).toEqual(['1.0.0 app.zip']);
    for (const name of ['pipe', 'socket', 'directory', '.hidden', '.release.json']) {
      await expect(store.open('acme/app', { ...asset, name, bytes: 0 })).rejects.toMatchObject(gone);
    }
    socket.close();
  });
});

describe('a release laid down by hand', () => {
  it('is listed without a sha256, and is a prerelease by its version', async () => {
    await lay(join(root, 'acme/app/1.0.0/app.zip'));
    await lay(join(root, 'acme/app/2.0.0-rc.1/app.zip'));
    await lay(join(root, 'acme/app/.publishing-x/app.zip'));
    expect(await store.assets('acme/app')).toEqual([
      { ...asset, handle: '1.0.0/app.zip' },
      { ...asset, version: '2.0.0-rc.1', prerelease: true, handle: '2.0.0-rc.1/app.zip' },
    ]);
  });

  it('404 for one that has grown since it was listed', async () => {
    await lay(join(root, 'acme/app/1.0.0/app.zip'));
    await writeFile(join(root, 'acme/app/1.0.0/app.zip'), 'content and more');
    await expect(store.open('acme/app', asset)).rejects.toMatchObject(gone);
  });
});

it('a name that every object knows finds nothing in what a release knows of itself', async () => {
  await publish();
  await lay(join(root, 'acme/app/1.0.0/constructor'));
  const found = (await store.assets('acme/app')).find(({ name }) => name === 'constructor');
  expect(found).toMatchObject({ sha256: null });
});
