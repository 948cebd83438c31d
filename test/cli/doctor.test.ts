import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { cliWith } from '../support/cli.js';
import type { CliRun } from '../support/cli.js';
import { closeAfterwards, createDatabase, query } from '../support/database.js';
import { cleanUp, temporaryDirectory } from '../support/embedded-postgres-kit.js';
import { seal } from '../../src/platform/seal.js';

afterEach(cleanUp, 60_000);

const SECRETS = {
  SECRET_KEY: 'the secret key of the doctor, 32 characters and more',
  AUTH_SECRET: 'the-bearer-of-the-doctor-32-characters-and-more',
};
/** What the tests' own PostgreSQL does without, for speed. */
const FSYNC_IS_OFF = 'database.durability';

interface Line {
  readonly check: string;
  readonly level: string;
  readonly message: string;
  readonly advice?: string;
}

/** The checks of a level, and what they say. */
function found({ stdout }: CliRun, level: string): Record<string, string> {
  const lines = (JSON.parse(stdout) as Line[]).filter((line) => line.level === level);
  expect(lines.every((line) => (line.level === 'ok') === (line.advice === undefined))).toBe(true);
  return Object.fromEntries(lines.map(({ check, message }) => [check, message]));
}

describe('doctor', () => {
  it('has nothing to say of a database that is well, but that no worker runs', async () => {
    const url = await createDatabase();
    await query(url, "select ensure_job_run_partitions((now() at time zone 'UTC')::date, 4)");
    const env = { DATABASE_URL: url, DATA_DIR: temporaryDirectory(), SERVER_PORT: '0', SERVER_API_PORT: '0' };
    const run = await cliWith({ ...env, ...SECRETS })('doctor', '--json');
    expect(found(run, 'fail')).toEqual({
      [FSYNC_IS_OFF]: expect.stringContaining('fsync and full_page_writes off'),
    });
    expect(found(run, 'warn')).toMatchObject({ 'jobs.workers': expect.stringContaining('no worker runs') });
    expect(found(run, 'ok')).toMatchObject({
      'database.migrations': 'the schema is up to date',
      'database.notifications': 'notifications arrive',
      'database.partitions': expect.stringContaining('today and 2 days more'),
      'secrets.fit': 'SECRET_KEY opens what is sealed',
    });
    // Because of the tests' own PostgreSQL.
    expect(run).toMatchObject({ exitCode: 1, stderr: 'Error: 1 check failed.\n' });
  });

  it('says what is wrong, and what to do', async () => {
    const url = await createDatabase();
    await query(url, `select graphile_worker.add_job('expire-sessions', max_attempts => 1)`);
    await query(
      url,
      `select graphile_worker.permanently_fail_jobs(array(select id from graphile_worker.jobs), 'x')`,
    );
    await query(url, `select graphile_worker.add_job('expire-sessions')`);
    const ring = { secretKey: 'another secret key, of 32 characters and more', previousSecretKeys: [] };
    await query(
      url,
      `insert into webhook (name, url, events, enabled, sealed_headers, sealed_secret, failing_since, created_at, updated_at)
       values ('shop', 'https://shop.example', '{}', false, $1, $1, now(), now(), now())`,
      [seal('{}', ring)],
    );
    await query(
      url,
      `insert into signing_key (kid, public_jwk, sealed_private_key, created_at) values ('k', '{}', $1, now())`,
      [seal('private', ring)],
    );
    const other = createServer((socket) => socket.resume().end('who are you?')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    closeAfterwards(() => once(other.close(), 'close'));
    const directory = join(temporaryDirectory(), 'data');
    mkdirSync(directory);
    writeFileSync(join(directory, 'auth-secret'), 'x', { mode: 0o644 });

    const run = await cliWith({
      ...SECRETS,
      ...{ DATABASE_URL: url, DATABASE_REPLICA_URLS: `${url},postgres://127.0.0.1:1/x`, DATA_DIR: directory },
      ...{ SERVER_PORT: String((other.address() as AddressInfo).port), SERVER_API_PORT: '0' },
    })('doctor', '--json');
    expect(run.exitCode).toBe(1);
    expect(found(run, 'fail')).toMatchObject({
      'machine.ports': expect.stringContaining('taken by another program'),
      'secrets.files': expect.stringContaining('auth-secret can be read by others'),
      'secrets.fit': 'SECRET_KEY does not open what is stored in webhook (2), signing_key (1)',
      'database.replicas': 'replica 1 is a primary of its own',
      'jobs.workers': 'no worker runs, and 1 job waits',
    });
    expect(found(run, 'warn')).toMatchObject({
      'database.replicas': expect.stringContaining('replica 2 does not answer'),
      'database.partitions': expect.stringMatching(/^partitions are missing: job_run_\d{8}/),
      'jobs.queue': '1 job failed for good',
      'webhooks.targets': expect.stringContaining('shop'),
    });
  });

  it('ends with 1 and says why for a configuration, a database and migrations that are not there', async () => {
    const broken = await cliWith({ SERVER_PORT: 'x', LOGS_LEVEL: 'loud' })('doctor');
    expect(broken.exitCode).toBe(1);
    expect(broken.stdout).toMatch(
      /^fail +configuration +SERVER.PORT \(environment variable SERVER_PORT\): /m,
    );
    expect(broken.stdout).toContain('0 well, 0 warnings, 2 failed.');

    const ports = { SERVER_PORT: '0', SERVER_API_PORT: '0', DATA_DIR: temporaryDirectory() };
    const away = await cliWith({ ...ports, DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x' })('doctor');
    expect(away.exitCode).toBe(1);
    expect(away.stdout).toMatch(/^fail +database +it does not answer: connect ECONNREFUSED/m);
    expect(away.stdout).toMatch(/^warn +secrets.shared +SECRET_KEY is not set/m);
    expect(`${away.stdout}${away.stderr}`).not.toContain('hunter2');

    const url = await createDatabase();
    await query(url, 'delete from migration where name like $1', ['%hot_path']);
    const old = await cliWith({ ...ports, ...SECRETS, DATABASE_URL: url })('doctor');
    expect(old.stdout).toMatch(/^fail +database.migrations +1 migration pending: Migration\d+_hot_path/m);
  });
});
