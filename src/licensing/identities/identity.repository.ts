import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { findPage } from '../../platform/db/page.js';
import type { PageRequest, RowPage } from '../../platform/db/page.js';
import { reachedUserIds } from '../users/user.repository.js';
import { Identity } from './identity.entity.js';

export interface IdentityFilter {
  /** Public id of the user; a merged one leads to its user. */
  readonly user?: string | null;
  readonly provider?: string | null;
  readonly providerId?: string | null;
}

export async function findIdentities(
  em: EntityManager,
  filter: IdentityFilter,
  request: PageRequest,
): Promise<RowPage<Identity>> {
  const all: FilterQuery<Identity>[] = [];
  if (filter.user != null) all.push({ user: { $in: await reachedUserIds(em, [filter.user]) } });
  if (filter.provider != null) all.push({ provider: filter.provider });
  if (filter.providerId != null) all.push({ providerId: filter.providerId });
  return findPage(em, Identity, { $and: all }, request);
}
