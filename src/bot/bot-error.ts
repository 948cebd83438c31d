import { DomainError } from '../platform/errors.js';
import type { FieldProblem } from '../platform/errors.js';

/** Error codes of the bot: HTTP status and title. */
export const BOT_ERRORS = {
  LICENSE_INACTIVE: { status: 403, title: 'License inactive' },
  CHANNEL_NOT_FOUND: { status: 404, title: 'Not found' },
  BOT_NOT_RUNNING: { status: 409, title: 'Bot not running' },
  BOT_STOPPED: { status: 409, title: 'Bot stopped' },
  BOT_TOKEN_MISSING: { status: 409, title: 'Bot token missing' },
  CHANNEL_NOT_SENDABLE: { status: 422, title: 'Channel not sendable' },
  RATE_LIMITED: { status: 429, title: 'Rate limited' },
  PROFILE_RATE_LIMITED: { status: 429, title: 'Profile rate limited' },
  PLATFORM_TOKEN_INVALID: { status: 502, title: 'Platform refuses the token' },
  PLATFORM_INTENTS_DISALLOWED: { status: 502, title: 'Platform disallows the intents' },
  PLATFORM_REJECTED: { status: 502, title: 'Platform rejected the request' },
  PLATFORM_UNAVAILABLE: { status: 503, title: 'Platform unavailable' },
  BOT_UNAVAILABLE: { status: 503, title: 'Bot unavailable' },
  PLATFORM_TIMEOUT: { status: 504, title: 'Platform timeout' },
} as const satisfies Record<string, { status: number; title: string }>;

export type BotErrorCode = keyof typeof BOT_ERRORS;

interface BotErrorOptions {
  readonly problems?: readonly FieldProblem[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** A {@link DomainError} with one of the bot's codes. */
export function botError(code: BotErrorCode, message: string, options: BotErrorOptions = {}): DomainError {
  const { status, title } = BOT_ERRORS[code];
  const { problems = [], retryAfterSeconds, cause } = options;
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'Retry-After': String(Math.ceil(retryAfterSeconds)) };
  return new DomainError(code, status, title, message, { problems, headers, cause });
}

/** Whether the same may work later with nothing changed: the platform was away. */
export function isPassing({ code }: DomainError): boolean {
  return code === 'PLATFORM_UNAVAILABLE' || code === 'PLATFORM_TIMEOUT';
}
