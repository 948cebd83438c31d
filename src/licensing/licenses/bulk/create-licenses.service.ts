import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../../platform/context.js';
import { InvalidField, pointer } from '../../../platform/errors.js';
import { generateKey, lookupOf } from '../license-key.rules.js';
import type { LicenseInput } from '../license.service.js';
import { BulkProblems } from './bulk-problems.js';
import { lockBulkChanges } from './license-batch.repository.js';
import { planRows, readRows, referredNames } from './license-plan.rules.js';
import type { LicensePlan, LicenseRow } from './license-plan.rules.js';
import { findReferences } from './license-references.repository.js';
import { storeLicenses } from './store-licenses.service.js';

/** As many as one transaction may create. */
export const BULK_LICENSES_MAX = 10_000;

/** Either `licenses`, each as it says, or `count` of them after one `template` (`{}` when absent). */
export interface BulkCreation {
  readonly licenses?: readonly LicenseInput[] | null;
  /** 1–{@link BULK_LICENSES_MAX}. */
  readonly count?: number | null;
  /** Has no key of its own. */
  readonly template?: LicenseInput | null;
}

interface KeySource {
  readonly newKey?: () => string;
}

/**
 * Creates up to 10 000 licenses, all or none; gives their keys in the order asked for. Throws with every problem, each
 * pointing at its license: 422 `INVALID_FIELD`, or 409 `ALREADY_EXISTS` for keys that are taken or come twice.
 */
export async function createLicenses(
  em: EntityManager,
  ctx: ActionContext,
  creation: BulkCreation,
  { newKey = generateKey }: KeySource = {},
): Promise<readonly string[]> {
  const { rows, count } = rowsOf(creation);
  const problems = new BulkProblems();
  const options = { problems, newKey };
  const plans = await planLicenses(em, rows, { ...options, spell: (field) => field });
  // A template's problems are told before thousands of keys are drawn for nothing.
  if (count !== undefined) problems.throwIfAny();
  const all = count === undefined ? plans : plans.flatMap((plan) => copiesOf(plan, count, newKey));
  return (await storeLicenses(em, ctx, all, { ...options, onExisting: 'error' })).keys;
}

/** Reads rows, looks up what they refer to and plans what becomes of them; reports instead of throwing. */
export async function planLicenses(
  em: EntityManager,
  rows: readonly LicenseRow[],
  options: Parameters<typeof planRows>[2],
): Promise<LicensePlan[]> {
  // The first lock of all: whoever waits for it holds no other that the one before might need.
  if (rows.some(({ input }) => input.key != null)) await lockBulkChanges(em);
  const read = readRows(rows, options.problems);
  return planRows(read, await findReferences(em, referredNames(read)), options);
}

function rowsOf({ licenses, count, template }: BulkCreation): { rows: LicenseRow[]; count?: number } {
  if (licenses != null) {
    if (count != null || template != null)
      throw new InvalidField(count == null ? 'template' : 'count', 'is for a template; licenses are given');
    if (licenses.length < 1 || licenses.length > BULK_LICENSES_MAX)
      throw new InvalidField('licenses', `must be 1–${BULK_LICENSES_MAX} licenses; got ${licenses.length}`);
    return { rows: licenses.map((input, index) => ({ at: pointer('licenses', index), input })) };
  }
  if (count == null) throw new InvalidField('count', 'or licenses is required');
  if (count < 1 || count > BULK_LICENSES_MAX)
    throw new InvalidField('count', `must be between 1 and ${BULK_LICENSES_MAX}; got ${count}`);
  if (template?.key != null)
    throw new InvalidField('template', 'must have no key, since each license gets one of its own');
  return { rows: [{ at: '/template', input: template ?? {} }], count };
}

function copiesOf(plan: LicensePlan, count: number, newKey: () => string): LicensePlan[] {
  return Array.from({ length: count }, (_, index) => {
    const key = newKey();
    return { ...plan, at: pointer('copies', index), key, lookup: lookupOf(key) };
  });
}
