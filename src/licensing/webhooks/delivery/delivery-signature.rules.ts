import { createHmac } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** What is sent, and under which name. */
export interface SignedMessage {
  readonly id: string;
  /** Unix seconds: of the attempt, so that a receiver can refuse what is old. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of Standard Webhooks. Each key signs; while a secret is being rotated there are two. */
export function signatureHeaders(
  { id, timestamp, body }: SignedMessage,
  keys: readonly KeyObject[],
): Record<string, string> {
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
