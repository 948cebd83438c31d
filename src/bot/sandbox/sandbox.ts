import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomToken } from '../../platform/random.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import { Faults } from './faults.js';
import { Interactions } from './interactions.js';
import { PlatformError } from './platform-error.js';
import { SandboxGateway } from './sandbox-gateway.js';
import { SandboxPage } from './sandbox-page.js';
import { sendJson } from './json-http.js';
import { answerRest } from './sandbox-rest.js';
import { World } from './world.js';

/** A chat platform on loopback, that a real client can be driven against: `BOT.SANDBOX`, and the tests. */
export interface Sandbox {
  /** Base of its REST API, as `BOT.PLATFORM_URL` takes it. */
  readonly apiUrl: string;
  /** Where one chats with the bot in a browser of this machine. */
  readonly pageUrl: string;
  /** The token that it accepts. */
  readonly token: string;
  readonly world: World;
  readonly gateway: SandboxGateway;
  /** What users do: type, run commands, press buttons. */
  readonly users: Interactions;
  readonly faults: Faults;
  stop(): Promise<void>;
}

interface SandboxOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly token?: string;
  /** The port to have if nobody else has it; any free one else, and when it is 0. */
  readonly port?: number;
  /** How often clients are to send a heartbeat. */
  readonly heartbeatMs?: number;
}

const HOST = '127.0.0.1';
const HEARTBEAT_MS = 41_250;

/** Starts the platform: one server ("Sandbox") with three channels and three members, and REST and gateway version 10. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { clock, log, token = `sandbox.${randomToken()}`, port = 0, heartbeatMs = HEARTBEAT_MS } = options;
  const faults = new Faults();
  const world = new World(clock, token);
  const address = () => `${HOST}:${(server.address() as AddressInfo).port}`;
  const gatewayUrl = () => `ws://${address()}/gateway`;
  const gateway = new SandboxGateway(world, faults, { heartbeatMs, url: gatewayUrl });
  const users = new Interactions(world, gateway);
  const page = new SandboxPage({ world, gateway, users, clock, address });
  const server = createServer((req, res) => {
    const isRest = req.url?.startsWith('/api/') === true;
    const answered = isRest
      ? answerRest({ world, gateway, interactions: users, faults, gatewayUrl }, req, res)
      : page.answer(req, res);
    answered.catch((error: unknown) => {
      if (!(error instanceof PlatformError)) log.error({ err: error }, 'the sandbox platform failed');
      if (res.headersSent) res.destroy();
      else if (error instanceof PlatformError) sendJson(res, error.status, error.body);
      else sendJson(res, 500, { message: 'Something went wrong', code: 0 });
    });
  });
  server.on('upgrade', (req, socket, head) => {
    gateway.accept(req, socket, head);
  });
  await listen(server, port);
  return {
    ...{ apiUrl: `http://${address()}/api`, pageUrl: `http://${address()}/` },
    ...{ token, world, gateway, users, faults },
    stop: async () => {
      await gateway.stop();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    server.listen(port, HOST);
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    server.listen(0, HOST);
    await once(server, 'listening');
  }
}
