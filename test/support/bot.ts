import { systemClock } from '../../src/platform/clock.js';
import type { ClientLimits } from '../../src/bot/client/client-limits.js';
import type { RuntimeLimits } from '../../src/bot/modules/host/bot-runtime.js';
import { runBotRole } from '../../src/bot/holder/run-bot.js';
import type { RunningBotRole } from '../../src/bot/holder/run-bot.js';
import { startSandbox } from '../../src/bot/sandbox/sandbox.js';
import type { Sandbox } from '../../src/bot/sandbox/sandbox.js';
import { createSchema } from '../../src/schema.js';
import { AUTH_SECRET, startApp } from './app.js';
import type { TestApp, TestAppOptions } from './app.js';
import { closeAfterwards } from './database.js';
import { log, until } from './embedded-postgres-kit.js';
import { restClient } from './rest.js';
import type { RestResponse } from './rest.js';

/** A gateway, a platform on loopback, and a process that runs the bot on it. */
export interface TestBot extends TestApp {
  readonly sandbox: Sandbox;
  readonly role: RunningBotRole;
  /** `GET /api/status` */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test names the members it expects
  status(): Promise<any>;
  /** Waits until the status says so. */
  untilState(state: string): Promise<void>;
  /** `POST /api/bot/<what>` */
  post(what: string, body?: unknown): Promise<RestResponse>;
}

/** Short enough for a test that waits for each, and long enough for a machine that is busy. */
export const TEST_LIMITS: ClientLimits = {
  loginMs: 2_000,
  restMs: 700,
  reconnectMs: 60_000,
  firstWaitMs: 60_000,
  longestWaitMs: 60_000,
};

export interface TestBotOptions extends TestAppOptions {
  readonly limits?: Partial<ClientLimits & RuntimeLimits>;
  readonly heartbeatMs?: number;
}

/** Everything real but the platform. The bot doesn't start by itself, unless `env` says so. */
export async function startTestBot(options: TestBotOptions = {}): Promise<TestBot> {
  const sandbox = await startTestSandbox(options);
  const app = await startApp({
    ...options,
    env: {
      ...{ BOT_TOKEN: sandbox.token, BOT_PLATFORM_URL: sandbox.apiUrl, BOT_AUTOSTART: 'false' },
      ...options.env,
    },
  });
  const role = await startRole(app, options);
  const anyone = restClient(app.botUrl, undefined);
  const status = async () => (await anyone('GET', '/api/status')).body as unknown;
  return {
    ...{ ...app, sandbox, role, status },
    untilState: (state) => until(async () => ((await status()) as { state: string }).state === state),
    post: (what, body) => app.bot('POST', `/api/bot/${what}`, body),
  };
}

export async function startTestSandbox({
  heartbeatMs,
}: { readonly heartbeatMs?: number } = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ clock: systemClock, log, ...(heartbeatMs ? { heartbeatMs } : {}) });
  closeAfterwards(() => sandbox.stop());
  return sandbox;
}

/** Plays the role bot for an app, and waits until it runs the bot (or another does). */
export async function startRole(
  app: TestApp,
  { limits = {} }: { readonly limits?: Partial<ClientLimits & RuntimeLimits> } = {},
): Promise<RunningBotRole> {
  const { orm, databaseUrl } = app;
  const { clock, log, settings, metrics } = app.ctx;
  const role = await runBotRole({
    ...{ orm, url: databaseUrl, base: { clock, log, settings, metrics }, schema: createSchema },
    secrets: [AUTH_SECRET],
    limits: { ...TEST_LIMITS, ...limits },
  });
  closeAfterwards(() => role.stop());
  await until(async () => {
    const [row] = await app.sql<{ holder: string | null }>('select holder from bot');
    return row?.holder !== null;
  });
  return role;
}
