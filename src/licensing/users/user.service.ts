import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { flushUnique } from '../../platform/db/flush-unique.js';
import { AlreadyExists, InvalidField, NotFound, show } from '../../platform/errors.js';
import { diff } from '../../platform/events/emit.js';
import { isUpdated } from '../custom-fields/named-record.service.js';
import { emit } from '../events.js';
import { User } from './user.entity.js';
import type { UserStatus } from './user.entity.js';
import { lockUser, reachedUserIds } from './user.repository.js';
import { userData } from './user-data.rules.js';
import { EMAIL_LENGTH_MAX, generateUserId, isEmail } from './user.rules.js';

export interface UserFields {
  /** Stored as given, compared whatever its case, and not unique. */
  readonly email?: string | null;
  readonly displayName?: string | null;
}

export interface UserChange extends UserFields {
  /** `merged` is what a merge makes of a user, and nothing else. */
  readonly status?: Exclude<UserStatus, 'merged'> | null;
}

export interface UserInput extends UserChange {
  /** Generated when absent. */
  readonly userId?: string | null;
}

/** Creates a user; `{}` is enough. Throws `ALREADY_EXISTS` (409) for a public id that is taken, by a merged one too. */
export async function createUser(em: EntityManager, ctx: ActionContext, input: UserInput): Promise<User> {
  const now = ctx.clock.now();
  const user = em.create(User, {
    userId: input.userId ?? generateUserId(),
    email: checkEmail(input.email ?? null),
    displayName: input.displayName ?? null,
    status: input.status ?? 'active',
    mergedInto: null,
    createdAt: now,
    updatedAt: now,
  });
  em.persist(user);
  await flushUnique(em, () => new AlreadyExists('user', user.userId));
  await emit(em, ctx, 'user.created', {
    resource: refOfUser(user),
    changes: diff({}, viewOf(user)),
    data: userData(user),
  });
  return user;
}

/** Changes what was sent, of the user a public id reaches. A ban is an event of its own. */
export async function updateUser(
  em: EntityManager,
  ctx: ActionContext,
  userId: string,
  change: UserChange,
): Promise<User> {
  const user = await lockUser(em, userId, 'update');
  if (!user) throw new NotFound('user', userId);
  const before = viewOf(user);
  if (change.email !== undefined) user.email = checkEmail(change.email);
  if (change.displayName !== undefined) user.displayName = change.displayName;
  if (change.status != null) user.status = change.status;
  const changes = diff(before, viewOf(user));
  if (!(await isUpdated(em, ctx, user, changes))) return user;
  const resource = refOfUser(user);
  const { status, ...others } = changes;
  const isBanned = status !== undefined && user.status === 'banned';
  const data = userData(user);
  if (isBanned) await emit(em, ctx, 'user.banned', { resource, changes: { status }, data });
  const updated = isBanned ? others : changes;
  if (Object.keys(updated).length > 0)
    await emit(em, ctx, 'user.updated', { resource, changes: updated, data });
  return user;
}

/** The user a public id reaches; throws `USER_NOT_FOUND`. */
export async function findUser(em: EntityManager, userId: string): Promise<User> {
  const [id] = await reachedUserIds(em, [userId]);
  const user = id === undefined ? null : await em.findOne(User, { id });
  if (!user) throw new NotFound('user', userId);
  return user;
}

/** The address itself, or 422 `INVALID_FIELD`. */
export function checkEmail(email: string | null): string | null {
  if (email === null || isEmail(email)) return email;
  throw new InvalidField(
    'email',
    `must be an e-mail address of at most ${EMAIL_LENGTH_MAX} characters; got ${show(email)}`,
  );
}

/** How events name a user. */
export function refOfUser({ userId }: { readonly userId: string }) {
  return { type: 'user', id: userId };
}

function viewOf(user: User): Record<string, unknown> {
  return {
    user_id: user.userId,
    email: user.email,
    display_name: user.displayName,
    status: user.status,
  };
}
