import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';

export interface RestResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; undefined when there is none. Tests assert on its members, so it is loose. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test names the members it expects
  readonly body: any;
}

export interface RestOptions {
  readonly headers?: Record<string, string>;
  /** Sent as it is, with no content type of ours. */
  readonly raw?: string | Buffer;
}

/** `rest('POST', '/products', { name: 'a' })`. By node:http, which also sends a body with GET, as curl does. */
export type RestClient = (
  method: string,
  path: string,
  body?: unknown,
  options?: RestOptions,
) => Promise<RestResponse>;

export function restClient(url: string, apiKey: string | undefined): RestClient {
  return (method, path, body, options = {}) =>
    new Promise((resolve, reject) => {
      const text = options.raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const headers: Record<string, string> = {
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) }),
        ...options.headers,
      };
      const req = request(url + path, { method, headers }, (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('error', reject);
        res.on('end', () => {
          const received = Buffer.concat(chunks).toString('utf8');
          const isJson = (res.headers['content-type'] ?? '').includes('json') && received !== '';
          const parsed: unknown = isJson ? JSON.parse(received) : undefined;
          resolve({ status: res.statusCode ?? 0, headers: res.headers, text: received, body: parsed });
        });
      });
      req.on('error', reject);
      req.end(text);
    });
}
