import { DomainError, pointer } from '../platform/errors.js';
import type { FieldProblem } from '../platform/errors.js';
import { botError } from './bot-error.js';

/** What the chat library throws, by shape: its classes come from a package that is loaded only when a bot starts. */
interface Thrown {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string | number;
  readonly status?: number;
  readonly rawError?: { readonly message?: string; readonly errors?: unknown };
  /** Milliseconds. */
  readonly retryAfter?: number;
  readonly timeToReset?: number;
}

/** JSON error codes of the platform's REST API. */
const CODES = {
  unknownChannel: 10_003,
  missingAccess: 50_001,
  notATextChannel: 50_008,
  missingPermissions: 50_013,
  invalidForm: 50_035,
} as const;

/** When the platform says "too fast" without saying until when. */
const PROFILE_WAIT_SECONDS = 3600;

/** Why a connection was closed for good: 4004 and 4010–4014. */
export function closeFailure(closeCode: number): DomainError {
  switch (closeCode) {
    case 4004:
      return botError('PLATFORM_TOKEN_INVALID', 'The platform refuses BOT.TOKEN (close 4004): set a new one');
    case 4013:
    case 4014:
      return botError(
        'PLATFORM_INTENTS_DISALLOWED',
        `The bot asks for intents that it wasn't granted (close ${closeCode}): turn on the privileged intents ` +
          "(server members, message content) in the platform's developer portal",
      );
    default:
      return botError('PLATFORM_REJECTED', `The platform refuses the connection (close ${closeCode})`);
  }
}

/** What a failed login or request means for the caller. Passes a {@link DomainError} through. */
export function platformFailure(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const thrown = (typeof error === 'object' && error !== null ? error : {}) as Thrown;
  const { name = '', message = 'no reason given', code, status } = thrown;
  const options = { cause: error };
  if (code === 'TokenInvalid' || status === 401) {
    return botError('PLATFORM_TOKEN_INVALID', 'The platform refuses BOT.TOKEN: set a new one', options);
  }
  const waitMs = rateLimitMs(thrown);
  if (waitMs !== undefined || status === 429) {
    return botError('RATE_LIMITED', 'The platform asks to wait: too many requests', {
      ...options,
      retryAfterSeconds: Math.max(1, (waitMs ?? 1000) / 1000),
    });
  }
  if (name === 'AbortError' || name === 'TimeoutError') {
    return botError('PLATFORM_TIMEOUT', "The platform didn't answer in time", options);
  }
  if (status !== undefined && status >= 400 && status < 500) return rejection(thrown, error);
  if (status !== undefined) {
    return botError('PLATFORM_UNAVAILABLE', `The platform answers ${status}; try again later`, options);
  }
  return botError('PLATFORM_UNAVAILABLE', `The platform can't be reached: ${message}`, options);
}

/** What a failed login means: also "too many requests" only says that the platform is not to be had now. */
export function loginFailure(error: unknown): DomainError {
  const failure = platformFailure(error);
  if (failure.code !== 'RATE_LIMITED') return failure;
  const retryAfterSeconds = Number(failure.headers['Retry-After'] ?? 1);
  return botError('PLATFORM_UNAVAILABLE', failure.message, { retryAfterSeconds, cause: error });
}

/** What a refused change of the profile means: names and avatars may be changed only so often. */
export function profileFailure(error: unknown): DomainError {
  const failure = platformFailure(error);
  const isTooFast = failure.problems.some(({ code }) => code.endsWith('_RATE_LIMIT'));
  if (failure.code !== 'RATE_LIMITED' && !isTooFast) return failure;
  return botError('PROFILE_RATE_LIMITED', 'The platform allows only few changes of the profile an hour', {
    retryAfterSeconds: Number(failure.headers['Retry-After'] ?? PROFILE_WAIT_SECONDS),
    problems: failure.problems,
    cause: error,
  });
}

function rejection({ code, message = '', rawError }: Thrown, cause: unknown): DomainError {
  switch (code) {
    case CODES.unknownChannel:
      return botError('CHANNEL_NOT_FOUND', 'There is no such channel, or the bot is not in its server', {
        cause,
      });
    case CODES.missingAccess:
    case CODES.missingPermissions:
      return botError('CHANNEL_NOT_SENDABLE', "The bot isn't allowed to write in this channel", { cause });
    case CODES.notATextChannel:
      return botError('CHANNEL_NOT_SENDABLE', 'Nothing can be written in a channel of this kind', { cause });
    default: {
      const said = rawError?.message ?? message;
      const problems = code === CODES.invalidForm ? fieldProblems(rawError?.errors) : [];
      return botError('PLATFORM_REJECTED', `The platform refuses it: ${said} (${code ?? 'no code'})`, {
        problems,
        cause,
      });
    }
  }
}

function rateLimitMs({ name = '', retryAfter, timeToReset }: Thrown): number | undefined {
  return name.startsWith('RateLimitError') ? Math.max(retryAfter ?? 0, timeToReset ?? 0) : undefined;
}

/** The platform's tree `{embeds: {0: {title: {_errors: [{code, message}]}}}}` as a flat list. */
export function fieldProblems(tree: unknown, path: readonly string[] = []): FieldProblem[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([part, inner]: [string, unknown]) => {
    if (part !== '_errors') return fieldProblems(inner, [...path, part]);
    const errors = inner as readonly { readonly code: string; readonly message: string }[];
    return errors.map(({ code, message }) => ({ pointer: pointer(...path), code, detail: message }));
  });
}
