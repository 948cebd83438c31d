import { request } from 'node:http';
import type { Agent, IncomingHttpHeaders } from 'node:http';

/** A request as it is sent. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
  readonly withKey: boolean;
}

export interface FuzzAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Whom requests are sent to. */
export interface Target {
  readonly url: string;
  readonly key: string;
  readonly agent: Agent;
}

/** After it a request counts as one that hangs. Long: a machine may be busy, and a hang has no end. */
const HANG_MS = 25_000;

/** Sends it as it is. An event stream is left once it has begun. Rejects when there is no answer. */
export function ask({ url, key, agent }: Target, asked: SentRequest): Promise<FuzzAnswer> {
  const { method, path, body, withKey } = asked;
  return new Promise((resolve, reject) => {
    const headers = {
      ...(withKey ? { authorization: `Bearer ${key}` } : {}),
      ...asked.headers,
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
    };
    const req = request(url + path, { method, headers, agent, timeout: HANG_MS }, (res) => {
      const { statusCode: status = 0 } = res;
      if (res.headers['content-type']?.startsWith('text/event-stream')) {
        resolve({ status, headers: res.headers, text: '' });
        req.destroy();
        return;
      }
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        resolve({ status, headers: res.headers, text: Buffer.concat(chunks).toString('utf8') });
      });
    });
    req.on('timeout', () => req.destroy(new Error(`no answer within ${HANG_MS / 1000} s`)));
    req.on('error', reject);
    req.end(body);
  });
}
