import { spawn } from 'node:child_process';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { LocalStore } from '../../src/licensing/files/store/local-store.js';
import { PublishError, publishRelease } from '../../src/licensing/files/store/publish-release.js';
import type { Publication } from '../../src/licensing/files/store/publish-release.js';
import { closeAfterwards } from '../support/database.js';
import { ROOT } from '../support/embedded-postgres-kit.js';

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

describe('publishRelease', () => {
  it('lays the visible files of a directory down', async () => {
    await lay(join(home, 'dist/app.zip'), 'zip');
    await lay(join(home, 'dist/app.jar'), 'jar');
    await lay(join(home, 'dist/.DS_Store'));
    const published = await publish({ path: join(home, 'dist'), version: 'v1.0.0-beta', prerelease: true });
    expect(published.map(({ name, bytes }) => [name, bytes])).toEqual([
      ['app.jar', 3],
      ['app.zip', 3],
    ]);
    const assets = await store.assets('acme/app');
    expect(assets.map(({ name, sha256 }) => [name, sha256]).sort()).toEqual(
      published.map(({ name, sha256 }) => [name, sha256]),
    );
    expect(assets.every(({ prerelease, version }) => prerelease && version === 'v1.0.0-beta')).toBe(true);
  });

  it('replaces nothing without force; with it, the release as a whole', async () => {
    await publish();
    await expect(publish()).rejects.toThrow('acme/app 1.0.0 is published already; --force replaces it');
    await lay(join(home, 'other.zip'), 'other');
    await publish({ path: join(home, 'other.zip'), force: true });
    expect(await names()).toEqual(['1.0.0 other.zip']);
    expect(await readdir(join(root, 'acme/app'))).toEqual(['1.0.0']);
  });

  it('whoever reads a release goes on while it is replaced', async () => {
    await publish();
    const [listed] = await store.assets('acme/app');
    if (!listed) throw new Error('The store lists no asset');
    const stream = await store.open('acme/app', listed);
    await lay(join(home, 'other'), 'others!');
    await publish({ path: join(home, 'other'), force: true });
    expect((await buffer(stream)).toString()).toBe('the app');
  });

  it('of 20 at once, one comes to be', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => publish()));
    const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    expect(refused).toHaveLength(19);
    expect(refused.every((reason) => reason instanceof PublishError)).toBe(true);
    expect(await readdir(join(root, 'acme/app'))).toEqual(['1.0.0']);
  });

  it('of 20 at once by force, the last one is there, whole, and nothing else', async () => {
    const paths = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const path = join(home, `source-${index}/app.zip`);
        await lay(path, `content ${index}`);
        return path;
      }),
    );
    await Promise.all(paths.map((path) => publish({ path, force: true })));
    expect(await readdir(join(root, 'acme/app'))).toEqual(['1.0.0']);
    const [listed] = await store.assets('acme/app');
    if (!listed) throw new Error('The store lists no asset');
    expect((await buffer(await store.open('acme/app', listed))).toString()).toMatch(/^content \d+$/);
  });

  it.each([
    ['--release must be', { version: '1.2' }],
    ['--release must be', { version: 'latest' }],
    ['--release must be', { version: ' 1.2.0' }],
    ['--release must be', { version: '../1.2.0' }],
    ['--repo must be', { repository: 'app' }],
    ['--repo must be', { repository: '../app' }],
    ['--repo must be', { repository: 'acme/app/1.0.0' }],
  ])('refuses: %s (%j)', async (reason, fields) => {
    await expect(publish(fields)).rejects.toThrow(reason);
    expect(await store.repositories()).toEqual([]);
  });

  it('refuses an empty directory, a directory within, and a name that is none', async () => {
    await mkdir(join(home, 'empty'));
    await expect(publish({ path: join(home, 'empty') })).rejects.toThrow('There is no file');
    await lay(join(home, 'nested/inner/app.zip'));
    await expect(publish({ path: join(home, 'nested') })).rejects.toThrow('holds files, and no directories');
    await lay(join(home, 'odd/a\\b'));
    await expect(publish({ path: join(home, 'odd') })).rejects.toThrow(PublishError);
    expect(await names()).toEqual([]);
  });

  it('writes nothing through a link', async () => {
    await mkdir(join(root, 'acme'), { recursive: true });
    await mkdir(join(home, 'outside'));
    await symlink(join(home, 'outside'), join(root, 'acme/app'));
    await expect(publish()).rejects.toThrow('leads elsewhere by a link');
    expect(await readdir(join(home, 'outside'))).toEqual([]);
  });

  it('killed in the middle leaves nothing that is listed, and does not stand in the way', async () => {
    const path = join(home, 'large.bin');
    await writeFile(path, '');
    await truncate(path, 4 * 1024 ** 3);
    const loader = join(ROOT, 'test/support/ts-loader.mjs');
    const command = ['--import', loader, join(ROOT, 'src/cli/main.ts'), 'files', 'publish', path];
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, [...command, '--repo', 'acme/app', '--release', '1.0.0'], {
      cwd: home,
      env: { PATH, HOME, FILES_ROOT: root },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    const repository = join(root, 'acme/app');
    const staged = async () => {
      const [staging] = await readdir(repository).catch(() => []);
      return staging !== undefined && (await readdir(join(repository, staging))).includes('large.bin');
    };
    let isStaged = false;
    while (!isStaged && child.exitCode === null) isStaged = await staged();
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);

    expect(await names()).toEqual([]);
    await publish();
    expect(await names()).toEqual(['1.0.0 app.zip']);
    expect(await readFile(join(repository, '1.0.0/app.zip'), 'utf8')).toBe('the app');
  });
});
