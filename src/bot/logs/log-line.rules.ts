import { maskSecrets } from '../../platform/logger.js';

/** From the least severe; a line's level is stored as its place here. */
export const LINE_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LineLevel = (typeof LINE_LEVELS)[number];

const LINE_BYTES_MAX = 8 * 1024;
/** Shorter ones would also hide ordinary words. */
const SECRET_LENGTH_MIN = 8;

/** What gives access to something, by how it looks: tokens of the platform, license keys, redeem codes. */
const LOOKS_SECRET = [/\b[\w-]{23,30}\.[\w-]{6,7}\.[\w-]{27,}/g, /\b[0-9A-Z]{5}(?:-[0-9A-Z]{5}){3,4}\b/gi];

/** A message as it may be stored: without secrets, as text that the database keeps, of at most 8 KiB. */
export function storableMessage(message: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length >= SECRET_LENGTH_MIN);
  const unnamed = known.reduce((text, secret) => text.replaceAll(secret, '***'), message);
  const masked = LOOKS_SECRET.reduce((text, look) => text.replace(look, '***'), maskSecrets(unnamed));
  return cut(masked.toWellFormed().replaceAll('\u0000', '\ufffd'));
}

function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= LINE_BYTES_MAX) return text;
  // A decoder that waits for more leaves out the half of a character at the end.
  return `${new TextDecoder().decode(bytes.subarray(0, LINE_BYTES_MAX - 3), { stream: true })}…`;
}
