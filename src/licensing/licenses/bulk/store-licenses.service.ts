import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../../platform/context.js';
import { diff } from '../../../platform/events/emit.js';
import type { Changes, Emission } from '../../../platform/events/emit.js';
import { emitMany } from '../../events.js';
import type { LicensingEvent } from '../../events.js';
import { licensesDataTogether } from '../license-data.repository.js';
import { lookupOf, maskKey } from '../license-key.rules.js';
import { STATUS_EVENTS } from '../license.states.js';
import type { BulkProblems } from './bulk-problems.js';
import { batchesOf, insertLicenses, lockLicenses, updateLicenses } from './license-batch.repository.js';
import type { InsertedLicense, StoredLicense } from './license-batch.repository.js';
import { planView, stateView } from './license-plan.rules.js';
import type { LicensePlan, LicenseState } from './license-plan.rules.js';

/** What happens to a license whose key exists already. */
export type OnExisting = 'error' | 'skip' | 'update';

export interface StoreOptions {
  readonly onExisting: OnExisting;
  /** Of all earlier steps too; any one of them ends it before anything is written. */
  readonly problems: BulkProblems;
  readonly newKey: () => string;
}

/** What became of the plans. */
export interface Stored {
  /** The keys of those that were created, in the plans' order. */
  readonly keys: readonly string[];
  readonly updated: number;
  /** They existed, and were left as they were. */
  readonly skipped: number;
}

/** Two keys of 125 bit that are equal are a miracle; more of them are a broken generator. */
const ROUNDS_MAX = 10;

/** Creates the licenses, and deals with those that exist. The number of statements grows by the batch alone. */
export async function storeLicenses(
  em: EntityManager,
  ctx: ActionContext,
  plans: readonly LicensePlan[],
  { onExisting, problems, newKey }: StoreOptions,
): Promise<Stored> {
  const created = new Map<string, LicensePlan>();
  let [updated, skipped] = [0, 0];
  let pending = plans;
  if (pending.length === 0) problems.throwIfAny();
  for (let round = 1; pending.length > 0; round++) {
    const given = pending.filter(({ isKeyGiven }) => isKeyGiven);
    const stored = await lockLicenses(
      em,
      given.map(({ lookup }) => lookup),
    );
    const existing = given.flatMap((plan) => {
      const license = stored.get(plan.lookup);
      return license ? [{ plan, license }] : [];
    });
    if (onExisting === 'error') for (const { plan } of existing) reportTaken(plan, problems);
    problems.throwIfAny();
    const changed = onExisting === 'update' ? await updateStored(em, ctx, existing) : 0;
    updated += changed;
    skipped += existing.length - changed;
    const taken: LicensePlan[] = [];
    for (const batch of batchesOf(pending.filter((plan) => !plan.isKeyGiven || !stored.has(plan.lookup)))) {
      const outcome = await insertLicenses(em, batch, ctx.clock.now());
      for (const { plan } of outcome.inserted) created.set(plan.at, plan);
      await announceCreations(em, ctx, outcome.inserted);
      taken.push(...outcome.taken);
    }
    if (round === ROUNDS_MAX && taken.length > 0) throw new Error('Generated license keys are never new');
    // Somebody took a given key just now, so that it exists by now; a generated one is drawn again.
    pending = taken.map((plan) => (plan.isKeyGiven ? plan : withKey(plan, newKey())));
  }
  return { keys: plans.flatMap(({ at }) => created.get(at)?.key ?? []), updated, skipped };
}

function reportTaken({ at, key }: LicensePlan, problems: BulkProblems): void {
  problems.add(`${at}/key`, `A license "${maskKey(key)}" exists already`, 'ALREADY_EXISTS');
}

function withKey(plan: LicensePlan, key: string): LicensePlan {
  return { ...plan, key, lookup: lookupOf(key) };
}

async function announceCreations(
  em: EntityManager,
  ctx: ActionContext,
  inserted: readonly InsertedLicense[],
): Promise<void> {
  const dataOf = licensesDataTogether(
    em,
    inserted.map(({ id }) => id),
  );
  const emissions = inserted.map(({ id, plan }) => ({
    resource: refOf(plan),
    changes: diff({}, planView(plan)),
    data: dataOf(id),
  }));
  await emitMany(em, ctx, 'license.created', emissions);
}

function refOf({ key }: { readonly key: string }) {
  return { type: 'license', id: maskKey(key) };
}

/** A stored license with the state it gets. */
interface Change extends StoredLicense {
  readonly changes: Changes;
}

/** Changes what the plans say and the licenses don't; how many licenses that is. */
async function updateStored(
  em: EntityManager,
  ctx: ActionContext,
  existing: readonly { readonly plan: LicensePlan; readonly license: StoredLicense }[],
): Promise<number> {
  const changes = existing
    .map(({ plan, license }): Change => {
      const state: LicenseState = { ...license.state, ...plan.sent };
      return { ...license, state, changes: diff(stateView(license.state), stateView(state)) };
    })
    .filter((change) => Object.keys(change.changes).length > 0);
  for (const batch of batchesOf(changes)) {
    await updateLicenses(em, batch, ctx.clock.now());
    const dataOf = licensesDataTogether(
      em,
      batch.map(({ id }) => id),
    );
    const announced = batch.flatMap((change) => announcements(change, dataOf(change.id)));
    for (const [event, those] of Map.groupBy(announced, (each) => each.event)) {
      await emitMany(em, ctx, event, those);
    }
  }
  return changes.length;
}

interface Announcement extends Emission {
  readonly event: LicensingEvent;
}

/** A changed status is an event of its own. */
function announcements(
  { key, state, changes: { status, ...others } }: Change,
  data: Emission['data'],
): Announcement[] {
  const resource = refOf({ key });
  return [
    ...(status ? [{ event: STATUS_EVENTS[state.status], resource, changes: { status }, data }] : []),
    ...(Object.keys(others).length > 0
      ? [{ event: 'license.updated' as const, resource, changes: others, data }]
      : []),
  ];
}
