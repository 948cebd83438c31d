import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { cliWith } from '../support/cli.js';
import type { Cli } from '../support/cli.js';
import { closeAfterwards } from '../support/database.js';
import { restClient } from '../support/rest.js';

const KEY = /^lsk_([a-z0-9]{8})_[\w-]{43}\n$/;

let app: TestApp;
let cli: Cli;

beforeAll(async () => {
  app = await startApp();
  cli = cliWith({ LICENSING_URL: app.url, LICENSING_API_KEY: app.apiKey });
});

async function statusWith(key: string): Promise<number> {
  return (await restClient(app.url, key)('GET', '/products')).status;
}

async function newKey(...more: string[]): Promise<{ key: string; keyId: string }> {
  const { stdout, stderr } = await cli(
    ...['keys', 'create', '--name', 'made', '--scope', 'licensing:read', ...more],
  );
  const [, keyId] = KEY.exec(stdout) ?? [];
  if (keyId === undefined) throw new Error(`No key: ${stdout}${stderr}`);
  return { key: stdout.trim(), keyId };
}

/** Where something listened, and nothing does any more. */
async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return `http://127.0.0.1:${port}`;
}

describe('keys create', () => {
  it('prints the key alone, and it works within its scopes', async () => {
    const run = await cli(
      ...['keys', 'create', '--name', 'ops', '--scope', 'licensing:read', '--scope', 'licensing:write'],
    );

    expect(run).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(KEY),
      stderr: expect.stringMatching(
        /^API key [a-z0-9]{8} \("ops"\) is made, with the scopes licensing:read licensing:write\.\n/,
      ),
    });
    const rest = restClient(app.url, run.stdout.trim());
    expect((await rest('POST', '/products', { name: 'by the new key' })).status).toBe(201);
    const { errors } = await app.graphql('{ apiKeys { keyId } }');
    expect(errors).toEqual([]);
    const [entry] = await app.sql<{ source: string; actor: string }>(
      `select source, actor from activity where event = 'api_key.created' order by id desc limit 1`,
    );
    expect(entry).toEqual({ source: 'graphql', actor: 'api_key:*' });
  });

  it('--expires ends it', async () => {
    const { key, keyId } = await newKey('--expires', '2026-02-01T00:00:00Z');
    expect(await statusWith(key)).toBe(200);

    expect((await cli('keys', 'list')).stdout).toMatch(new RegExp(`^${keyId} .* 2026-02-01 00:00:00Z$`, 'm'));
    const rows = await app.sql<{ expires_at: Date }>('select expires_at from api_key where key_id = $1', [
      keyId,
    ]);
    expect(rows).toEqual([{ expires_at: new Date('2026-02-01T00:00:00Z') }]);
  });

  it('--json prints the record and the key', async () => {
    const { stdout } = await cli('--json', 'keys', 'create', '--name', 'json', '--scope', 'bot:read');
    expect(JSON.parse(stdout)).toEqual({
      keyId: expect.stringMatching(/^[a-z0-9]{8}$/),
      name: 'json',
      scopes: ['bot:read'],
      createdAt: '2026-01-15T12:00:00.000Z',
      ...{ lastUsedAt: null, expiresAt: null, revokedAt: null },
      key: expect.stringMatching(/^lsk_/),
    });
  });

  it('1 for an unknown scope, with the message, the field and the request id', async () => {
    const run = await cli('keys', 'create', '--name', 'x', '--scope', 'root');
    expect(run).toMatchObject({ exitCode: 1, stdout: '' });
    expect(run.stderr).toMatch(/^Error: scopes must be one or more of .*; got root \(INVALID_FIELD\)\n/);
    expect(run.stderr).toMatch(/^ {2}\/scopes: scopes must be one or more of/m);
    expect(run.stderr).toMatch(/^ {2}request id: \S+$/m);
  });

  it('1 with every bad variable', async () => {
    const { exitCode, stderr } = await cli(
      ...['keys', 'create', '--name', ' x', '--scope', '*', '--expires', 'soon'],
    );
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^ {2}\/variables\/input\/name: /m);
    expect(stderr).toMatch(/^ {2}\/variables\/input\/expiresAt: /m);
  });
});

describe('keys list', () => {
  it('shows every key in a table, and no secret', async () => {
    const { key, keyId } = await newKey();
    const { exitCode, stdout } = await cli('keys', 'list');

    expect(exitCode).toBe(0);
    const [head = '', ...rows] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^KEY ID {4}NAME +SCOPES +CREATED +LAST USED +EXPIRES$/);
    const row = rows.find((line) => line.startsWith(keyId));
    expect(row).toMatch(/^\S+ {2}made +licensing:read +2026-01-15 12:00:00Z {2}never +never$/);
    expect(stdout).not.toContain(key.slice(-43));
  });

  it('keeps control characters out of the terminal', async () => {
    await app.sql(`update api_key set name = E'a\\u001b[2Jb' where id = (select min(id) from api_key)`);
    const { stdout } = await cli('keys', 'list');
    expect(stdout).toContain('a\ufffd[2Jb');
    expect(stdout).not.toContain('\u001b');
  });

  it('--json prints the records', async () => {
    const { stdout } = await cli('keys', 'list', '--json');
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ scopes: ['*'], revokedAt: null }));
  });
});

