import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { restClient } from '../support/rest.js';
import { ROOT, freePorts, until } from './stage.js';
import type { Actor, Stage } from './stage.js';

/** What the processes of one deployment share. */
export const SHARED = {
  API_KEY: 'the-first-key-of-every-experiment-0123456789',
  SECRET_KEY: 'the-secret-key-of-every-experiment-0123456789',
  AUTH_SECRET: 'the-bot-bearer-of-every-experiment-0123456789',
  MARKETPLACE_SECRET: 'the-marketplace-of-every-experiment',
} as const;

export interface Gateway {
  readonly actor: Actor;
  readonly port: number;
  readonly botPort: number;
  readonly url: string;
}

/** The program, in whichever roles. `test/support/ts-loader.mjs` runs the source; `DIST=dist` what `npm run build` made. */
export function startRole(stage: Stage, name: string, roles: string, env: Record<string, string>): Actor {
  const dist = process.env['DIST'];
  const args =
    dist === undefined
      ? ['--import', join(ROOT, 'test/support/ts-loader.mjs'), join(ROOT, 'src/main.ts')]
      : ['--enable-source-maps', join(ROOT, dist, 'src/main.js')];
  return stage.start(name, process.execPath, args, {
    env: {
      ...SHARED,
      ...{ ROLES: roles, DATA_DIR: join(stage.directory, name), SERVER_TRUSTED_PROXIES: '127.0.0.1' },
      ...env,
    },
  });
}

export async function startGateway(
  stage: Stage,
  name: string,
  env: Record<string, string>,
): Promise<Gateway> {
  const [port = 0, botPort = 0] = await freePorts(2);
  const actor = startRole(stage, name, 'gateway', {
    ...{ SERVER_PORT: String(port), SERVER_API_PORT: String(botPort) },
    ...env,
  });
  const url = `http://127.0.0.1:${port}`;
  await ready(actor, url);
  return { actor, port, botPort, url };
}

/** Waits for `GET /health/ready`. */
export async function ready(actor: Actor, url: string): Promise<void> {
  const rest = restClient(url, undefined);
  await until(`${actor.name} is ready`, async () => {
    if (actor.hasEnded()) throw new Error(`${actor.name} ended instead:\n${actor.log()}`);
    return rest('GET', '/health/ready').then(
      ({ status }) => status === 200,
      () => false,
    );
  });
}

interface NginxOptions {
  readonly name?: string;
  /** In place of what it waits for a gateway to say something; streams have their own. */
  readonly readTimeout?: string;
}

/** Debian's nginx with `deploy/nginx.conf`, its names and ports exchanged for those of the experiment. */
export async function startNginx(
  stage: Stage,
  gateways: readonly [Gateway, Gateway],
  { name = 'nginx', readTimeout = '60s' }: NginxOptions = {},
) {
  const [port = 0, botPort = 0] = await freePorts(2);
  const directory = stage.folder(name);
  let text = readFileSync(join(ROOT, 'deploy/nginx.conf'), 'utf8');
  gateways.forEach((gateway, index) => {
    text = text
      .replace(`gateway-${index + 1}:3000`, `127.0.0.1:${gateway.port}`)
      .replace(`gateway-${index + 1}:3001`, `127.0.0.1:${gateway.botPort}`);
  });
  text = text
    .replace('listen 3000', `listen 127.0.0.1:${port}`)
    .replace('listen 3001', `listen 127.0.0.1:${botPort}`)
    .replace('proxy_read_timeout 60s', `proxy_read_timeout ${readTimeout}`);
  const path = join(directory, 'nginx.conf');
  writeFileSync(path, text);
  const globals = `pid ${join(directory, 'nginx.pid')}; daemon off; error_log stderr warn;`;
  const actor = stage.start(name, '/usr/sbin/nginx', ['-p', directory, '-c', path, '-g', globals]);
  const url = `http://127.0.0.1:${port}`;
  await ready(actor, url);
  return { actor, url, botUrl: `http://127.0.0.1:${botPort}` };
}
