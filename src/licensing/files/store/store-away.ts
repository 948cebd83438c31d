import { failure } from '../../../platform/errors.js';
import type { DomainError } from '../../../platform/errors.js';

const RETRY_AFTER_SECONDS = 5;
/** Nobody waits longer on our word; a provider may ask for hours. */
const RETRY_AFTER_SECONDS_MAX = 3600;

/** 503 `UNAVAILABLE`: the provider doesn't answer, refuses us or says something odd. The log has the cause. */
export function storeAway(cause: unknown, retryAfterSeconds = RETRY_AFTER_SECONDS): DomainError {
  const seconds = Math.min(Math.max(Math.ceil(retryAfterSeconds), 1), RETRY_AFTER_SECONDS_MAX);
  return failure('UNAVAILABLE', 'The file store is away; try again later', {
    headers: { 'Retry-After': String(seconds) },
    cause,
  });
}
