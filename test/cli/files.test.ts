import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { cliWith } from '../support/cli.js';
import type { Cli } from '../support/cli.js';
import { closeAfterwards } from '../support/database.js';

let app: TestApp;
let home: string;
let cli: Cli;
let product: string;

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'files-'));
  closeAfterwards(() => rm(directory, { recursive: true }));
  home = directory;
  const FILES_ROOT = join(home, 'root');
  app = await startApp({ env: { FILES_ROOT } });
  ({ name: product } = await app.seed.product());
  cli = cliWith({ LICENSING_URL: app.url, LICENSING_API_KEY: app.apiKey, FILES_ROOT });
  await mkdir(join(home, 'dist'));
  await writeFile(join(home, 'dist/app.zip'), 'the app');
  await writeFile(join(home, 'dist/app.jar'), 'the jar');
});

const SHA256 = '[0-9a-f]{64}';

describe('files publish', () => {
  it('lays a release down that the server shows at once', async () => {
    const run = await cli('files', 'publish', join(home, 'dist'), '--repo', 'acme/app', '--release', '1.0.0');
    expect(run).toMatchObject({ exitCode: 0, stderr: 'acme/app 1.0.0 is published.\n' });
    expect(run.stdout).toMatch(
      new RegExp(`^ASSET    BYTES  SHA256\napp\\.jar  7      ${SHA256}\napp\\.zip  7      ${SHA256}\n$`),
    );
    expect((await cli('files', 'repos')).stdout).toBe('acme/app\n');
  });

  it('--json, --prerelease, and a version that is one by itself', async () => {
    const publish = (...args: string[]) =>
      cli('--json', 'files', 'publish', join(home, 'dist/app.zip'), '--repo', 'acme/pre', ...args);
    const marked = await publish('--release', '1.0.0', '--prerelease');
    expect(JSON.parse(marked.stdout)).toEqual({
      ...{ repository: 'acme/pre', version: '1.0.0', prerelease: true },
      assets: [{ name: 'app.zip', bytes: 7, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    });
    const { stdout } = await publish('--release', '2.0.0-rc.1');
    expect(JSON.parse(stdout)).toMatchObject({ prerelease: true });
  });

  it('1 for a release that is there, unless --force', async () => {
    const publish = [
      ...['files', 'publish', join(home, 'dist/app.zip')],
      ...['--repo', 'acme/twice', '--release', '1.0.0'],
    ];
    expect((await cli(...publish)).exitCode).toBe(0);
    const again = await cli(...publish);
    expect(again).toMatchObject({ exitCode: 1, stdout: '' });
    expect(again.stderr).toBe('Error: acme/twice 1.0.0 is published already; --force replaces it\n');
    expect((await cli(...publish, '--force')).exitCode).toBe(0);
  });

  it('1 for what is no release, 2 for a command or a configuration that is wrong', async () => {
    const publish = (path: string, repo: string, release: string) =>
      cli('files', 'publish', path, '--repo', repo, '--release', release);
    const missing = await publish(join(home, 'missing'), 'acme/app', '2.0.0');
    expect(missing).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('ENOENT') });
    const version = await publish(join(home, 'dist'), 'acme/app', 'newest');
    expect(version).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--release must be') });
    const outside = await publish(join(home, 'dist'), '../app', '2.0.0');
    expect(outside).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--repo must be') });
    expect((await cli('files', 'publish', join(home, 'dist'))).exitCode).toBe(2);
    const elsewhere = await cliWith({ FILES_PROVIDER: 'github' })(
      ...['files', 'publish', join(home, 'dist'), '--repo', 'acme/app', '--release', '2.0.0'],
    );
    expect(elsewhere).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('FILES_PROVIDER is github'),
    });
  });
});

describe('files create, list, versions, update, delete', () => {
  it('a file through its life', async () => {
    const created = await cli(
      ...['files', 'create', 'app', '--product', product, '--repo', 'acme/app', '--asset', '*.{zip,exe}'],
      ...['--prerelease', '--stamp'],
    );
    expect(created).toMatchObject({ exitCode: 0, stderr: '' });
    expect(created.stdout).toMatch(/^app +product 1 +– +acme\/app +\*\.\{zip,exe\} +yes +yes +yes$/m);
    expect((await cli('files', 'list', '--product', product)).stdout).toBe(created.stdout);
    expect(JSON.parse((await cli('files', 'list', '--repo', 'acme/none', '--json')).stdout)).toEqual([]);

    const { stdout } = await cli('files', 'versions', 'app');
    expect(stdout).toMatch(/^1\.0\.0 +no +app\.jar +7 +[0-9a-f]{64}$/m);
    expect(stdout).toMatch(/^1\.0\.0 +no +\* app\.zip +7 +[0-9a-f]{64}$/m);

    const updated = await cli('files', 'update', 'app', '--name', 'editor', '--no-product', '--no-stamp');
    expect(updated.stdout).toMatch(/^editor +– +– +acme\/app +\*\.\{zip,exe\} +yes +no +no$/m);
    expect((await cli('files', 'delete', 'editor')).stdout).toBe('editor is deleted.\n');
    const gone = await cli('files', 'versions', 'editor');
    expect(gone).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('FILE_NOT_FOUND') });
  });

  it('names a file that is given no name; 1 for what the server refuses', async () => {
    const { stdout } = await cli('--json', 'files', 'create');
    expect(JSON.parse(stdout)).toMatchObject({ name: expect.stringMatching(/^file-\d+$/), issuable: false });
    const refused = await cli('files', 'create', '--repo', '../..');
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('/repo: repo must be') });
    expect((await cli('files', 'versions', 'app', '--first', 'all')).exitCode).toBe(2);
  });

  it('lists more files than one page has', async () => {
    const own = await startApp();
    await own.sql(
      `insert into file (name, created_at, updated_at) select 'f' || n, now(), now() from generate_series(1, 501) n`,
    );
    const { stdout } = await cliWith({ LICENSING_URL: own.url, LICENSING_API_KEY: own.apiKey })(
      'files',
      'list',
      '--json',
    );
    expect(JSON.parse(stdout)).toHaveLength(501);
  });
});
