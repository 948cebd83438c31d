import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** An address that leads to one port or another of this machine. */
export interface Switch {
  readonly port: number;
  /** From now on; connections to the old place are cut. */
  leadTo(port: number): void;
}

export async function startSwitch(first: number): Promise<Switch> {
  let target = first;
  const sockets = new Set<Socket>();
  const server = createServer((from) => {
    const to = connect(target, '127.0.0.1');
    for (const socket of [from, to]) {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        from.destroy();
        to.destroy();
      });
      socket.on('error', () => socket.destroy());
    }
    from.pipe(to).pipe(from);
  }).listen(0, '127.0.0.1');
  server.unref();
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    leadTo: (port) => {
      target = port;
      for (const socket of sockets) socket.destroy();
    },
  };
}
