import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { addIdentity, checkMetadata, lockIdentity } from '../identities/identity.service.js';
import type { IdentityFields } from '../identities/identity.service.js';
import { User } from './user.entity.js';
import { userIdByIdentity } from './user.repository.js';
import { checkEmail, createUser } from './user.service.js';
import type { UserFields } from './user.service.js';

/** What is only used when the identity is new: `metadata`, `email`, `displayName`. */
export type LinkInput = IdentityFields & UserFields;

/** The user of an identity; an identity nobody has yet is created with a user of its own, however many ask at once. */
export async function linkUser(em: EntityManager, ctx: ActionContext, input: LinkInput): Promise<User> {
  const { provider, providerId } = input;
  // Checked for a known identity too: the same request is right or wrong whoever came first.
  checkEmail(input.email ?? null);
  checkMetadata(input.metadata ?? {});
  const known = await userOf(em, provider, providerId);
  if (known) return known;
  await lockIdentity(em, provider, providerId);
  const meanwhile = await userOf(em, provider, providerId);
  if (meanwhile) return meanwhile;
  const user = await createUser(em, ctx, {
    email: input.email ?? null,
    displayName: input.displayName ?? null,
  });
  await addIdentity(em, ctx, user, input);
  return user;
}

async function userOf(em: EntityManager, provider: string, providerId: string): Promise<User | null> {
  for (;;) {
    const id = await userIdByIdentity(em, provider, providerId);
    if (id === undefined) return null;
    const user = await em.findOne(User, { id }, { refresh: true });
    // Merged or deleted between the two statements: whose the identity is now is another one's.
    if (user && user.status !== 'merged') return user;
  }
}
