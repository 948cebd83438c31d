import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeAfterwards } from './database.js';

/** A call that a receiver got. */
export interface ReceivedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came, byte for byte. */
  readonly text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test names the members it expects
  readonly body: any;
}

/** What to answer; a function answers, or doesn't, by itself. */
export type ReceiverAnswer =
  | { status: number; headers?: Record<string, string>; body?: string }
  | ((res: ServerResponse, call: ReceivedCall) => void);

export interface WebhookReceiver {
  readonly url: string;
  readonly calls: ReceivedCall[];
  /** Of the next call on; 204 at first. */
  answer: ReceiverAnswer;
  /** The bodies of an event's calls. */
  of(type: string): ReceivedCall['body'][];
}

/** A webhook receiver on loopback, as somebody else's server: real HTTP, and every call kept. */
export async function startReceiver({ host = '127.0.0.1' } = {}): Promise<WebhookReceiver> {
  const server = createServer((req, res) => void take(req, res)).listen(0, host);
  await once(server, 'listening');
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    calls: [],
    answer: { status: 204 },
    of: (type) => receiver.calls.map(({ body }) => body).filter((body) => body.type === type),
  };
  const take = async (req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const { method = '', url: path = '', headers } = req;
    const call: ReceivedCall = { method, path, headers, text, body: JSON.parse(text) as unknown };
    receiver.calls.push(call);
    const { answer } = receiver;
    if (typeof answer === 'function') answer(res, call);
    else res.writeHead(answer.status, answer.headers).end(answer.body);
  };
  closeAfterwards(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return receiver;
}