describe('keys rotate', () => {
  it('prints a successor; the old key works on for a day', async () => {
    const old = await newKey();
    const run = await cli('keys', 'rotate', old.keyId);

    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(KEY) });
    expect(run.stderr).toContain(`The old key, ${old.keyId}, works for at most another 24 hours.`);
    expect(await Promise.all([statusWith(old.key), statusWith(run.stdout.trim())])).toEqual([200, 200]);
    const { stdout } = await cli('keys', 'list');
    expect(stdout).toMatch(new RegExp(`^${old.keyId} .* 2026-01-16 12:00:00Z$`, 'm'));
  });
});

describe('keys revoke', () => {
  it('ends the key at once', async () => {
    const { key, keyId } = await newKey();
    expect(await statusWith(key)).toBe(200);

    expect(await cli('keys', 'revoke', keyId)).toEqual({
      exitCode: 0,
      stdout: `${keyId} ("made") is revoked.\n`,
      stderr: '',
    });
    expect(await statusWith(key)).toBe(401);
    expect((await cli('keys', 'list')).stdout).toMatch(new RegExp(`^${keyId} .* revoked 2026-01-15`, 'm'));
  });

  it('1 for a key that is not there', async () => {
    const { exitCode, stderr } = await cli('keys', 'revoke', 'nothing0');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^Error: There is no API key "nothing0" \(API_KEY_NOT_FOUND\)\n {2}request id: /);
  });
});

describe('the way to the server', () => {
  it('1 for a key that the server does not know', async () => {
    const { exitCode, stderr } = await cli('--key', `lsk_abcdefgh_${'x'.repeat(43)}`, 'keys', 'list');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^Error: This API key is not valid \(API_KEY_INVALID\)\n {2}request id: \S+\n$/);
  });

  it('1 for a key without the scope', async () => {
    const { key } = await newKey();
    const { exitCode, stderr } = await cli('--key', key, 'keys', 'list');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/\(INSUFFICIENT_SCOPE\)/);
  });

  it('options go before the environment', async () => {
    const nobody = await closedUrl();
    const elsewhere = cliWith({ LICENSING_URL: nobody, API_KEY: app.apiKey });
    expect((await elsewhere('keys', 'list', '--url', `${app.url}/`)).exitCode).toBe(0);
    expect(await elsewhere('keys', 'list')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `Error: No server answers at ${nobody}: is it running? Set LICENSING_URL or --url (ECONNREFUSED)\n`,
    });
  });

  it('2 without a key', async () => {
    const { exitCode, stderr } = await cliWith({ LICENSING_URL: app.url })('keys', 'list');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^Error: No API key is given\. Set LICENSING_API_KEY or --key/);
  });

  it('2 for a key that no header can carry, without repeating it', async () => {
    const { exitCode, stderr } = await cli('--key', 'very\nsecret', 'keys', 'list');
    expect(exitCode).toBe(2);
    expect(stderr).not.toContain('secret');
  });

  it('2 for a URL that is none', async () => {
    const byOption = await cli('--url', 'ftp://x', 'keys', 'list');
    expect(byOption).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/^Error: --url must be/) });
    const byEnvironment = await cliWith({ LICENSING_URL: 'nowhere' })('keys', 'list');
    expect(byEnvironment).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('environment variable LICENSING_URL'),
    });
  });

  it('1 for another kind of server, and no key for whom a redirect names', async () => {
    const seen: (string | undefined)[] = [];
    const other = createServer((req, res) => {
      seen.push(req.url);
      if (req.url === '/moved/graphql') res.writeHead(302, { location: '/new/graphql' });
      res.end('<html>');
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    closeAfterwards(() => Promise.resolve(other.close()));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;

    const html = await cli('--url', url, 'keys', 'list');
    expect(html).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is no licensing server') });
    const moved = await cli('--url', `${url}/moved`, 'keys', 'list');
    expect(moved).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('/new/graphql') });
    expect(seen).toEqual(['/graphql', '/moved/graphql']);
  });
});

describe('usage', () => {
  it.each([
    [['keys'], 2],
    [['keys', 'crate'], 2],
    [['keys', 'create', '--name', 'x'], 2],
    [['nothing'], 2],
    [['--help'], 0],
    [['keys', 'create', '--help'], 0],
  ])('%j: %i', async (args, exitCode) => {
    expect((await cli(...args)).exitCode).toBe(exitCode);
  });

  it('--help of a command lists the global options too', async () => {
    const { stdout } = await cli('keys', 'create', '--help');
    for (const option of ['--name', '--scope', '--expires', '--local', '--url', '--key', '--json']) {
      expect(stdout).toContain(option);
    }
  });
});
