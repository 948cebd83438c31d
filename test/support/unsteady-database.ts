import { once } from 'node:events';
import { createServer, connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { closeAfterwards, createDatabase } from './database.js';

/** A database whose connections can be cut and refused. */
export interface UnsteadyDatabase {
  readonly url: string;
  /** Past the relay: always there. */
  readonly directUrl: string;
  /** Cuts every connection and refuses new ones. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
}

/** A relay on loopback before a database of the file's own: what a broken network looks like from the program. */
export async function createUnsteadyDatabase(): Promise<UnsteadyDatabase> {
  const direct = new URL(await createDatabase());
  const sockets = new Set<Socket>();
  const relay = createServer((near) => {
    const far = connect(Number(direct.port), direct.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  const listen = async (port: number) => {
    relay.listen(port, '127.0.0.1');
    await once(relay, 'listening');
    return (relay.address() as AddressInfo).port;
  };
  const goAway = async () => {
    if (!relay.listening) return;
    const closed = once(relay, 'close');
    relay.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const port = await listen(0);
  closeAfterwards(goAway);
  const url = new URL(direct);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.href,
    directUrl: direct.href,
    goAway,
    comeBack: async () => {
      await listen(port);
    },
  };
}
