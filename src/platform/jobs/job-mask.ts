import { maskSecrets } from '../logger.js';

/** Longer ones are cut: the process' log has the whole, with its stack. */
const TEXT_LENGTH_MAX = 1_000;
/** Payloads carry ids. What is longer carries something else, and is not kept. */
const PAYLOAD_LENGTH_MAX = 4_096;
const SHOWN = 6;

/** Codes that stand for money are written in groups of five; whoever made up his own is told by the field's name. */
const GROUPS = /\b(?:[0-9A-Z]{5}-){3,4}[0-9A-Z]{5}\b/gi;
const CODE_FIELD = /("\w*(?:license|licenseKey|license_key|redeem)"\s*:\s*)("(?:[^"\\]|\\.)*")/gi;

/** An error's text, or any other, as people may see it: no secrets, codes by their last 6 characters, not too long, and storable. */
export function maskText(text: string): string {
  const masked = maskCodes(maskSecrets(text.toWellFormed().replaceAll('\u0000', '\ufffd')));
  return masked.length > TEXT_LENGTH_MAX ? `${masked.slice(0, TEXT_LENGTH_MAX - 1)}…` : masked;
}

/** A payload as JSON that people may see; null for one that is too long to be made of ids. */
export function maskPayload(payload: unknown): string | null {
  const text = JSON.stringify(payload ?? {});
  if (text.length > PAYLOAD_LENGTH_MAX) return null;
  // Most are a number or two, and this is done for each job there is.
  if (!text.includes('"', text.indexOf(':'))) return text;
  return maskCodes(maskSecrets(text)).replace(
    CODE_FIELD,
    (_, name: string, code: string) => name + JSON.stringify(lastOf(JSON.parse(code) as string)),
  );
}

function maskCodes(text: string): string {
  return text.replace(GROUPS, lastOf);
}

/** The last 6 characters, fewer of a short one, which must not be told whole. */
function lastOf(code: string): string {
  return `…${code.slice(Math.max(code.length - SHOWN, Math.ceil(code.length / 2)))}`;
}
