import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { query } from './postgres.js';
import type { Postgres } from './postgres.js';
import { freePorts, until } from './stage.js';
import type { Stage } from './stage.js';

export interface Pooler {
  /** `1.18.0`. */
  readonly version: string;
  readonly url: string;
  /** It keeps track of prepared statements, as 1.21 and newer do where they are told to. */
  readonly prepares: boolean;
  /** How many statements it has prepared at PostgreSQL, and how often clients have run one. */
  readonly prepared: () => Promise<{ readonly parsed: number; readonly bound: number }>;
}

/**
 * Debian's pgbouncer, or `PGBOUNCER`, a program elsewhere, lending connections by the transaction, with the settings of
 * `deploy/pgbouncer.ini`.
 */
export async function startPgbouncer(stage: Stage, postgres: Postgres, ini: string): Promise<Pooler> {
  const program = process.env['PGBOUNCER'] ?? '/usr/sbin/pgbouncer';
  const [, version = '', major, minor] =
    /PgBouncer ((\d+)\.(\d+)\S*)/.exec(stage.run(program, ['--version'])) ?? [];
  const prepares = Number(major) > 1 || Number(minor) >= 21;
  const [port = 0] = await freePorts(1);
  const directory = stage.folder('pgbouncer');
  const path = join(directory, 'pgbouncer.ini');
  const text = ini
    .replace('host=postgres port=5432', `host=127.0.0.1 port=${postgres.port}`)
    .replace(/^listen_addr = .*$/m, 'listen_addr = 127.0.0.1\nunix_socket_dir =\nstats_users = licensing')
    .replace(/^listen_port = .*$/m, `listen_port = ${port}`)
    .replace(
      /^auth_type = .*\nauth_file = .*$/m,
      `auth_type = trust\nauth_file = ${join(directory, 'users.txt')}`,
    )
    .replace(/^; (?=max_prepared_statements)/m, prepares ? '' : '; ');
  writeFileSync(path, text);
  writeFileSync(join(directory, 'users.txt'), '"licensing" ""\n');
  const pooler = stage.start('pgbouncer', program, [path], { asPostgres: true });
  const url = `postgres://licensing@127.0.0.1:${port}/licensing`;
  await until('pgbouncer answers', () =>
    query(url, 'select 1').then(
      () => true,
      () => {
        if (pooler.hasEnded()) throw new Error(`pgbouncer ended instead:\n${pooler.log()}`);
        return false;
      },
    ),
  );
  const prepared = async () => {
    const rows = await query<Record<string, string>>(
      url.replace(/licensing$/, 'pgbouncer'),
      'show stats_totals',
    );
    const stats = rows.find(({ database }) => database === 'licensing');
    return {
      parsed: Number(stats?.['server_parse_count'] ?? 0),
      bound: Number(stats?.['bind_count'] ?? 0),
    };
  };
  return { version, url, prepares, prepared };
}
