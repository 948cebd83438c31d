import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { restClient } from '../support/rest.js';
import type { RestClient } from '../support/rest.js';
import { newPostgres, postgresProgram, query, startPostgres } from './postgres.js';
import type { Postgres } from './postgres.js';
import { SHARED, startGateway } from './programs.js';
import { Stage, tell, until } from './stage.js';

const LICENSES = 50;

/** The backups of docs/operating.md, taken while the server works, and restored: a dump, and a point in time. */
export async function recovery(): Promise<void> {
  const stage = new Stage();
  try {
    const archive = stage.folder('archive');
    const primary = await newPostgres(stage, 'primary', {
      archive_mode: 'on',
      archive_command: `'test ! -f ${archive}/%f && cp %p ${archive}/%f'`,
    });
    const gateway = await startGateway(stage, 'gateway', { DATABASE_URL: primary.url });
    const rest = restClient(gateway.url, SHARED.API_KEY);
    await rest('POST', '/products', { name: 'Editor' });
    for (let n = 0; n < LICENSES; n++)
      await rest('POST', '/licenses', { key: `BACKUP-${n}`, product: 'Editor' });
    // Sealed secrets: the signing key comes with the first signature.
    await validate(rest);
    await dump(stage, primary);
    await pointInTime(stage, primary, archive, rest);
  } finally {
    await stage.close();
  }
}

/** `pg_dump` beside a running server, `pg_restore` into an empty database of another cluster, a server on it. */
async function dump(stage: Stage, primary: Postgres): Promise<void> {
  const file = join(stage.folder('dumps'), 'licensing.dump');
  stage.run(postgresProgram('pg_dump'), ['--format=custom', `--file=${file}`, primary.url], {
    asPostgres: true,
  });
  const restored = await newPostgres(stage, 'restored');
  stage.run(
    postgresProgram('pg_restore'),
    ['--exit-on-error', '--no-owner', '--jobs=2', `--dbname=${restored.url}`, file],
    { asPostgres: true },
  );
  for (const table of ['license', 'product', 'activity', 'api_key', 'signing_key', 'migration']) {
    const [before, after] = await Promise.all([countOf(primary, table), countOf(restored, table)]);
    assert.equal(after, before, table);
  }
  const gateway = await startGateway(stage, 'gateway-restored', { DATABASE_URL: restored.url });
  await validate(restClient(gateway.url, SHARED.API_KEY));
  await gateway.actor.end('SIGTERM');
  tell(
    `pg_dump and pg_restore: ${LICENSES} licenses and everything else are there; a server on it signs verdicts`,
  );
}

/** A base backup, archived WAL, and the database as it was just before a mistake. */
async function pointInTime(
  stage: Stage,
  primary: Postgres,
  archive: string,
  rest: RestClient,
): Promise<void> {
  const base = stage.folder('base');
  const source = `host=127.0.0.1 port=${primary.port} user=licensing`;
  stage.run(
    postgresProgram('pg_basebackup'),
    ['-D', base, '-d', source, '-X', 'stream', '--checkpoint=fast'],
    { asPostgres: true },
  );
  await rest('POST', '/products', { name: 'After the base backup' });
  const [moment] = await query<{ at: string }>(primary.url, 'select clock_timestamp()::text as at');
  const mistake = await rest('DELETE', '/products', { name: 'Editor', force: true });
  assert.equal(mistake.status, 200);
  const [segment] = await query<{ name: string }>(
    primary.url,
    'select pg_walfile_name(pg_current_wal_lsn()) as name from (select pg_switch_wal()) switched',
  );
  const [last] = await query<{ name: string }>(
    primary.url,
    'select last_archived_wal as name from pg_stat_archiver',
  );
  await until('the last segment is archived', async () => {
    const [row] = await query<{ name: string | null }>(
      primary.url,
      'select last_archived_wal as name from pg_stat_archiver',
    );
    return row?.name !== last?.name || existsSync(join(archive, segment?.name ?? ''));
  });
  stage.run('touch', [join(base, 'recovery.signal')], { asPostgres: true });
  const restored = await startPostgres(stage, base, 'point-in-time', {
    restore_command: `'cp ${archive}/%f %p'`,
    recovery_target_time: `'${moment?.at ?? ''}'`,
    recovery_target_action: "'promote'",
    archive_mode: 'off',
  });
  await until('it has been promoted', async () => {
    const [row] = await query<{ recovers: boolean }>(restored.url, 'select pg_is_in_recovery() as recovers');
    return row?.recovers === false;
  });
  const products = await query<{ name: string }>(restored.url, 'select name from product order by id');
  assert.deepEqual(
    products.map(({ name }) => name),
    ['Editor', 'After the base backup'],
  );
  const gateway = await startGateway(stage, 'gateway-point-in-time', { DATABASE_URL: restored.url });
  await validate(restClient(gateway.url, SHARED.API_KEY));
  tell(
    'base backup and archived WAL: restored to the moment before a DELETE with force; the licenses are valid again',
  );
}

/** A signed verdict: the SECRET_KEY opens what the database has sealed. */
async function validate(rest: RestClient): Promise<void> {
  const { body, headers } = await rest('POST', '/licenses/validate', { license_key: 'BACKUP-0', nonce: 'n' });
  assert.equal((body as { code: string }).code, 'VALID', JSON.stringify(body));
  assert.match(String(headers['x-signature']), /^t=\d+,kid=/);
}

async function countOf({ url }: Postgres, table: string): Promise<number> {
  const [row] = await query<{ count: number }>(url, `select count(*)::integer as count from ${table}`);
  return row?.count ?? -1;
}
