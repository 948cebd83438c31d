import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { closeAfterwards } from '../database.js';

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** An HTTP server on loopback that can be watched and broken. */
export interface ByteServer {
  readonly url: string;
  /** All that it was asked, oldest first. */
  readonly asked: readonly IncomingMessage[];
  /** Answers instead of the server's own handler, until it is taken away; false leaves it to that. */
  interfere?: ((req: IncomingMessage, res: ServerResponse) => boolean) | undefined;
  /** Bytes on all its connections so far, what waits to be sent left out. */
  sent(): number;
  /** Answers that have not ended and whose connection still stands. */
  underWay(): number;
  stop(): Promise<void>;
}

/** Starts a server; stopped when the test file has ended. */
export async function byteServer(handler: Handler): Promise<ByteServer> {
  const asked: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const open = new Set<ServerResponse>();
  const http: Server = createServer((req, res) => {
    asked.push(req);
    open.add(res);
    res.once('close', () => open.delete(res));
    if (server.interfere?.(req, res)) return;
    handler(req, res);
  });
  http.on('connection', (socket) => sockets.add(socket));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const server: ByteServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    asked,
    sent: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten - socket.writableLength, 0),
    underWay: () => open.size,
    stop: async () => {
      if (!http.listening) return;
      const closed = once(http, 'close');
      http.close();
      http.closeAllConnections();
      await closed;
    },
  };
  closeAfterwards(() => server.stop());
  return server;
}

/** Sends bytes, or the range of them that was asked for. */
export function sendBytes(req: IncomingMessage, res: ServerResponse, bytes: Buffer): void {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(req.headers.range ?? '') ?? [];
  if (from === undefined || to === undefined) {
    res.writeHead(200, { 'content-length': bytes.length }).end(bytes);
    return;
  }
  if (Number(from) >= bytes.length) {
    res.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
    return;
  }
  const part = bytes.subarray(Number(from), Number(to) + 1);
  const end = Number(from) + part.length - 1;
  res
    .writeHead(206, {
      'content-length': part.length,
      'content-range': `bytes ${from}-${end}/${bytes.length}`,
    })
    .end(part);
}
