import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { startReceiver } from '../support/webhook-receiver.js';
import type { ReceivedCall } from '../support/webhook-receiver.js';
import { LOOPBACK_ALLOWED, startDispatcher } from '../support/webhooks.js';

/* The TypeScript of the guide, as it stands there, on a call that was really made. */

type Verify = (
  headers: Record<string, string | undefined>,
  body: string,
  secret: string,
) => { type: string } | undefined;

const GUIDE = join(import.meta.dirname, '../../docs/guides/webhooks.md');

let directory: string;
let verify: Verify;
let call: ReceivedCall;
let secret: string;

beforeAll(async () => {
  const [, code] = /```ts\n(.*?)```/s.exec(readFileSync(GUIDE, 'utf8')) ?? [];
  directory = mkdtempSync(join(tmpdir(), 'guide-'));
  const file = join(directory, 'verify.ts');
  writeFileSync(file, code ?? '');
  ({ verify } = (await import(pathToFileURL(file).href)) as { verify: Verify });

  const app = await startApp({ env: LOOPBACK_ALLOWED });
  app.clock.set(new Date(Date.now()));
  const receiver = await startReceiver();
  const target = { name: 'shop', url: receiver.url, events: ['product.*'] };
  const created = await app.rest('POST', '/webhooks', target);
  ({ secret } = created.body as { secret: string });
  await app.rest('POST', '/webhooks/rotate', { name: 'shop' });
  await app.rest('POST', '/products', { name: 'P' });
  await startDispatcher(app).settle();
  const [first] = receiver.calls;
  if (!first) throw new Error('Nothing was delivered');
  call = first;
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

const headersWith = (changed: Record<string, string> = {}) => ({
  ...(call.headers as Record<string, string>),
  ...changed,
});

describe("the guide's verification", () => {
  it('accepts a call that we made, also by the secret before a rotation', () => {
    expect(verify(headersWith(), call.text, secret)).toEqual(call.body);
  });

  it('refuses another body, secret, id or time, and no signature at all', () => {
    const other = `whsec_${Buffer.alloc(32).toString('base64')}`;
    expect(verify(headersWith(), `${call.text} `, secret)).toBeUndefined();
    expect(verify(headersWith(), call.text, other)).toBeUndefined();
    expect(verify(headersWith({ 'webhook-id': 'evt_1' }), call.text, secret)).toBeUndefined();
    const later = String(Number(call.headers['webhook-timestamp']) + 1);
    expect(verify(headersWith({ 'webhook-timestamp': later }), call.text, secret)).toBeUndefined();
    expect(verify(headersWith({ 'webhook-timestamp': '1' }), call.text, secret)).toBeUndefined();
    expect(verify({}, call.text, secret)).toBeUndefined();
  });
});
