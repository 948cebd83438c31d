import { createHmac, timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../platform/random.js';

/** All the places in which a marketplace may show that it knows the secret. */
export interface PresentedSecret {
  /** The body; its member `secret` is one of the places. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The body exactly as it was sent; what is signed. */
  readonly raw?: string | null;
  /** By the query. */
  readonly secret?: string | null;
  /** The header `Authorization`: `Bearer <secret>`. */
  readonly authorization?: string | null;
  /** Hex HMAC-SHA256 of the raw body, which is JSON then. */
  readonly signature?: string | null;
}

/** Whether any of the secrets is shown in any of the places. Takes the same time however near a guess comes. */
export function presentsSecret(secrets: readonly string[], presented: PresentedSecret): boolean {
  const { payload, raw, secret, authorization, signature } = presented;
  const [, bearer] = /^Bearer +(\S.*?) *$/i.exec(authorization ?? '') ?? [];
  const shown = [payload['secret'], secret, bearer].filter((value) => typeof value === 'string');
  const signs = (known: string) =>
    signature != null &&
    raw != null &&
    isSame(createHmac('sha256', known).update(raw).digest('hex'), signature.trim().toLowerCase()) &&
    isPayload(raw, payload);
  // Every comparison is made, so that the time taken says nothing about which was right.
  return secrets
    .flatMap((known) => [...shown.map((value) => isSame(known, value)), signs(known)])
    .some((isRight) => isRight);
}

/** What is signed must be what is read: else a signature that was seen once would be good for any payload. */
function isPayload(raw: string, payload: PresentedSecret['payload']): boolean {
  try {
    return JSON.stringify(JSON.parse(raw)) === JSON.stringify(payload);
  } catch {
    return false;
  }
}

/** Hashed first, since only texts of one length can be compared in constant time. */
function isSame(known: string, shown: string): boolean {
  return timingSafeEqual(sha256(known), sha256(shown));
}

const MASKED = '***';

/** A payload as it may be stored: without members named `secret`, and without the secrets wherever else they stand. */
export function withoutSecrets(
  payload: Readonly<Record<string, unknown>>,
  secrets: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(payload)
      .filter(([name]) => name.toLowerCase() !== 'secret')
      .map(([name, value]) => [maskText(name, secrets), maskValue(value, secrets)]),
  );
}

function maskValue(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return maskText(value, secrets);
  if (Array.isArray(value)) return value.map((item) => maskValue(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return withoutSecrets(value as Record<string, unknown>, secrets);
}

function maskText(text: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => masked.replaceAll(secret, MASKED), text);
}
