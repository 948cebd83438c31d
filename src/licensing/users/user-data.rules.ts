import type { EventData } from '../../platform/events/emit.js';
import type { User } from './user.entity.js';

type UserColumns = Pick<
  User,
  'id' | 'userId' | 'email' | 'displayName' | 'status' | 'createdAt' | 'updatedAt'
>;

/** A user as REST returns it, for events. A merged one also names the user it was merged into. */
export function userData(user: UserColumns, options: { readonly mergedInto?: string } = {}): EventData {
  const { id, userId, email, displayName, status, createdAt, updatedAt } = user;
  return {
    ...{ id, user_id: userId, email, display_name: displayName, status },
    ...{ merged_into: options.mergedInto ?? null, createdAt, updatedAt },
  };
}
