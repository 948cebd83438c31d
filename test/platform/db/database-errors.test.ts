import { beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import {
  isConnectionLost,
  isRetryable,
  translateDatabaseError,
} from '../../../src/platform/db/database-errors.js';
import { failure } from '../../../src/platform/errors.js';
import { closeAfterwards, createDatabase } from '../../support/database.js';

let url: string;
let client: Client;

beforeAll(async () => {
  url = await createDatabase();
  client = await connect(url);
  await client.query('create table parent (id integer primary key)');
  await client.query(`create table child (
    id integer constraint child_key unique, parent integer references parent, small smallint check (small > 0))`);
  await client.query('insert into parent values (1)');
  await client.query('insert into child values (1, 1, 1)');
});

async function connect(to: string): Promise<Client> {
  const made = new Client(to);
  made.on('error', () => undefined);
  await made.connect();
  closeAfterwards(() => made.end().catch(() => undefined));
  return made;
}

/** The error that the real thing makes. */
async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => {
      throw new Error('Expected an error');
    },
    (error: unknown) => error,
  );
}

const sql = (text: string, values: unknown[] = []) => errorOf(client.query(text, values));
const translated = (error: unknown) => {
  const found = translateDatabaseError(error);
  return found && [found.status, found.code];
};

describe('translateDatabaseError', () => {
  it('a unique violation names the value', async () => {
    const error = translateDatabaseError(await sql('insert into child values (1, 1, 1)'));
    expect([error?.status, error?.code]).toEqual([409, 'ALREADY_EXISTS']);
    expect(error?.message).toBe('A child with id 1 exists already');
  });

  it.each([
    ['delete from parent', [409, 'IN_USE']],
    ['insert into child values (2, 5, 1)', [409, 'IN_USE']],
    ['insert into child values (2, 1, -1)', [422, 'INVALID_FIELD']],
    ['insert into child values (2, 1, 99999)', [422, 'INVALID_FIELD']],
    ["select 'abc'::integer", [422, 'INVALID_FIELD']],
    ["select 'abc'::timestamptz", [422, 'INVALID_FIELD']],
    ["select '2026-99-99'::timestamptz", [422, 'INVALID_FIELD']],
    [`select '"\\u0000"'::jsonb->>0`, [422, 'INVALID_FIELD']],
  ])('%s', async (text, expected) => {
    expect(translated(await sql(text))).toEqual(expected);
  });

  it('U+0000 in the text of a statement, where the ORM writes values', async () => {
    const error = await sql("select 'a\u0000b'");
    expect(translateDatabaseError(error)?.message).toBe('Text must not contain the character U+0000');
    expect(isConnectionLost(error)).toBe(false);
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('U+0000 in a parameter', async () => {
    const error = await sql('select $1::text', ['\u0000']);
    expect(translateDatabaseError(error)?.message).toBe('Text must not contain the character U+0000');
  });

  it.each(['select * from nowhere', 'selec', 'select 1/0', 'select nothing'])(
    'is none of the caller’s business: %s',
    async (text) => {
      expect(translateDatabaseError(await sql(text))).toBeUndefined();
    },
  );

  it('what is not of the database stays what it is', () => {
    const own = failure('IN_USE', 'a');
    for (const error of [own, new Error('a'), null, undefined, 'text', 5, {}]) {
      expect(translateDatabaseError(error)).toBeUndefined();
      expect(isRetryable(error)).toBe(false);
    }
  });

  it('an error that is its own cause ends the search', () => {
    const circle = new Error('round');
    circle.cause = circle;
    expect(translateDatabaseError(circle)).toBeUndefined();
  });

  it('a file that is missing is not a database that is away', () => {
    const missing = Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall: 'open' });
    expect(translateDatabaseError(missing)).toBeUndefined();
  });
});

describe('isConnectionLost, and so 503 UNAVAILABLE', () => {
  const away = [503, 'UNAVAILABLE'];

  it('refused: nobody listens there', async () => {
    const refused = new URL(url);
    refused.port = '1';
    const error = await errorOf(new Client(refused.href).connect());
    expect([isConnectionLost(error), translated(error)]).toEqual([true, away]);
    expect(translateDatabaseError(error)?.headers).toEqual({ 'Retry-After': '2' });
  });

  it('no such socket, no such host, no such database, no such password', async () => {
    const changed = (change: (target: URL) => void) => {
      const target = new URL(url);
      change(target);
      return errorOf(new Client(target.href).connect());
    };
    const socket = await errorOf(new Client({ host: '/nowhere', user: 'a', database: 'a' }).connect());
    expect(translated(socket)).toEqual(away);
    const host = await changed((target) => (target.hostname = 'nowhere.invalid'));
    expect(translated(host)).toEqual(away);
    const database = await changed((target) => (target.pathname = '/nowhere'));
    expect(translated(database)).toEqual(away);
    const password = await changed((target) => (target.password = 'wrong'));
    expect(translated(password)).toEqual(away);
  });

  it('told to go, in the middle of a statement and before the next', async () => {
    const victim = await connect(url);
    const { rows } = await victim.query<{ pid: number }>('select pg_backend_pid() as pid');
    const running = errorOf(victim.query('select pg_advisory_lock(1), pg_sleep(60)'));
    await client.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    expect(translated(await running)).toEqual(away);
    expect(translated(await errorOf(victim.query('select 1')))).toEqual(away);
  });

  it('a server that only reads: a failover has not ended yet', async () => {
    await client.query('begin read only');
    const error = await sql('insert into parent values (2)');
    await client.query('rollback');
    expect(translated(error)).toEqual(away);
  });
});

describe('isRetryable', () => {
  it('a deadlock, also once it is in the caller’s terms', async () => {
    const [one, two] = [await connect(url), await connect(url)];
    await client.query('insert into parent values (10), (20)');
    for (const each of [one, two]) await each.query('begin');
    const lock = (by: Client, id: number) =>
      by.query('select 1 from parent where id = $1 for update', [id]).then(
        () => undefined,
        (error: unknown) => error,
      );
    await Promise.all([lock(one, 10), lock(two, 20)]);
    const errors = (await Promise.all([lock(one, 20), lock(two, 10)])).filter(Boolean);
    for (const each of [one, two]) await each.query('rollback');
    expect(errors).toHaveLength(1);
    expect(isRetryable(errors[0])).toBe(true);
    expect(translated(errors[0])).toEqual([503, 'UNAVAILABLE']);
    expect(isRetryable(translateDatabaseError(errors[0]))).toBe(true);
  });

  it('a serialization failure', async () => {
    const [one, two] = [await connect(url), await connect(url)];
    for (const each of [one, two]) {
      await each.query('begin isolation level serializable');
      await each.query('select sum(id) from parent');
    }
    await one.query('insert into parent values (30)');
    await two.query('insert into parent values (40)');
    await one.query('commit');
    const error = await errorOf(two.query('commit'));
    await two.query('rollback');
    expect([isRetryable(error), isConnectionLost(error)]).toEqual([true, false]);
  });

  it('nothing else', async () => {
    expect(isRetryable(await sql('insert into child values (1, 1, 1)'))).toBe(false);
  });
});
