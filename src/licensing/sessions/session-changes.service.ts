import type { EntityManager } from '@mikro-orm/postgresql';
import { NotFound } from '../../platform/errors.js';
import type { PubSub } from '../../platform/pubsub/pubsub.js';
import { maskKey } from '../licenses/license-key.rules.js';
import { findLicenseStanding } from '../licenses/license-standing.repository.js';
import type { SessionChange } from './session-change.js';

/** The changes of a license's sessions from now on, or of all. Throws `LICENSE_NOT_FOUND` for an unknown key. */
export async function watchSessions(
  em: EntityManager,
  pubsub: PubSub,
  license: string | null | undefined,
): Promise<AsyncIterableIterator<SessionChange>> {
  if (license == null) return pubsub.subscribe('session');
  const standing = await findLicenseStanding(em, license);
  if (!standing) throw new NotFound('license', maskKey(license));
  return pubsub.subscribe(`session:${standing.licenseId}`);
}
