import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  cleanUp,
  end,
  lives,
  postmasterPid,
  query,
  start,
  startOwner,
  temporaryDirectory,
  until,
} from '../../support/embedded-postgres-kit.js';

afterEach(cleanUp, 60_000);

function portOf(url: string): number {
  return Number(new URL(url).port);
}

describe('a first start', () => {
  it('creates a database that does not depend on the machine', async () => {
    const dataDir = join(temporaryDirectory(), 'not/there/yet');
    const { url } = await start(dataDir);

    expect(new URL(url).pathname).toBe('/licensing');
    const rows = await query(
      url,
      `select current_setting('server_version_num')::int / 10000 as version, current_setting('timezone') as timezone,
              current_setting('data_checksums') as checksums, current_setting('listen_addresses') as addresses,
              pg_encoding_to_char(encoding) as encoding, datlocprovider as provider, datlocale as locale
       from pg_database where datname = current_database()`,
    );
    expect(rows).toEqual([
      {
        version: 18,
        timezone: 'UTC',
        checksums: 'on',
        addresses: '127.0.0.1',
        encoding: 'UTF8',
        provider: 'b',
        locale: 'C.UTF-8',
      },
    ]);
    expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres-password']);
  });

  it('runs PostgreSQL in a session of its own, which Ctrl-C does not reach', async () => {
    const dataDir = temporaryDirectory();
    await start(dataDir);
    const pid = postmasterPid(dataDir);
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    expect(fields.slice(2, 4)).toEqual([String(pid), String(pid)]); // process group, session
  });

  it('refuses a wrong password', async () => {
    const { url } = await start(temporaryDirectory());
    await expect(query(url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toMatchObject({
      code: '28P01',
    });
  });

  it('clears away one that was killed half-way', async () => {
    const dataDir = temporaryDirectory();
    mkdirSync(join(dataDir, 'postgres.init-0123456789abcdef/base'), { recursive: true });
    writeFileSync(join(dataDir, 'postgres.init-0123456789abcdef/PG_VERSION'), '18\n');
    writeFileSync(join(dataDir, 'postgres.init-0123456789abcdef.password'), 'secret');
    const { url } = await start(dataDir);
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres-password']);
  });

  it('is won by exactly one of two', async () => {
    const dataDir = temporaryDirectory();
    const both = await Promise.all([startOwner(dataDir), startOwner(dataDir)]);
    const winners = both.filter((owner) => owner.url !== undefined);
    const losers = both.filter((owner) => owner.code === 'DATA_DIR_IN_USE');
    expect([winners.length, losers.length]).toEqual([1, 1]);
    expect(await query(winners[0]?.url ?? '', 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('a later start', () => {
  it('finds the data', async () => {
    const dataDir = temporaryDirectory();
    const first = await start(dataDir);
    await query(first.url, 'create table kept as select 42 as answer');
    const pid = postmasterPid(dataDir);
    await first.stop();
    expect(lives(pid)).toBe(false);

    const second = await start(dataDir);
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('is refused while a server runs there, and says what to do', async () => {
    const dataDir = temporaryDirectory();
    const { url } = await start(dataDir);
    await expect(start(dataDir)).rejects.toMatchObject({
      code: 'DATA_DIR_IN_USE',
      message:
        `Another server is already running on the data directory ${dataDir}. Stop it first, or give this server ` +
        'a directory of its own with DATA_DIR, or let both use one PostgreSQL with DATABASE_URL.',
    });
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('takes over from a server that was killed, data and all', async () => {
    const dataDir = temporaryDirectory();
    const owner = await startOwner(dataDir);
    await query(owner.url ?? '', 'create table kept as select 42 as answer');
    const orphan = postmasterPid(dataDir);
    await end(owner.child, 'SIGKILL');
    expect(lives(orphan)).toBe(true);

    const { url } = await start(dataDir);
    expect(lives(orphan)).toBe(false);
    expect(await query(url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('survives a PostgreSQL that was killed with its owner', async () => {
    const dataDir = temporaryDirectory();
    const owner = await startOwner(dataDir);
    await query(owner.url ?? '', 'create table kept as select 42 as answer');
    const pid = postmasterPid(dataDir);
    await end(owner.child, 'SIGKILL');
    process.kill(pid, 'SIGKILL');

    const { url } = await start(dataDir);
    expect(await query(url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('is not deceived by a pid file whose pid belongs to a stranger now', async () => {
    const dataDir = temporaryDirectory();
    await (await start(dataDir)).stop();
    const stranger = spawn('sleep', ['600'], { stdio: 'ignore' });
    const listener = createServer((socket) => socket.end('hello\n')).listen(0, '127.0.0.1');
    try {
      await until(() => listener.listening);
      const address = listener.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      const text = `${stranger.pid ?? 0}\n${join(dataDir, 'postgres')}\n1\n${port ?? 0}\n\n127.0.0.1\n`;
      writeFileSync(join(dataDir, 'postgres/postmaster.pid'), text);

      const { url } = await start(dataDir);
      expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
      expect(lives(stranger.pid ?? 0)).toBe(true);
    } finally {
      listener.close();
      await end(stranger, 'SIGKILL');
    }
  });

  it('is not deceived by the copied pid file of a running server', async () => {
    const original = temporaryDirectory();
    const copy = join(temporaryDirectory(), 'copy');
    const first = await start(original);
    await query(first.url, 'checkpoint');
    cpSync(original, copy, { recursive: true });

    const second = await start(copy);
    expect(portOf(second.url)).not.toBe(portOf(first.url));
    expect(await query(first.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('reports what PostgreSQL said when it does not start', async () => {
    const dataDir = temporaryDirectory();
    await (await start(dataDir)).stop();
    rmSync(join(dataDir, 'postgres/global/pg_control'));
    await expect(start(dataDir)).rejects.toMatchObject({
      code: 'CANNOT_START',
      message: expect.stringContaining('could not find the database system'),
    });
  });

  it('asks for the password file that belongs to the database', async () => {
    const dataDir = temporaryDirectory();
    await (await start(dataDir)).stop();
    writeFileSync(join(dataDir, 'postgres-password'), 'another\n');
    await expect(start(dataDir)).rejects.toMatchObject({
      code: 'CANNOT_START',
      message: expect.stringContaining('postgres-password'),
    });
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
  });
});

describe('while it runs', () => {
  it('reports a crash', async () => {
    const dataDir = temporaryDirectory();
    const crash = Promise.withResolvers<string>();
    const server = await start(dataDir, crash.resolve);
    process.kill(postmasterPid(dataDir), 'SIGKILL');
    expect(await crash.promise).toMatch(/^PostgreSQL stopped unexpectedly \(signal SIGKILL\)/);
    await server.stop();
  });

  it('keeps its claim on the directory when a crashed backend has cut every connection', async () => {
    const dataDir = temporaryDirectory();
    const { url } = await start(dataDir);
    const owners = `select pid from pg_stat_activity where application_name like '%owner' and pid <> pg_backend_pid()`;
    const [before] = await query(url, owners);
    await query(url, `select pg_terminate_backend(pid) from (${owners}) as owner`);
    await until(async () => {
      const [after] = await query(url, owners);
      return after !== undefined && after['pid'] !== before?.['pid'];
    });
    await expect(start(dataDir)).rejects.toMatchObject({ code: 'DATA_DIR_IN_USE' });
  });

  it('stops at once, whoever is connected', async () => {
    const dataDir = temporaryDirectory();
    const server = await start(dataDir);
    const pid = postmasterPid(dataDir);
    const sleeper = query(server.url, 'select pg_sleep(600)').catch((error: unknown) => error);
    await until(
      async () =>
        (await query(server.url, `select 1 from pg_stat_activity where wait_event = 'PgSleep'`)).length > 0,
    );
    await Promise.all([server.stop(), server.stop()]);
    expect(lives(pid)).toBe(false);
    expect(await sleeper).toBeInstanceOf(Error);
  });
});
