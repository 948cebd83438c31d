import type { EventData } from '../../platform/events/emit.js';
import type { Identity } from './identity.entity.js';

type IdentityColumns = Pick<
  Identity,
  'id' | 'provider' | 'providerId' | 'metadata' | 'createdAt' | 'updatedAt'
>;

/** An identity as REST returns it, for events; `userId` is its user's public id. */
export function identityData(identity: IdentityColumns, userId: string): EventData {
  const { id, provider, providerId, metadata, createdAt, updatedAt } = identity;
  return { id, user_id: userId, provider, provider_id: providerId, metadata, createdAt, updatedAt };
}
