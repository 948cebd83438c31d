import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { runningClusterUrl } from '../../src/platform/db/embedded/running-cluster-url.js';
import { startApp } from '../support/app.js';
import { cliWith } from '../support/cli.js';
import { databaseUrl } from '../support/database-url.js';
import { closeAfterwards, createDatabase, query as sql } from '../support/database.js';
import {
  cleanUp,
  end,
  query,
  start,
  startOwner,
  temporaryDirectory,
} from '../support/embedded-postgres-kit.js';
import { restClient } from '../support/rest.js';

afterEach(cleanUp, 60_000);

const CREATE = ['keys', 'create', '--local', '--name', 'ops', '--scope', 'licensing:read'];

/** A database without any table. */
async function emptyDatabase(): Promise<string> {
  const sibling = await createDatabase();
  const name = `test_${randomBytes(6).toString('hex')}`;
  await sql(sibling, `create database ${name}`);
  closeAfterwards(() => sql(sibling, `drop database ${name} with (force)`));
  return databaseUrl(sibling, name);
}

describe('keys create --local with DATABASE_URL', () => {
  it('needs no key, and the key it makes works; the activity says cli', async () => {
    const app = await startApp();
    const run = await cliWith({ DATABASE_URL: app.databaseUrl })(...CREATE);

    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^lsk_\S{52}\n$/) });
    expect((await restClient(app.url, run.stdout.trim())('GET', '/products')).status).toBe(200);
    expect((await restClient(app.url, run.stdout.trim())('POST', '/products', { name: 'x' })).status).toBe(
      403,
    );
    const entries = await app.sql(
      `select event, actor, source, request_id from activity where changes->'name'->>1 = 'ops'`,
    );
    expect(entries).toEqual([{ event: 'api_key.created', actor: 'cli', source: 'cli', request_id: null }]);
  });

  it('checks what GraphQL would have checked', async () => {
    const cli = cliWith({ DATABASE_URL: await createDatabase() });
    const name = await cli('keys', 'create', '--local', '--name', ' x', '--scope', '*');
    expect(name).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--name must be') });
    const expires = await cli(...CREATE, '--expires', '2099-02-31');
    expect(expires).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--expires must be') });
    const past = await cli(...CREATE, '--expires', '2020-01-01');
    expect(past).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('must be in the future') });
    const scope = await cli('keys', 'create', '--local', '--name', 'x', '--scope', 'root');
    expect(scope).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('got root') });
  });

  it('1 for a database that is not migrated, and nothing is created in it', async () => {
    const url = await emptyDatabase();
    const run = await cliWith({ DATABASE_URL: url })(...CREATE);
    expect(run).toMatchObject({ exitCode: 1, stdout: '' });
    expect(run.stderr).toContain('The database (DATABASE_URL) is not up to date.');
    expect(await sql(url, `select 1 from pg_tables where schemaname = 'public'`)).toEqual([]);
  });

  it('1 for a database that does not answer, without its password', async () => {
    const cli = cliWith({ DATABASE_URL: 'postgresql://u:hidden@127.0.0.1:1/x' });
    const { exitCode, stderr } = await cli(...CREATE);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^Error: The database \(DATABASE_URL\) does not answer: .*ECONNREFUSED/);
    expect(stderr).not.toContain('hidden');
  });

  it('2 for a configuration that is wrong', async () => {
    const { exitCode, stderr } = await cliWith({ SERVER_PORT: 'many' })(...CREATE);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('SERVER.PORT');
  });
});

describe('migrate', () => {
  it('applies what is pending, once; --check only looks', async () => {
    const url = await emptyDatabase();
    const cli = cliWith({ DATABASE_URL: url });

    const check = await cli('migrate', '--check');
    expect(check).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Migrations are pending') });
    expect(check.stdout).toMatch(/^Migration20261121000000_foundation$/m);
    expect(await sql(url, `select 1 from pg_tables where schemaname = 'public'`)).toEqual([]);

    const applied = await cli('migrate');
    expect(applied).toEqual({ exitCode: 0, stdout: check.stdout, stderr: '' });
    expect((await cli('migrate')).stdout).toBe('The database is up to date.\n');
    expect(await cli('migrate', '--check', '--json')).toEqual({
      exitCode: 0,
      stdout: '{\n  "pending": []\n}\n',
      stderr: '',
    });
    expect((await cli(...CREATE)).exitCode).toBe(0);
  });
});

describe('with the embedded Postgres', () => {
  it('starts it for the command when no server runs, and stops it again', async () => {
    const dataDir = join(temporaryDirectory(), 'data');
    const cli = cliWith({ DATA_DIR: dataDir });
    expect((await cli('migrate')).exitCode).toBe(0);
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
    expect((await cli(...CREATE)).exitCode).toBe(0);
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);

    const { url } = await start(dataDir);
    expect(await query(url, 'select name, scopes from api_key')).toEqual([
      { name: 'ops', scopes: ['licensing:read'] },
    ]);
  }, 60_000);

  it('uses the one that a server runs', async () => {
    const dataDir = temporaryDirectory();
    const owner = await startOwner(dataDir);
    const cli = cliWith({ DATA_DIR: dataDir });

    expect((await cli('migrate')).exitCode).toBe(0);
    expect(await cli(...CREATE)).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^lsk_/) });
    // The owner has gone on as before.
    expect(await query(owner.url ?? '', 'select name from api_key')).toEqual([{ name: 'ops' }]);
  }, 60_000);
});

describe('runningClusterUrl', () => {
  it('is the URL that the owner has, and none before and after', async () => {
    const dataDir = temporaryDirectory();
    expect(await runningClusterUrl(join(dataDir, 'missing'))).toBeUndefined();
    expect(await runningClusterUrl(dataDir)).toBeUndefined();
    const { child, url } = await startOwner(dataDir);
    expect(await runningClusterUrl(dataDir)).toBe(url);
    await end(child, 'SIGTERM');
    expect(await runningClusterUrl(dataDir)).toBeUndefined();
  }, 60_000);

  it('is none for a stale file whose port is that of another cluster now', async () => {
    const [first, second] = [temporaryDirectory(), temporaryDirectory()];
    await (await start(first)).stop();
    const other = await start(second);
    // Even with its password, as a copy of a cluster has.
    writeFileSync(join(first, 'postgres-password'), readFileSync(join(second, 'postgres-password')));
    writeFileSync(
      join(first, 'postgres/postmaster.pid'),
      readFileSync(join(second, 'postgres/postmaster.pid')),
    );
    expect(await runningClusterUrl(second)).toBe(other.url);
    expect(await runningClusterUrl(first)).toBeUndefined();
  }, 60_000);
});
