import { appendFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePorts, until } from './stage.js';
import type { Actor, Stage } from './stage.js';

export interface Postgres {
  readonly directory: string;
  readonly port: number;
  /** Of the database `licensing`. */
  readonly url: string;
  readonly actor: Actor;
}

/** Settings for `postgresql.conf`, values as they are written there. */
type Settings = Readonly<Record<string, string>>;

/** Where a distribution keeps the programs of its PostgreSQL: the newest, or `PG_BIN`. */
export function postgresProgram(name: string): string {
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base) ? readdirSync(base).sort((a, b) => Number(b) - Number(a)) : [];
  const bin =
    process.env['PG_BIN'] ?? (versions[0] === undefined ? undefined : join(base, versions[0], 'bin'));
  if (bin === undefined)
    throw new Error("PostgreSQL isn't installed: apt-get install postgresql, or set PG_BIN");
  return join(bin, name);
}

/** A new cluster with the database `licensing`, running, as durable as in production. */
export async function newPostgres(stage: Stage, name: string, settings: Settings = {}): Promise<Postgres> {
  const directory = stage.folder(name);
  stage.run(
    postgresProgram('initdb'),
    ['-D', directory, '-U', 'licensing', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '-k'],
    { asPostgres: true },
  );
  const postgres = await startPostgres(stage, directory, name, settings);
  await query(postgres.url.replace(/licensing$/, 'postgres'), 'create database licensing');
  return postgres;
}

/** A streaming replica of another, running; `slot` keeps what it still needs. */
export async function newReplica(stage: Stage, name: string, primary: Postgres): Promise<Postgres> {
  const directory = stage.folder(name);
  const source = `host=127.0.0.1 port=${primary.port} user=licensing application_name=${name}`;
  stage.run(
    postgresProgram('pg_basebackup'),
    ['-D', directory, '-d', source, '-R', '-X', 'stream', '-C', '-S', name, '--checkpoint=fast'],
    { asPostgres: true },
  );
  return startPostgres(stage, directory, name, {});
}

export async function startPostgres(
  stage: Stage,
  directory: string,
  name: string,
  settings: Settings,
): Promise<Postgres> {
  const [port = 0] = await freePorts(1);
  const lines = Object.entries({
    ...{ port: String(port), listen_addresses: "'127.0.0.1'", unix_socket_directories: "''" },
    ...settings,
  }).map(([key, value]) => `${key} = ${value}`);
  appendFileSync(join(directory, 'postgresql.conf'), `\n${lines.join('\n')}\n`);
  const actor = stage.start(`postgres-${name}`, postgresProgram('postgres'), ['-D', directory], {
    asPostgres: true,
  });
  const url = `postgres://licensing@127.0.0.1:${port}/licensing`;
  const answers = () =>
    query(url.replace(/licensing$/, 'postgres'), 'select 1').then(
      () => true,
      () => {
        if (actor.hasEnded()) throw new Error(`PostgreSQL ended instead:\n${actor.log()}`);
        return false;
      },
    );
  await until(`${name} answers`, answers);
  return { directory, port, url, actor };
}

export async function query<Row extends object>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
