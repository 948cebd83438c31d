import { describe, expect, it } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { pino } from 'pino';
import { migrations } from '../../../migrations/index.js';
import { licensingEntities } from '../../../src/licensing/entities.js';
import { createOrm, nativePool } from '../../../src/platform/db/orm.js';
import { onPool } from '../../../src/platform/db/query.js';
import { Replicas } from '../../../src/platform/db/replicas.js';
import { waitForDatabase } from '../../../src/platform/db/wait-for-database.js';
import { createMetrics } from '../../../src/platform/metrics.js';
import { closeAfterwards, createDatabase } from '../../support/database.js';

const log = pino({ level: 'silent' });

function open(url: string, options: { readonly prepared?: boolean } = {}): MikroORM {
  const orm = createOrm({ url, poolMax: 1, entities: licensingEntities, migrations, log, ...options });
  closeAfterwards(() => orm.close(true));
  return orm;
}

/** The names that the one connection knows, once a named statement was sent. */
async function namesAfter(orm: MikroORM): Promise<string[]> {
  const query = onPool(() => nativePool(orm));
  for (let n = 0; n < 2; n++) await query({ name: 'one', text: 'select $1::integer as n', values: [n] });
  const known = await (
    await nativePool(orm)
  ).query<{ name: string }>('select name from pg_prepared_statements');
  return known.rows.map(({ name }) => name);
}

describe('a frequent statement', () => {
  it('is planned once a connection, unless a pooler would lose its name', async () => {
    const url = await createDatabase();
    expect(await namesAfter(open(url))).toEqual(['one']);
    expect(await namesAfter(open(url, { prepared: false }))).toEqual([]);
  });
});

describe("a database's URL", () => {
  const settingOf = async (url: string) =>
    (await (await nativePool(open(url))).query<{ statement_timeout: string }>('show statement_timeout'))
      .rows[0]?.statement_timeout;

  it('has parameters that reach every connection', async () => {
    const url = await createDatabase();
    expect(await settingOf(`${url}?options=-c%20statement_timeout%3D7s`)).toBe('7s');
  });

  it('with sslmode is never used without TLS', async () => {
    const url = await createDatabase();
    await expect(settingOf(`${url}?sslmode=verify-full`)).rejects.toThrow('does not support SSL');
  });
});

describe('waitForDatabase', () => {
  it.each([
    ['an unknown database', { pathname: '/nobody' }, 'refuses (database "nobody" does not exist)'],
    ['a wrong password', { password: 'wrong' }, 'refuses (password authentication failed'],
    ['a port where nobody listens', { port: '1' }, 'does not answer (connect ECONNREFUSED'],
  ])('%s: says what is wrong, and where to look', async (_title, change, said) => {
    const url = Object.assign(new URL(await createDatabase()), change);
    const end = new AbortController();
    const lines: string[] = [];
    const write = (line: string) => {
      lines.push(line);
      end.abort();
    };
    const heard = pino({ level: 'warn' }, { write });
    await expect(waitForDatabase(open(url.href), heard, end.signal)).rejects.toThrow('aborted');
    expect((JSON.parse(lines[0] ?? '') as { msg: string }).msg).toContain(`The database ${said}`);
    expect(lines[0]).toContain('DATABASE_URL');
  });
});

describe('Replicas', () => {
  it('leave the list to the primary where a replica is none, or does not answer', async () => {
    const url = await createDatabase();
    const metrics = createMetrics();
    // A server that takes writes replays nothing; to read there would be to read another history.
    const replicas = new Replicas({
      ...{ primary: open(url), log, metrics },
      replicas: [open(url), open('postgres://127.0.0.1:1/x')],
    });
    // The third time, both rest.
    for (let n = 0; n < 3; n++) expect(await replicas.caughtUp()).toBeUndefined();
    const { values } = await metrics.replicaReads.get();
    expect(values.map(({ labels, value }) => [labels.outcome, value])).toEqual([['away', 2]]);
  });

  it('reject while the primary is away: nobody can tell what was acknowledged', async () => {
    const away = open('postgres://127.0.0.1:1/x');
    const replicas = new Replicas({ primary: away, replicas: [away], log, metrics: createMetrics() });
    await expect(replicas.caughtUp()).rejects.toThrow();
  });
});
