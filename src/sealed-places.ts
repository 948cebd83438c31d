import { botSealed } from './bot/sealed.js';
import { licensingSealed } from './licensing/sealed.js';
import { SEALED_RESPONSES } from './platform/rest/idempotency.js';
import type { SealedPlace } from './platform/secrets/sealed-place.js';

/** Everything that is sealed with `SECRET_KEY`, wherever it is kept. */
export const SEALED_PLACES: readonly SealedPlace[] = [...licensingSealed, ...botSealed, SEALED_RESPONSES];
