import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ActionContext, Caller } from '../../platform/context.js';
import { InvalidField, NotFound, failure } from '../../platform/errors.js';
import type { EventData } from '../../platform/events/emit.js';
import { sha256 } from '../../platform/random.js';
import { emit } from '../events.js';
import { ApiKey } from './api-key.entity.js';
import { CONFIGURED_KEY_ID, candidateIdsOf, generateApiKey, matchesDigest } from './api-key.rules.js';
import { SCOPES } from './scopes.js';
import type { Scope } from './scopes.js';

/** How long a rotated key goes on working beside its successor. */
const ROTATION_OVERLAP_HOURS = 24;
/** `last_used_at` is written at most this often for each key, so that reading costs no write. */
const LAST_USED_RESOLUTION_SECONDS = 60;

export interface ApiKeyInput {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt?: Date | null;
}

export interface IssuedApiKey {
  readonly record: ApiKey;
  /** Shown this once and stored nowhere. */
  readonly plain: string;
}

/** Issues a key. Throws `INVALID_FIELD` for an unknown scope or an expiry in the past. */
export async function createApiKey(
  em: EntityManager,
  ctx: ActionContext,
  input: ApiKeyInput,
): Promise<IssuedApiKey> {
  const now = ctx.clock.now();
  const scopes = checkScopes(input.scopes);
  if (input.expiresAt != null && input.expiresAt <= now)
    throw new InvalidField('expiresAt', 'must be in the future');
  checkMayGrant(ctx, scopes);
  const { plain, keyId, digest } = generateApiKey();
  const record = em.create(ApiKey, {
    keyId,
    digest,
    name: input.name,
    scopes,
    expiresAt: input.expiresAt ?? null,
    lastUsedAt: null,
    revokedAt: null,
    createdAt: now,
    updatedAt: now,
  });
  em.persist(record);
  await em.flush();
  await emit(em, ctx, 'api_key.created', {
    resource: refOf(record),
    changes: { name: [null, record.name], scopes: [null, scopes] },
    data: dataOf(record),
  });
  return { record, plain };
}

/** A successor with the same name, scopes and expiry; the old key works for another 24 h. */
export async function rotateApiKey(
  em: EntityManager,
  ctx: ActionContext,
  keyId: string,
): Promise<IssuedApiKey> {
  const old = await findUsable(em, ctx, keyId);
  if (old.keyId === CONFIGURED_KEY_ID) {
    throw failure(
      'IN_USE',
      'This key comes from the configuration (API_KEY): change it there, or issue another',
    );
  }
  checkMayGrant(ctx, old.scopes);
  const now = ctx.clock.now();
  const { plain, keyId: newId, digest } = generateApiKey();
  const { name, scopes, expiresAt } = old;
  const record = em.create(ApiKey, {
    ...{ keyId: newId, digest, name, scopes, expiresAt, lastUsedAt: null, revokedAt: null },
    createdAt: now,
    updatedAt: now,
  });
  em.persist(record);
  const overlap = new Date(now.getTime() + ROTATION_OVERLAP_HOURS * 3_600_000);
  if (old.expiresAt === null || old.expiresAt > overlap) old.expiresAt = overlap;
  old.updatedAt = now;
  await em.flush();
  await emit(em, ctx, 'api_key.rotated', {
    resource: refOf(old),
    changes: { key_id: [old.keyId, newId] },
    data: { ...dataOf(record), replaces: dataOf(old) },
  });
  return { record, plain };
}

/** From the next request on, the key is invalid. */
export async function revokeApiKey(em: EntityManager, ctx: ActionContext, keyId: string): Promise<ApiKey> {
  const record = await findUsable(em, ctx, keyId);
  record.revokedAt = record.updatedAt = ctx.clock.now();
  await em.flush();
  await emit(em, ctx, 'api_key.revoked', { resource: refOf(record), data: dataOf(record) });
  return record;
}

/** Who presents this key. Throws `API_KEY_INVALID` or `API_KEY_EXPIRED`. */
export async function authenticate(em: EntityManager, presented: string, now: Date): Promise<Caller> {
  const candidates = await em.find(ApiKey, { keyId: { $in: candidateIdsOf(presented) } });
  const record = candidates.find(({ digest }) => matchesDigest(presented, digest));
  if (record?.revokedAt !== null) {
    throw failure('API_KEY_INVALID', 'This API key is not valid', {
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    });
  }
  if (record.isExpired(now)) {
    throw failure('API_KEY_EXPIRED', 'This API key has expired', {
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    });
  }
  await noteUse(em, record, now);
  return {
    name: `api_key:${record.name}`,
    id: `api_key:${record.keyId}`,
    scopes: new Set(record.scopes),
    authenticated: true,
  };
}

/** Makes the key that the configuration gives valid, and no other of its kind. */
export async function setConfiguredKey(em: EntityManager, plain: string, now: Date): Promise<void> {
  await sql`
    insert into api_key (key_id, digest, name, scopes, created_at, updated_at)
    values (${CONFIGURED_KEY_ID}, ${sha256(plain)}, 'configured', array['*'], ${now}, ${now})
    on conflict (key_id) do update set digest = excluded.digest, updated_at = excluded.updated_at, revoked_at = null
      where api_key.digest <> excluded.digest`.execute(em.getKysely());
}

/** Every key, in the order they were made. */
export async function listApiKeys(em: EntityManager): Promise<ApiKey[]> {
  return em.find(ApiKey, {}, { orderBy: { id: 'asc' } });
}

export async function hasApiKeys(em: EntityManager): Promise<boolean> {
  return (await em.count(ApiKey, {})) > 0;
}

async function noteUse(em: EntityManager, record: ApiKey, now: Date): Promise<void> {
  const age = now.getTime() - (record.lastUsedAt?.getTime() ?? 0);
  if (age < LAST_USED_RESOLUTION_SECONDS * 1000) return;
  await sql`update api_key set last_used_at = ${now} where id = ${record.id}`.execute(em.getKysely());
}

async function findUsable(em: EntityManager, ctx: ActionContext, keyId: string): Promise<ApiKey> {
  const record = await em.findOne(ApiKey, { keyId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (record?.revokedAt !== null || record.isExpired(ctx.clock.now())) throw new NotFound('API key', keyId);
  return record;
}

/** A key can't hand out what it may not do itself; the command line on the server's own machine may do all. */
function checkMayGrant({ caller }: ActionContext, scopes: readonly string[]): void {
  const missing = scopes.filter((scope) => !caller.scopes.has('*') && !caller.scopes.has(scope));
  if (missing.length > 0)
    throw failure('INSUFFICIENT_SCOPE', `This API key can't grant: ${missing.join(', ')}`);
}

function checkScopes(scopes: readonly string[]): Scope[] {
  const unknown = scopes.filter((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (unknown.length > 0 || scopes.length === 0) {
    throw new InvalidField(
      'scopes',
      `must be one or more of ${SCOPES.join(', ')}; got ${scopes.join(', ') || 'none'}`,
    );
  }
  return [...new Set(scopes)] as Scope[];
}

/** As it is shown to administrators, without anything of the key itself. */
function dataOf({ id, keyId, name, scopes, expiresAt, lastUsedAt, revokedAt, createdAt }: ApiKey): EventData {
  const times = { expires_at: expiresAt, last_used_at: lastUsedAt, revoked_at: revokedAt, createdAt };
  return { id, key_id: keyId, name, scopes, ...times };
}

function refOf(record: ApiKey) {
  return { type: 'api_key', id: record.keyId };
}
