import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
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
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
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

const digestOf = (content: string) => createHash('sha256').update(content).digest('hex');

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

  it('while it is replaced, readers find one of both, whole, and each that is listed can be had', async () => {
    const contents = ['one', 'another'];
    const sources = contents.map((content) => join(home, content, 'app.zip'));
    for (const [index, source] of sources.entries()) await lay(source, contents[index]);
    await publish({ path: sources[0] ?? '', force: true });
    let isOver = false;
    const found = new Set<string>();
    const reader = async () => {
      while (!isOver) {
        const assets = await store.assets('acme/app');
        expect(assets.map(({ version, name }) => [version, name])).toEqual([['1.0.0', 'app.zip']]);
        const { sha256 } = assets[0] ?? {};
        const content = contents.find((each) => digestOf(each) === sha256) ?? '';
        expect(assets[0]?.bytes).toBe(content.length);
        found.add(content);
      }
    };
    const readers = Promise.all(Array.from({ length: 4 }, reader));
    for (let round = 0; round < 60; round++) await publish({ path: sources[round % 2] ?? '', force: true });
    isOver = true;
    await readers;
    expect([...found].sort()).toEqual([...contents].sort());
  });

  it('replaced by the same content, a link that was issued before is never without its file', async () => {
    await publish();
    const [listed] = await store.assets('acme/app');
    if (!listed) throw new Error('The store lists no asset');
    let isOver = false;
    const reader = async () => {
      while (!isOver) expect((await buffer(await store.open('acme/app', listed))).toString()).toBe('the app');
    };
    const readers = Promise.all(Array.from({ length: 4 }, reader));
    for (let round = 0; round < 60; round++) await publish({ force: true });
    isOver = true;
    await readers;
  });

  it('killed between the old one and the new, the old one is still there; the next replaces it', async () => {
    await publish();
    const repository = join(root, 'acme/app');
    // As it is between the two renames.
    await rename(join(repository, '1.0.0'), join(repository, `.replaced-1.0.0~${'x'.repeat(43)}`));
    expect(await names()).toEqual(['1.0.0 app.zip']);
    const [listed] = await store.assets('acme/app');
    if (!listed) throw new Error('The store lists no asset');
    expect((await buffer(await store.open('acme/app', listed))).toString()).toBe('the app');
    await expect(publish()).rejects.toThrow('is published already; --force replaces it');
    await lay(join(home, 'other.zip'), 'other');
    await publish({ path: join(home, 'other.zip'), force: true });
    expect(await names()).toEqual(['1.0.0 other.zip']);
    expect(await readdir(repository)).toEqual(['1.0.0']);
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
