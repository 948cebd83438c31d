import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ActionContext } from '../../platform/context.js';
import { flushUnique } from '../../platform/db/flush-unique.js';
import { AlreadyExists, InvalidField, NotFound } from '../../platform/errors.js';
import { diff } from '../../platform/events/emit.js';
import { ADDON, PRODUCT } from '../custom-fields/named-records.js';
import { idsByName, isUpdated } from '../custom-fields/named-record.service.js';
import { emit } from '../events.js';
import { UNLIMITED_SEATS } from '../licenses/license.entity.js';
import { allowedSeats, isSeats } from '../licenses/license.rules.js';
import { enqueueSettling, lockMappings } from './account.repository.js';
import { mappingData, mappingView, refOfMapping } from './mapping-data.repository.js';
import { Mapping } from './mapping.entity.js';
import { replaceMappingAddons } from './mapping.repository.js';

interface MappingFields {
  /** Names of addons that the licenses hold, or that an addon's purchase puts on its buyer's license. */
  readonly addons?: readonly string[] | null;
  /** How long a license lasts, from its creation; null: for ever. */
  readonly durationDays?: number | null;
  /** -1: unlimited. */
  readonly seats?: number | null;
  /** What a renewal adds. */
  readonly renewalDays?: number | null;
}

export interface MappingInput extends MappingFields {
  readonly resourceId: string;
  /** Null: the resource itself. */
  readonly addonId?: string | null;
  /** Null: on any marketplace. */
  readonly marketplace?: string | null;
  readonly product: string;
}

export interface MappingChange extends MappingFields {
  readonly product?: string | null;
}

const DAYS_MAX = 36_500;
const RENEWAL_DAYS = 30;

/** Maps a resource; purchases of it that have failed for want of it are settled by jobs. Throws `ALREADY_EXISTS`. */
export async function createMapping(
  em: EntityManager,
  ctx: ActionContext,
  input: MappingInput,
): Promise<Mapping> {
  const { resourceId } = input;
  await lockMappings(em, resourceId, 'change');
  const now = ctx.clock.now();
  const mapping = em.create(Mapping, {
    resourceId,
    addonId: input.addonId ?? null,
    marketplace: input.marketplace?.toLowerCase() ?? null,
    product: await productRef(em, input.product),
    durationDays: input.durationDays == null ? null : checkDays('durationDays', input.durationDays),
    seats: checkSeats(input.seats ?? UNLIMITED_SEATS),
    renewalDays: checkDays('renewalDays', input.renewalDays ?? RENEWAL_DAYS),
    createdAt: now,
    updatedAt: now,
  });
  em.persist(mapping);
  await flushUnique(em, () => new AlreadyExists('marketplace mapping', refOfMapping(mapping).id));
  await setAddons(em, mapping, input.addons);
  await emit(em, ctx, 'marketplace_mapping.created', {
    resource: refOfMapping(mapping),
    changes: diff({}, await mappingView(em, mapping)),
    data: () => mappingData(em, mapping),
  });
  await enqueueSettling(em, sql<boolean>`resource_id = ${resourceId} and problem is not null`);
  return mapping;
}

/** Changes what was sent, for what is bought from now on. */
export async function updateMapping(
  em: EntityManager,
  ctx: ActionContext,
  id: number,
  change: MappingChange,
): Promise<Mapping> {
  const mapping = await findMappingForUpdate(em, id);
  const before = await mappingView(em, mapping);
  if (change.product != null) mapping.product = await productRef(em, change.product);
  if (change.durationDays !== undefined)
    mapping.durationDays =
      change.durationDays === null ? null : checkDays('durationDays', change.durationDays);
  if (change.seats != null) mapping.seats = checkSeats(change.seats);
  if (change.renewalDays != null) mapping.renewalDays = checkDays('renewalDays', change.renewalDays);
  await em.flush();
  await setAddons(em, mapping, change.addons);
  const changes = diff(before, await mappingView(em, mapping));
  if (await isUpdated(em, ctx, mapping, changes)) {
    await emit(em, ctx, 'marketplace_mapping.updated', {
      resource: refOfMapping(mapping),
      changes,
      data: () => mappingData(em, mapping),
    });
  }
  return mapping;
}

/** What was bought stays as it is; what is bought from now on fails until there is a mapping again. */
export async function deleteMapping(em: EntityManager, ctx: ActionContext, id: number): Promise<void> {
  const mapping = await findMappingForUpdate(em, id);
  const [resource, data] = [refOfMapping(mapping), await mappingData(em, mapping)];
  em.remove(mapping);
  await em.flush();
  await emit(em, ctx, 'marketplace_mapping.deleted', { resource, data });
}

async function findMappingForUpdate(em: EntityManager, id: number): Promise<Mapping> {
  const mapping = await em.findOne(Mapping, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!mapping) throw new NotFound('marketplace mapping', String(id));
  return mapping;
}

async function productRef(em: EntityManager, name: string) {
  const [id] = await idsByName(em, PRODUCT, [name], 'product');
  if (id === undefined) throw new InvalidField('product', 'is required');
  return em.getReference(PRODUCT.entity, id, { wrapped: true });
}

async function setAddons(
  em: EntityManager,
  mapping: Mapping,
  addons: readonly string[] | null | undefined,
): Promise<void> {
  if (addons != null)
    await replaceMappingAddons(em, mapping.id, await idsByName(em, ADDON, addons, 'addons'));
}

function checkDays(field: string, days: number): number {
  if (days >= 1 && days <= DAYS_MAX) return days;
  throw new InvalidField(field, `must be between 1 and ${DAYS_MAX} days; got ${days}`);
}

function checkSeats(seats: number): number {
  if (isSeats(seats)) return seats;
  throw new InvalidField('seats', `${allowedSeats}; got ${seats}`);
}
