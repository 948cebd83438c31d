import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../../platform/context.js';
import { generateKey } from '../license-key.rules.js';
import type { BulkProblems } from './bulk-problems.js';
import { planLicenses } from './create-licenses.service.js';
import { spellColumn } from './license-csv.rules.js';
import type { LicenseRow } from './license-plan.rules.js';
import { storeLicenses } from './store-licenses.service.js';
import type { OnExisting } from './store-licenses.service.js';

/** A CSV text as it was read: its rows, and what is wrong with others. */
export interface LicenseTable {
  readonly rows: readonly LicenseRow[];
  readonly problems: BulkProblems;
}

/** How many rows came to what; together all of them. */
export interface Imported {
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
}

/**
 * Creates the rows' licenses, all or none. One whose key exists is a problem, is skipped, or is given what its row says:
 * absent columns stay, and a row that changes nothing is skipped. Throws with every problem, as createLicenses does.
 */
export async function importLicenses(
  em: EntityManager,
  ctx: ActionContext,
  { rows, problems }: LicenseTable,
  { onExisting }: { readonly onExisting: OnExisting },
): Promise<Imported> {
  const options = { problems, newKey: generateKey };
  const plans = await planLicenses(em, rows, { ...options, spell: spellColumn });
  const { keys, updated, skipped } = await storeLicenses(em, ctx, plans, { ...options, onExisting });
  return { created: keys.length, updated, skipped };
}
