import { once } from 'node:events';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer, isIPv6 } from 'node:net';
import { dirname, join } from 'node:path';
import type { Config } from '../../config.js';
import { bytes, fail, ok, warn } from './finding.js';
import type { Check, Found } from './finding.js';

const SPACE_WARN_BYTES = 2 * 2 ** 30;
const SPACE_FAIL_BYTES = 256 * 2 ** 20;
const ANSWER_MS = 2_000;
/** Whatever else than its owner may read a secret. */
const OTHERS = 0o077;
const SECRET_FILES = { 'secret-key': 'SECRET_KEY', 'auth-secret': 'AUTH_SECRET' } as const;

/** What can be seen without the database. */
export const MACHINE_CHECKS: Readonly<Record<string, Check<Config>>> = {
  'machine.disk': async ({ dataDir, files }) => {
    const roots = files.provider === 'local' ? new Set([dataDir, files.root]) : new Set([dataDir]);
    return Promise.all([...roots].map(spaceAt));
  },
  'machine.ports': (config) => Promise.all(placesOf(config).map(portAt)),
  'secrets.files': (config) => secretFiles(config),
  'secrets.shared': sharedSecrets,
};

async function spaceAt(path: string): Promise<Found> {
  const existing = await nearestExisting(path);
  const isWritable = await access(existing, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) {
    return fail(
      `${existing} can't be written to`,
      'Run the doctor, and the server, as the user it belongs to.',
    );
  }
  const { bavail, bsize } = await statfs(existing);
  const free = bavail * bsize;
  const message = `${bytes(free)} are free for ${path}`;
  if (free < SPACE_FAIL_BYTES) return fail(message, 'Make room now: a database without any stops.');
  if (free < SPACE_WARN_BYTES)
    return warn(message, 'Make room, or keep logs for a shorter time (LOGS_*_RETENTION).');
  return ok(message);
}

async function nearestExisting(path: string): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return exists || dirname(path) === path ? path : nearestExisting(dirname(path));
}

interface Place {
  readonly option: string;
  readonly host: string;
  readonly port: number;
}

function placesOf({ roles, server, metrics }: Config): Place[] {
  const places: Place[] = [];
  if (roles.has('gateway')) {
    places.push({ option: 'SERVER_PORT', host: server.host, port: server.port });
    places.push({ option: 'SERVER_API_PORT', host: server.host, port: server.api.port });
  }
  if (metrics.port !== undefined)
    places.push({ option: 'METRICS_PORT', host: metrics.host, port: metrics.port });
  return places.filter(({ port }) => port !== 0);
}

async function portAt(place: Place): Promise<Found> {
  const where = `${place.host}:${place.port}`;
  if (await isFree(place)) return ok(`${where} is free: no server runs there now`);
  const { status, reason } = await readinessAt(place);
  if (status === 200) return ok(`${where}: the server is ready`);
  if (status === 503) {
    return warn(
      `${where}: the server is not ready (${reason})`,
      'Wait a moment; if it stays so, read its log.',
    );
  }
  return fail(`${where} is taken by another program`, `Stop that, or set ${place.option} to another port.`);
}

async function isFree({ host, port }: Place): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  } finally {
    server.close();
  }
}

function readinessAt({ host, port }: Place): Promise<{ status: number; reason: string }> {
  // "Every address" is none to connect to.
  const to = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return new Promise((resolve) => {
    const gone = () => {
      resolve({ status: 0, reason: '' });
    };
    const url = `http://${isIPv6(to) ? `[${to}]` : to}:${port}/health/ready`;
    const req = request(url, { timeout: ANSWER_MS }, (res) => {
      let text = '';
      res.on('data', (chunk: Buffer) => (text += chunk.toString()));
      res.on('end', () => {
        const [, reason = 'no reason given'] = /"reason":"([^"]*)"/.exec(text) ?? [];
        const isOurs = /"status":"(ready|unavailable)"/.test(text);
        resolve({ status: isOurs ? (res.statusCode ?? 0) : 0, reason });
      });
      res.on('error', gone);
    });
    req.on('timeout', () => req.destroy());
    req.on('error', gone);
    req.end();
  });
}

async function secretFiles({ dataDir }: Config): Promise<Found[]> {
  const found: Found[] = [];
  for (const name of [...Object.keys(SECRET_FILES), 'postgres-password']) {
    const path = join(dataDir, name);
    const mode = await stat(path).then(
      (file) => file.mode,
      () => undefined,
    );
    if (mode === undefined) continue;
    if ((mode & OTHERS) === 0) found.push(ok(`${path} is its owner's alone`));
    else found.push(fail(`${path} can be read by others`, `Run: chmod 600 '${path}'`));
  }
  return found.length > 0 ? found : [ok(`there are no secrets in ${dataDir}`)];
}

/** Secrets that all processes of one database must agree on, where the database is everybody's. */
function sharedSecrets({ database, secretKey, auth, roles }: Config): Found[] {
  if (database.url === undefined) return [ok('one machine: the secrets in DATA_DIR are enough')];
  const missing = [
    ...(secretKey === undefined ? ['SECRET_KEY'] : []),
    ...(auth.secret === undefined && roles.has('gateway') ? ['AUTH_SECRET'] : []),
  ];
  if (missing.length === 0) return [ok('the secrets that all processes share are configured')];
  return missing.map((name) =>
    warn(
      `${name} is not set: each machine makes its own, and one can't read what another has sealed`,
      `Give every process the same ${name}.`,
    ),
  );
}
