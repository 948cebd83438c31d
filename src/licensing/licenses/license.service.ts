import { LockMode, ref } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { flushUnique } from '../../platform/db/flush-unique.js';
import { AlreadyExists, InvalidField, NotFound } from '../../platform/errors.js';
import { diff } from '../../platform/events/emit.js';
import type { Changes } from '../../platform/events/emit.js';
import { ADDON, CUSTOMER, PRODUCT } from '../custom-fields/named-records.js';
import { idsByName, isUpdated } from '../custom-fields/named-record.service.js';
import { emit } from '../events.js';
import { closeSessionsOf } from '../sessions/session.repository.js';
import type { User } from '../users/user.entity.js';
import { referencedUser } from '../users/user-reference.service.js';
import { License, UNLIMITED_SEATS } from './license.entity.js';
import type { LicenseStatus } from './license.entity.js';
import { licenseData } from './license-data.repository.js';
import { generateKey, lookupOf, maskKey } from './license-key.rules.js';
import { licenseView, replaceLicenseAddons } from './license.repository.js';
import { allowedSeats, isSeats } from './license.rules.js';
import { STATUS_EVENTS } from './license.states.js';
import { replaceLicenseWhitelists } from './whitelists/replace-license-whitelists.service.js';

interface LicenseFields {
  readonly product?: string | null;
  readonly customer?: string | null;
  /** Public id; a merged one leads to its user. */
  readonly userId?: string | null;
  readonly status?: LicenseStatus | null;
  /** Null: never. */
  readonly expiresAt?: Date | null;
  /** -1: unlimited. */
  readonly seats?: number | null;
  readonly note?: string | null;
  /** Replaced as a whole. */
  readonly addons?: readonly string[] | null;
  /** `{name: {values?, limit?}}`; replaced as a whole. */
  readonly whitelists?: Readonly<Record<string, unknown>> | null;
}

export interface LicenseInput extends LicenseFields {
  /** Generated when absent. */
  readonly key?: string | null;
}

export interface LicenseChange extends LicenseFields {
  readonly newKey?: string | null;
}

/** Creates a license; `{}` is enough: an active one that never expires, for any number of seats. */
export async function createLicense(
  em: EntityManager,
  ctx: ActionContext,
  input: LicenseInput,
): Promise<License> {
  const key = input.key ?? generateKey();
  const now = ctx.clock.now();
  const license = em.create(License, {
    key,
    lookup: lookupOf(key),
    status: input.status ?? 'active',
    product: null,
    customer: null,
    user: null,
    expiresAt: null,
    seats: UNLIMITED_SEATS,
    note: null,
    createdAt: now,
    updatedAt: now,
  });
  await assign(em, license, input, await userOf(em, input));
  em.persist(license);
  await flushUnique(em, () => new AlreadyExists('license', maskKey(key)));
  await setLists(em, ctx, license, input);
  await emit(em, ctx, 'license.created', {
    resource: refOf(license),
    changes: licenseChanges({}, await licenseView(em, license.id)),
    data: licenseData(em, license.id),
  });
  return license;
}

/** Changes what was sent. A changed status is an event of its own. */
export async function updateLicense(
  em: EntityManager,
  ctx: ActionContext,
  key: string,
  change: LicenseChange,
): Promise<License> {
  // Ahead of the license, as a merge does: in the other order the two would lock each other out.
  const user = await userOf(em, change);
  const license = await findLicenseForUpdate(em, key);
  const before = await licenseView(em, license.id);
  await assign(em, license, change, user);
  if (change.newKey != null) {
    license.key = change.newKey;
    license.lookup = lookupOf(change.newKey);
  }
  await flushUnique(em, () => new AlreadyExists('license', maskKey(license.key)));
  await setLists(em, ctx, license, change);
  const changes = licenseChanges(before, await licenseView(em, license.id));
  if (await isUpdated(em, ctx, license, changes)) await announceUpdate(em, ctx, license, changes);
  return license;
}

/** Deletes the license and closes its sessions. */
export async function deleteLicense(em: EntityManager, ctx: ActionContext, key: string): Promise<void> {
  const license = await findLicenseForUpdate(em, key);
  await emit(em, ctx, 'license.deleted', { resource: refOf(license), data: licenseData(em, license.id) });
  await closeSessionsOf(em, license.id, ctx.clock.now());
  em.remove(license);
  await em.flush();
}

/** The license of a key however it was typed; throws `LICENSE_NOT_FOUND`. */
export async function findLicense(em: EntityManager, key: string): Promise<License> {
  const license = await em.findOne(License, { lookup: lookupOf(key) });
  if (!license) throw new NotFound('license', maskKey(key));
  return license;
}

async function findLicenseForUpdate(em: EntityManager, key: string): Promise<License> {
  const license = await em.findOne(
    License,
    { lookup: lookupOf(key) },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!license) throw new NotFound('license', maskKey(key));
  return license;
}

/** The user that was sent, locked; undefined when none was, which changes nothing. */
async function userOf(em: EntityManager, { userId }: LicenseFields): Promise<User | null | undefined> {
  return userId == null ? userId : referencedUser(em, userId, 'userId');
}

async function assign(
  em: EntityManager,
  license: License,
  fields: LicenseFields,
  user: User | null | undefined,
): Promise<void> {
  const { product, customer, status, expiresAt, seats, note } = fields;
  if (product !== undefined) {
    const [id] = product === null ? [] : await idsByName(em, PRODUCT, [product], 'product');
    license.product = id === undefined ? null : em.getReference(PRODUCT.entity, id, { wrapped: true });
  }
  if (customer !== undefined) {
    const [id] = customer === null ? [] : await idsByName(em, CUSTOMER, [customer], 'customer');
    license.customer = id === undefined ? null : em.getReference(CUSTOMER.entity, id, { wrapped: true });
  }
  if (user !== undefined) license.user = user && ref(user);
  if (status != null) license.status = status;
  if (expiresAt !== undefined) license.expiresAt = expiresAt;
  if (seats != null) license.seats = checkSeats(seats);
  if (note !== undefined) license.note = note;
}

async function setLists(
  em: EntityManager,
  ctx: ActionContext,
  license: License,
  { addons, whitelists }: LicenseFields,
): Promise<void> {
  if (addons != null)
    await replaceLicenseAddons(em, license.id, await idsByName(em, ADDON, addons, 'addons'));
  if (whitelists != null) await replaceLicenseWhitelists(em, ctx, license.id, whitelists);
}

function checkSeats(seats: number): number {
  if (isSeats(seats)) return seats;
  throw new InvalidField('seats', `${allowedSeats}; got ${seats}`);
}

/** Keys are masked after they were compared: two that end alike are still two. */
function licenseChanges(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Changes {
  const { key, ...others } = diff(before, after);
  const masked = key?.map((value) => (typeof value === 'string' ? maskKey(value) : null));
  return masked ? { key: [masked[0], masked[1]], ...others } : others;
}

async function announceUpdate(
  em: EntityManager,
  ctx: ActionContext,
  license: License,
  { status, ...others }: Changes,
): Promise<void> {
  const [resource, data] = [refOf(license), licenseData(em, license.id)];
  if (status) await emit(em, ctx, STATUS_EVENTS[license.status], { resource, changes: { status }, data });
  if (Object.keys(others).length > 0)
    await emit(em, ctx, 'license.updated', { resource, changes: others, data });
}

function refOf(license: License) {
  return { type: 'license', id: maskKey(license.key) };
}
