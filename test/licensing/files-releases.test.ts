import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { listAssets } from '../../src/licensing/files/release-list.service.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { closeAfterwards } from '../support/database.js';
import { TOKEN, githubKit } from '../support/files/github-kit.js';
import type { GithubKit } from '../support/files/github-kit.js';
import { localKit } from '../support/files/local-kit.js';
import { runTasks, startTestWorker } from '../support/worker.js';

const MINUTE_MS = 60_000;
const VERSIONS = `query ($first: Int) { file(name: "app") {
  versions(first: $first) { version prerelease assets { name bytes sha256 matches } } } }`;

const release = (version: string, ...names: string[]) => ({
  ...{ repository: 'acme/app', version },
  assets: Object.fromEntries(names.map((name) => [name, Buffer.from(name)])),
});

describe('with the provider github', () => {
  let kit: GithubKit;
  let app: TestApp;
  let env: Record<string, string>;

  beforeEach(async () => {
    kit = await githubKit();
    env = { FILES_PROVIDER: 'github', FILES_GITHUB_API_URL: kit.apiUrl, FILES_GITHUB_TOKEN: TOKEN };
    app = await startApp({ env });
    await kit.put(release('v1.0.0', 'app.zip', 'app.zip.sig'));
    await app.rest('POST', '/files', { name: 'app', repo: 'acme/app', asset: '*.{zip,jar}' });
  });

  const versions = async (gateway = app) => {
    const { data } = await gateway.graphql(VERSIONS);
    return (data.file.versions as { version: string }[]).map(({ version }) => version);
  };

  it('GET /files/repos 200: the repositories of the token, in order', async () => {
    await kit.put({ ...release('1.0.0', 'x'), repository: 'Zeta/x' });
    const { status, body } = await app.rest('GET', '/files/repos');
    expect([status, body]).toEqual([200, ['Zeta/x', 'acme/app']]);
  });

  it('GET /files/repos 503 UNAVAILABLE with Retry-After while GitHub is away', async () => {
    await kit.breakDown();
    const { status, body, headers } = await app.rest('GET', '/files/repos');
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'UNAVAILABLE', '5']);
    expect(JSON.stringify(body)).not.toContain('127.0.0.1');
  });

  it('shows versions newest first by semver, what is none last, and which assets are meant', async () => {
    for (const version of ['v1.10.0', 'nightly', 'v1.9.0', '2.0.0-rc.1', '2.0.0', 'alpha']) {
      await kit.put(release(version, 'app.zip'));
    }
    expect(await versions()).toEqual([
      ...['2.0.0', '2.0.0-rc.1', 'v1.10.0', 'v1.9.0', 'v1.0.0', 'nightly', 'alpha'],
    ]);
    const { data } = await app.graphql(VERSIONS, { first: 5 });
    expect(data.file.versions.at(-1)).toEqual({
      ...{ version: 'v1.0.0', prerelease: false },
      assets: [
        { name: 'app.zip', bytes: 7, sha256: expect.stringMatching(/^[0-9a-f]{64}$/), matches: true },
        { name: 'app.zip.sig', bytes: 11, sha256: expect.any(String), matches: false },
      ],
    });
    expect((await app.graphql(VERSIONS, { first: 501 })).errors[0]?.extensions['code']).toBe('INVALID_FIELD');
  });

  it('shows null and UNAVAILABLE for versions that nobody has ever listed', async () => {
    await kit.breakDown();
    const { data, errors } = await app.graphql(VERSIONS);
    expect([data, errors[0]?.extensions['code']]).toEqual([{ file: { versions: null } }, 'UNAVAILABLE']);
  });

  it('asks once for 50 who want a list at once, and not again until it is old', async () => {
    await Promise.all(Array.from({ length: 50 }, () => versions()));
    expect(kit.api.asked).toHaveLength(1);
    await kit.put(release('v1.1.0', 'app.zip'));
    expect(await versions()).toEqual(['v1.0.0']);
    app.clock.advance(13 * MINUTE_MS);
    expect(await versions()).toEqual(['v1.1.0', 'v1.0.0']);
    expect(kit.api.asked).toHaveLength(2);
  });

  it('shares a list with every gateway of the database', async () => {
    await versions();
    const other = await startApp({ env, databaseUrl: app.databaseUrl });
    expect(await versions(other)).toEqual(['v1.0.0']);
    expect(kit.api.asked).toHaveLength(1);
  });

  it('takes no list of another place', async () => {
    await versions();
    const elsewhere = await githubKit();
    await elsewhere.put(release('v9.0.0', 'app.zip'));
    const own = { ...env, FILES_GITHUB_API_URL: elsewhere.apiUrl };
    const other = await startApp({ env: own, databaseUrl: app.databaseUrl });
    expect(await versions(other)).toEqual(['v9.0.0']);
    expect(await versions()).toEqual(['v1.0.0']);
  });

  it('makes do with an old list while GitHub is away', async () => {
    await versions();
    app.clock.advance(24 * 60 * MINUTE_MS);
    await kit.breakDown();
    expect(await versions()).toEqual(['v1.0.0']);
  });

  it('never asks within a transaction', async () => {
    const ask = () => app.orm.em.fork().transactional((em) => listAssets(em, app.ctx, 'acme/app'));
    await expect(ask()).rejects.toMatchObject({ code: 'UNAVAILABLE', headers: { 'Retry-After': '60' } });
    expect(kit.api.asked).toEqual([]);
    await versions();
    app.clock.advance(24 * 60 * MINUTE_MS);
    expect(await ask()).toHaveLength(2);
    expect(kit.api.asked).toHaveLength(1);
  });

  it('the job renews every list, and asks only whether it has changed', async () => {
    await startTestWorker(app);
    await runTasks(app, 'refresh-releases');
    await kit.put(release('v1.1.0', 'app.zip'));
    await runTasks(app, 'refresh-releases');
    const asked = kit.api.asked.length;
    expect(await versions()).toEqual(['v1.1.0', 'v1.0.0']);
    await runTasks(app, 'refresh-releases');
    expect(kit.api.asked).toHaveLength(asked + 1);
    expect(kit.api.asked.at(-1)?.headers['if-none-match']).toEqual(expect.any(String));
  });

  it('the job renews the others when one fails, says so, and forgets what no file names', async () => {
    await startTestWorker(app);
    await app.rest('POST', '/files', { name: 'bad', repo: 'acme/bad' });
    await app.rest('POST', '/files', { name: 'old', repo: 'acme/old' });
    await runTasks(app, 'refresh-releases');
    await app.rest('DELETE', '/files', { name: 'old' });
    app.clock.advance(8 * 24 * 60 * MINUTE_MS);
    await kit.put(release('v1.1.0', 'app.zip'));
    kit.api.interfere = (req, res) => {
      if (req.url?.includes('/acme/bad/') !== true) return false;
      res.writeHead(451).end();
      return true;
    };
    await expect(runTasks(app, 'refresh-releases')).rejects.toThrow('The file store is away');
    const lists = await app.sql('select repo, checked_at > $1 as renewed from release_list', [
      new Date(app.clock.now().getTime() - MINUTE_MS),
    ]);
    expect(lists).toEqual([{ repo: 'acme/app', renewed: true }]);
    expect(await versions()).toEqual(['v1.1.0', 'v1.0.0']);
  });
});

describe('with the provider local', () => {
  it('GET /files/repos 200 and versions: what lies there now', async () => {
    const kit = await localKit();
    const app = await startApp({ env: { FILES_ROOT: kit.root } });
    expect((await app.rest('GET', '/files/repos')).body).toEqual([]);
    await kit.put(release('1.0.0', 'app.zip'));
    await app.rest('POST', '/files', { name: 'app', repo: 'acme/app', asset: 'app.zip' });
    expect((await app.rest('GET', '/files/repos')).body).toEqual(['acme/app']);
    const { data } = await app.graphql(VERSIONS);
    expect(data.file.versions).toMatchObject([
      { version: '1.0.0', assets: [{ name: 'app.zip', matches: true }] },
    ]);
  });

  it('is the default, below DATA_DIR', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'data-'));
    closeAfterwards(() => rm(dataDir, { recursive: true }));
    const app = await startApp({ env: { DATA_DIR: dataDir } });
    expect(app.config.files).toMatchObject({ provider: 'local', root: join(dataDir, 'files') });
  });
});
