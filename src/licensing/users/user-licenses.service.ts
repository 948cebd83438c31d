import type { EntityManager } from '@mikro-orm/postgresql';
import { findPage } from '../../platform/db/page.js';
import type { PageRequest, RowPage } from '../../platform/db/page.js';
import { NotFound, failure } from '../../platform/errors.js';
import { License } from '../licenses/license.entity.js';
import { reachedUserIds, userIdByIdentity, userIdsByEmail } from './user.repository.js';

/** One way to say whose licenses are meant. */
export interface UserLookup {
  readonly userId?: string | null;
  readonly provider?: string | null;
  readonly providerId?: string | null;
  readonly email?: string | null;
}

/**
 * The licenses of the users that are meant: an e-mail address may be that of several. Throws `BAD_PARAMETER` (400)
 * unless exactly one way is used, and `USER_NOT_FOUND` (404).
 */
export async function findUserLicenses(
  em: EntityManager,
  lookup: UserLookup,
  request: PageRequest,
): Promise<RowPage<License>> {
  const ids = await idsOf(em, lookup);
  return findPage(em, License, { user: { $in: ids } }, request);
}

async function idsOf(em: EntityManager, lookup: UserLookup): Promise<number[]> {
  const { userId, provider, providerId, email } = lookup;
  const byIdentity = [provider, providerId].filter((value) => value != null).length;
  const ways = [userId != null, byIdentity > 0, email != null].filter(Boolean).length;
  if (ways !== 1 || byIdentity === 1) {
    throw failure('BAD_PARAMETER', 'Send either user_id, or provider together with provider_id, or email');
  }
  const [ids, shown] = await reach();
  if (ids.length === 0) throw new NotFound('user', shown);
  return ids;

  async function reach(): Promise<[ids: number[], shown: string]> {
    if (userId != null) return [await reachedUserIds(em, [userId]), userId];
    if (email != null) return [await userIdsByEmail(em, email), email];
    const id = await userIdByIdentity(em, provider ?? '', providerId ?? '');
    return [id === undefined ? [] : [id], `${provider ?? ''}:${providerId ?? ''}`];
  }
}
