import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../../platform/context.js';
import { counted } from '../../../platform/counted.js';
import { DomainError, InvalidField, NotFound, show } from '../../../platform/errors.js';
import type { Changes } from '../../../platform/events/emit.js';
import { emit } from '../../events.js';
import { existingWhitelist } from '../../whitelists/whitelist.repository.js';
import type { WhitelistFacts } from '../../whitelists/whitelist.repository.js';
import { allowedValues, checkLimit, normaliseValue, valuesMax } from '../../whitelists/whitelist.rules.js';
import { licenseData } from '../license-data.repository.js';
import { maskKey } from '../license-key.rules.js';
import { findLicense } from '../license.service.js';
import {
  appendValues,
  lockLicense,
  removeValues,
  storeOwnLimit,
  touchLicense,
  whitelistEntriesOf,
} from './license-whitelist.repository.js';
import type { LicenseWhitelistEntry, LockedLicense } from './license-whitelist.repository.js';

/** The lists that are enforced for a license, or that it has values or a limit of its own on; by name. */
export async function listLicenseWhitelists(
  em: EntityManager,
  key: string,
): Promise<LicenseWhitelistEntry[]> {
  const { id } = await findLicense(em, key);
  return (await whitelistEntriesOf(em, [id])).get(id) ?? [];
}

/** Puts a value on the list. One that is there already changes nothing; a full list is `WHITELIST_LIMIT_REACHED`. */
export async function addLicenseWhitelistValue(
  em: EntityManager,
  ctx: ActionContext,
  key: string,
  name: string,
  value: string,
): Promise<LicenseWhitelistEntry> {
  const list = await lockList(em, key, name);
  const { license, whitelist, entry } = list;
  const normal = normaliseValue(whitelist.type, value);
  if (normal === undefined) {
    throw new InvalidField('value', `${allowedValues(whitelist.type)}; got ${show(value)}`);
  }
  if (entry.values.includes(normal)) return entry;
  if (entry.values.length >= valuesMax(entry.limit)) throw limitReached(list);
  await appendValues(em, refOf(list), [normal], ctx.clock.now());
  await announceList(em, ctx, 'whitelist.bound', list, { [name]: [null, normal] });
  return entryOf(em, license, whitelist);
}

/**
 * Gives the license a limit of its own: -1 unlimited, 0 closed, 1–1000; null goes back to the definition's. A lower
 * one keeps the values that are there and binds no more.
 */
export async function setLicenseWhitelistLimit(
  em: EntityManager,
  ctx: ActionContext,
  key: string,
  name: string,
  limit: number | null,
): Promise<LicenseWhitelistEntry> {
  const checked = limit === null ? null : checkLimit(limit);
  const list = await lockList(em, key, name);
  const { license, whitelist, entry } = list;
  if (entry.ownLimit === checked) return entry;
  await storeOwnLimit(em, refOf(list), checked);
  await touchLicense(em, license.id, ctx.clock.now());
  await emit(em, ctx, 'license.updated', {
    resource: resourceOf(license),
    changes: { whitelists: [{ [name]: { limit: entry.ownLimit } }, { [name]: { limit: checked } }] },
    data: licenseData(em, license.id),
  });
  return entryOf(em, license, whitelist);
}

/** Takes every value off the list, or only `value`; the license's own limit stays. */
export async function clearLicenseWhitelist(
  em: EntityManager,
  ctx: ActionContext,
  key: string,
  name: string,
  options: { readonly value?: string | null | undefined } = {},
): Promise<void> {
  const list = await lockList(em, key, name);
  const { whitelist, entry } = list;
  const removed = options.value == null ? entry.values : [valueOn(entry, whitelist, options.value)];
  if (removed.length === 0) return;
  await removeValues(em, refOf(list), removed);
  await announceList(em, ctx, 'whitelist.cleared', list, { [name]: [removed, null] });
}

function valueOn(entry: LicenseWhitelistEntry, { type }: WhitelistFacts, value: string): string {
  const normal = normaliseValue(type, value);
  if (normal === undefined || !entry.values.includes(normal)) throw new NotFound('whitelist value', value);
  return normal;
}

interface LockedList {
  readonly license: LockedLicense;
  readonly whitelist: WhitelistFacts;
  readonly entry: LicenseWhitelistEntry;
}

/** The license first, then the list, then what is on it: each statement sees what was there when the lock was had. */
async function lockList(em: EntityManager, key: string, name: string): Promise<LockedList> {
  const license = await lockLicense(em, key);
  const whitelist = await existingWhitelist(em, name);
  return { license, whitelist, entry: await entryOf(em, license, whitelist) };
}

/** Also of a list that the license has nothing to do with yet. */
async function entryOf(
  em: EntityManager,
  license: LockedLicense,
  whitelist: WhitelistFacts,
): Promise<LicenseWhitelistEntry> {
  const entries = await whitelistEntriesOf(em, [license.id], { whitelistId: whitelist.id });
  const [entry] = entries.get(license.id) ?? [];
  if (!entry) throw new NotFound('whitelist', whitelist.name);
  return entry;
}

/** What happened to a license's list: the event carries the list as REST returns it, and whose it is. */
async function announceList(
  em: EntityManager,
  ctx: ActionContext,
  event: 'whitelist.bound' | 'whitelist.cleared',
  { license, whitelist }: LockedList,
  changes: Changes,
): Promise<void> {
  await touchLicense(em, license.id, ctx.clock.now());
  const data = async () => {
    const { name, type, source, limit, values, enforced } = await entryOf(em, license, whitelist);
    return { license: license.key, name, type, source, limit, values, enforced };
  };
  await emit(em, ctx, event, { resource: resourceOf(license), changes, data });
}

function resourceOf({ key }: LockedLicense) {
  return { type: 'license', id: maskKey(key) };
}

function refOf({ license, whitelist }: LockedList) {
  return { licenseId: license.id, whitelistId: whitelist.id };
}

function limitReached({ whitelist, entry }: LockedList): DomainError {
  const values = counted(entry.values.length, 'value');
  const message = `The whitelist "${whitelist.name}" holds ${values} of this license already, and its limit is ${entry.limit}; clear one or raise the limit`;
  return new DomainError('WHITELIST_LIMIT_REACHED', 409, 'Whitelist limit reached', message);
}
