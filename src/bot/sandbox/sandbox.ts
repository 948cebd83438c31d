import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomToken } from '../../platform/random.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import { Faults } from './faults.js';
import { Interactions } from './interactions.js';
import { SandboxGateway } from './sandbox-gateway.js';
import { answerRest } from './sandbox-rest.js';
import { World } from './world.js';

/** A chat platform on loopback, that a real client can be driven against: `BOT.SANDBOX`, and the tests. */
export interface Sandbox {
  /** Base of its REST API, as `BOT.PLATFORM_URL` takes it. */
  readonly apiUrl: string;
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
  /** 0 takes a free port. */
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
  const server = createServer((req, res) => {
    answerRest({ world, gateway, interactions: users, faults, gatewayUrl }, req, res).catch(
      (error: unknown) => {
        log.error({ err: error }, 'the sandbox platform failed');
        res.writeHead(500).end();
      },
    );
  });
  server.on('upgrade', (req, socket, head) => {
    gateway.accept(req, socket, head);
  });
  server.listen(port, HOST);
  await once(server, 'listening');
  return {
    ...{ apiUrl: `http://${address()}/api`, token, world, gateway, users, faults },
    stop: async () => {
      await gateway.stop();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
