import type { EntityManager } from '@mikro-orm/postgresql';
import { InvalidField } from '../../platform/errors.js';
import type { User } from './user.entity.js';
import { lockUser } from './user.repository.js';

/**
 * The user another record is to refer to, by its public id, a merged one's too. It can be neither merged nor deleted
 * until the transaction ends, so the reference is never left behind. Nobody: 422 that names the `field`.
 */
export async function referencedUser(em: EntityManager, userId: string, field: string): Promise<User> {
  const user = await lockUser(em, userId, 'share');
  if (!user) throw new InvalidField(field, `names no existing user: ${JSON.stringify(userId)}`);
  return user;
}
