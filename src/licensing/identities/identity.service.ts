import type { EntityManager } from '@mikro-orm/postgresql';
import { LockMode } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { ActionContext } from '../../platform/context.js';
import { flushUnique } from '../../platform/db/flush-unique.js';
import { AlreadyExists, InvalidField, NotFound } from '../../platform/errors.js';
import { emit } from '../events.js';
import type { User } from '../users/user.entity.js';
import { referencedUser } from '../users/user-reference.service.js';
import { identityData } from './identity-data.rules.js';
import { Identity } from './identity.entity.js';

export interface IdentityFields {
  readonly provider: string;
  readonly providerId: string;
  /** Any JSON object of up to 16 KiB. */
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

export interface IdentityInput extends IdentityFields {
  /** Public id of the user who gets it; a merged one leads to its user. */
  readonly userId: string;
}

export const METADATA_BYTES_MAX = 16 * 1024;

/** Gives a user an identity that nobody has (409); an unknown user is 422. */
export async function createIdentity(
  em: EntityManager,
  ctx: ActionContext,
  input: IdentityInput,
): Promise<Identity> {
  const user = await referencedUser(em, input.userId, 'userId');
  await lockIdentity(em, input.provider, input.providerId);
  return addIdentity(em, ctx, user, input);
}

/** Creates the identity for a user that is new or locked, under {@link lockIdentity}. */
export async function addIdentity(
  em: EntityManager,
  ctx: ActionContext,
  user: User,
  input: IdentityFields,
): Promise<Identity> {
  const { provider, providerId } = input;
  const now = ctx.clock.now();
  const identity = em.create(Identity, {
    user,
    provider,
    providerId,
    metadata: checkMetadata(input.metadata ?? {}),
    createdAt: now,
    updatedAt: now,
  });
  em.persist(identity);
  await flushUnique(em, () => new AlreadyExists('identity', `${provider}:${providerId}`));
  await emit(em, ctx, 'identity.linked', {
    resource: refOfIdentity(identity),
    changes: { user_id: [null, user.userId] },
    data: identityData(identity, user.userId),
  });
  return identity;
}

/** Takes an identity from its user. Throws `IDENTITY_NOT_FOUND`. */
export async function deleteIdentity(
  em: EntityManager,
  ctx: ActionContext,
  provider: string,
  providerId: string,
): Promise<void> {
  const identity = await em.findOne(
    Identity,
    { provider, providerId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!identity) throw new NotFound('identity', `${provider}:${providerId}`);
  const user = await identity.user.loadOrFail();
  const last = { resource: refOfIdentity(identity), data: identityData(identity, user.userId) };
  em.remove(identity);
  await em.flush();
  await emit(em, ctx, 'identity.unlinked', { ...last, changes: { user_id: [user.userId, null] } });
}

/** Until the transaction ends, nobody else creates this identity: who finds it missing now finds it missing still. */
export async function lockIdentity(em: EntityManager, provider: string, providerId: string): Promise<void> {
  const name = JSON.stringify(['identity', provider, providerId]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(em.getKysely());
}

/** The metadata itself, or 422 `INVALID_FIELD`. */
export function checkMetadata(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes <= METADATA_BYTES_MAX) return metadata;
  throw new InvalidField('metadata', `must be at most ${METADATA_BYTES_MAX} bytes of JSON; got ${bytes}`);
}

/** How events name an identity. */
export function refOfIdentity(identity: { readonly provider: string; readonly providerId: string }) {
  return { type: 'identity', id: `${identity.provider}:${identity.providerId}` };
}
