import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createDatabase } from '../support/database.js';
import { lives, postmasterPid } from '../support/embedded-postgres-kit.js';
import { startProgram } from '../support/process.js';
import { restClient } from '../support/rest.js';

const hasCurl =
  spawnSync('curl', ['--version']).status === 0 && spawnSync('bash', ['--version']).status === 0;
const itWithCurl = hasCurl ? it : it.skip;

const itOnProc = existsSync('/proc/self') ? it : it.skip;

describe('the first start', () => {
  const first = startProgram();
  const keyOf = (text: string) => /API key +(lsk_\S+)/.exec(text)?.[1];

  it('prints the URLs, a key once and three curl lines', async () => {
    const url = await first.ready();
    const text = first.stdout();
    expect(text).toContain(`GraphQL   ${url}/graphql`);
    expect(text.match(/API key +lsk_/g)).toHaveLength(1);
    expect(text.match(/^curl .*$/gm)).toHaveLength(3);
    expect(first.stderr()).toBe('');
    expect((await restClient(url, keyOf(text))('GET', '/products')).body).toEqual([]);
  });

  itWithCurl('its three lines, run as they stand, end in a valid license with a session', () => {
    const lines = first.stdout().match(/^curl .*$/gm) ?? [];
    const answers = lines.map((line) => spawnSync('bash', ['-c', line]).stdout.toString());
    expect(answers).toHaveLength(3);
    const verdict = JSON.parse(answers.at(-1) ?? '') as { session: { token: string } };
    expect(answers.at(-1)).toContain('"valid":true');
    expect(verdict.session.token).toMatch(/^[\w-]{43}$/);
  });

  it('a second start on the same data directory is refused with one clear sentence', async () => {
    const second = startProgram({}, first.dataDir);
    expect(await second.exit()).toBe(1);
    expect(second.stderr().trim().split('\n')).toEqual([expect.stringContaining(first.dataDir)]);
    expect(second.stdout()).not.toMatch(/REST|curl/);
    expect(first.child.exitCode).toBeNull();
  });

  it('SIGINT ends it with exit 0, and no process stays', async () => {
    const postmaster = postmasterPid(first.dataDir);
    expect(lives(postmaster)).toBe(true);
    first.child.kill('SIGINT');
    expect(await first.exit()).toBe(0);
    expect(lives(postmaster)).toBe(false);
  });

  it('the next start finds the data and prints no key', async () => {
    const next = startProgram({}, first.dataDir);
    const url = await next.ready();
    expect(next.stdout()).not.toMatch(/lsk_|curl/);
    const { body } = await restClient(url, keyOf(first.stdout()))('GET', '/licenses');
    expect(body).toMatchObject(hasCurl ? [{ key: 'MY-FIRST-LICENSE', product: 'My App' }] : []);
  });
});

describe('a start that can not be', () => {
  it('a taken port: one clear sentence, exit 1', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const port = String((holder.address() as AddressInfo).port);
    const program = startProgram({ DATABASE_URL: await createDatabase(), SERVER_PORT: port });
    expect(await program.exit()).toBe(1);
    holder.close();
    expect(program.stderr()).toMatch(new RegExp(`^Port ${port} of 127.0.0.1 is taken.*SERVER_PORT.*\\n$`));
  });

  itOnProc.each([{}, { DATABASE_URL: 'postgres://127.0.0.1:1/x' }])(
    'a data directory that can not be made, with %j: one clear sentence, exit 1',
    async (env) => {
      const program = startProgram(env, '/proc/none');
      expect(await program.exit()).toBe(1);
      expect(program.stderr()).toContain('/proc/none');
      expect(program.stderr()).toContain('DATA_DIR');
      expect(program.stderr()).not.toMatch(/^ +at /m);
    },
  );

  it('an argument that is not allowed: it is named, with its value and what is allowed', async () => {
    const program = startProgram({ SERVER_PROCESSES: '2' }, undefined, ['--processes', 'x']);
    expect(await program.exit()).toBe(1);
    expect(program.stderr()).toMatch(
      /given: +"x", in argument --processes\n +allowed: a whole number from 1 to /,
    );
    expect(program.stderr()).not.toMatch(/environment|SERVER_PROCESSES/);
  });

  it('a bad configuration: every problem at once, exit 1', async () => {
    const program = startProgram({ SERVER_PORT: 'many', SESSIONS_TTL: '-1', LOGS_LEVEL: 'loud' });
    expect(await program.exit()).toBe(1);
    for (const part of ['SERVER_PORT', 'many', 'SESSIONS_TTL', '-1', 'LOGS_LEVEL', 'loud'])
      expect(program.stderr()).toContain(part);
    expect(program.stderr()).not.toMatch(/^ +at /m);
  });
});
