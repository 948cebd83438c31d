import { DomainError, pointer, show } from '../../../platform/errors.js';
import type { WhitelistFacts } from '../../whitelists/whitelist.repository.js';
import { UNLIMITED_SEATS } from '../license.entity.js';
import type { LicenseStatus } from '../license.entity.js';
import { lookupOf, maskKey } from '../license-key.rules.js';
import { allowedSeats, isSeats } from '../license.rules.js';
import type { LicenseInput } from '../license.service.js';
import { listProblem, planList, readWhitelists } from '../whitelists/license-whitelist.rules.js';
import type { WantedList } from '../whitelists/license-whitelist.rules.js';
import type { BulkProblems } from './bulk-problems.js';

/** A record that a license refers to, by the name that its input gives. */
export interface Named {
  readonly id: number;
  readonly name: string;
}

/** What a license says, but for its key and whitelists. */
export interface LicenseState {
  readonly product: Named | null;
  readonly customer: Named | null;
  /** `name` is the public id. */
  readonly user: Named | null;
  readonly status: LicenseStatus;
  readonly expiresAt: Date | null;
  readonly seats: number;
  readonly note: string | null;
  readonly addons: readonly Named[];
}

/** A license about which nothing is said. */
export const NEW_LICENSE: LicenseState = {
  ...{ product: null, customer: null, user: null, status: 'active', expiresAt: null },
  ...{ seats: UNLIMITED_SEATS, note: null, addons: [] },
};

/** A license as it was asked for, and where: `/licenses/17`. */
export interface LicenseRow {
  readonly at: string;
  readonly input: LicenseInput;
}

/** A list of a new license. */
export interface PlannedList {
  readonly whitelistId: number;
  readonly name: string;
  readonly values: readonly string[];
  readonly ownLimit: number | null;
  /** Its own, else the definition's. */
  readonly limit: number;
}

/** A row with its names resolved. */
export interface LicensePlan {
  readonly at: string;
  readonly isKeyGiven: boolean;
  readonly key: string;
  /** The key's normal form. */
  readonly lookup: string;
  /** What the row says; the rest stays as it is, or is as in {@link NEW_LICENSE}. */
  readonly sent: Partial<LicenseState>;
  readonly whitelists: readonly PlannedList[];
}

/** The names that rows use, each once. */
export interface ReferredNames {
  readonly product: ReadonlySet<string>;
  readonly customer: ReadonlySet<string>;
  readonly userId: ReadonlySet<string>;
  readonly addons: ReadonlySet<string>;
  readonly whitelists: ReadonlySet<string>;
}

/** The records behind them. */
export interface References {
  readonly product: ReadonlyMap<string, Named>;
  readonly customer: ReadonlyMap<string, Named>;
  readonly userId: ReadonlyMap<string, Named>;
  readonly addons: ReadonlyMap<string, Named>;
  readonly whitelists: ReadonlyMap<string, WhitelistFacts>;
}

/** A row whose whitelists were read. */
type ReadRow = LicenseRow & { readonly lists: readonly WantedList[] };

/** Reads the rows as far as it goes without the database. */
export function readRows(rows: readonly LicenseRow[], problems: BulkProblems): ReadRow[] {
  return rows.map((row) => ({ ...row, lists: readLists(row, problems) }));
}

function readLists({ at, input }: LicenseRow, problems: BulkProblems): WantedList[] {
  if (input.whitelists == null) return [];
  try {
    return readWhitelists(input.whitelists);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    for (const problem of error.problems) problems.add(at + problem.pointer, problem.detail, problem.code);
    return [];
  }
}

export function referredNames(rows: readonly ReadRow[]): ReferredNames {
  return {
    product: new Set(rows.flatMap(({ input }) => input.product ?? [])),
    customer: new Set(rows.flatMap(({ input }) => input.customer ?? [])),
    userId: new Set(rows.flatMap(({ input }) => input.userId ?? [])),
    addons: new Set(rows.flatMap(({ input }) => input.addons ?? [])),
    whitelists: new Set(rows.flatMap(({ lists }) => lists.map(({ name }) => name))),
  };
}

interface PlanOptions {
  readonly problems: BulkProblems;
  readonly newKey: () => string;
  /** How the caller spells an input field, such as `userId`. */
  readonly spell: (field: string) => string;
}

/** Resolves names and generates keys. Reports names that don't exist, and keys that come twice. */
export function planRows(
  rows: readonly ReadRow[],
  references: References,
  { problems, newKey, spell }: PlanOptions,
): LicensePlan[] {
  const first = new Map<string, string>();
  return rows.map((row) => {
    const { at, input } = row;
    const key = input.key ?? newKey();
    const plan = {
      ...{ at, key, lookup: lookupOf(key), isKeyGiven: input.key != null },
      sent: sentOf(row, references, (field, detail) => {
        problems.add(at + pointer(spell(field)), `${spell(field)} ${detail}`);
      }),
      whitelists: row.lists.flatMap((list) => planned(row, list, references, problems)),
    };
    const twin = first.get(plan.lookup);
    if (twin === undefined) first.set(plan.lookup, at);
    else if (plan.isKeyGiven)
      problems.add(`${at}/key`, `The key ${maskKey(key)} is that of ${twin} already`, 'ALREADY_EXISTS');
    return plan;
  });
}

function sentOf(
  { input }: ReadRow,
  references: References,
  report: (field: string, detail: string) => void,
): Partial<LicenseState> {
  const find = (field: 'product' | 'customer' | 'userId', name: string | null) => {
    if (name === null) return null;
    const found = references[field].get(name);
    if (!found) report(field, `names no existing ${KINDS[field]}: ${JSON.stringify(name)}`);
    return found ?? null;
  };
  const { product, customer, userId, status, expiresAt, seats, note, addons } = input;
  if (seats != null && !isSeats(seats)) report('seats', `${allowedSeats}; got ${seats}`);
  const missing = addons?.filter((name) => !references.addons.has(name)) ?? [];
  if (missing.length > 0) report('addons', `names no existing addon: ${missing.map(show).join(', ')}`);
  return {
    ...(product !== undefined && { product: find('product', product) }),
    ...(customer !== undefined && { customer: find('customer', customer) }),
    ...(userId !== undefined && { user: find('userId', userId) }),
    ...(status != null && { status }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(seats != null && { seats }),
    ...(note !== undefined && { note }),
    ...(addons != null && {
      addons: byName([...new Set(addons)].flatMap((name) => references.addons.get(name) ?? [])),
    }),
  };
}

const KINDS = { product: 'product', customer: 'customer', userId: 'user' } as const;

/** In an order that doesn't depend on who sorts: two lists that hold the same are then equal. */
export function byName(records: readonly Named[]): Named[] {
  return records.toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
}

function planned(
  { at }: ReadRow,
  wanted: WantedList,
  { whitelists }: References,
  problems: BulkProblems,
): PlannedList[] {
  const found: ReturnType<typeof listProblem>[] = [];
  const whitelist = whitelists.get(wanted.name);
  if (!whitelist) found.push(listProblem([wanted.name], 'names no existing whitelist'));
  const plan = whitelist && planList(wanted, whitelist, undefined, found);
  for (const problem of found) problems.add(at + problem.pointer, problem.detail, problem.code);
  if (!whitelist || !plan) return [];
  const { values, ownLimit } = plan;
  const list = { whitelistId: whitelist.id, name: wanted.name, values, ownLimit };
  // A list of which a license says nothing is none of its own.
  if (values.length === 0 && ownLimit === null) return [];
  return [{ ...list, limit: ownLimit ?? whitelist.limit }];
}

/** A license's state as the activity log compares it. */
export function stateView(state: LicenseState): Record<string, unknown> {
  return {
    product: state.product?.name ?? null,
    customer: state.customer?.name ?? null,
    user_id: state.user?.name ?? null,
    status: state.status,
    expires_at: state.expiresAt,
    seats: state.seats,
    note: state.note,
    addons: state.addons.map(({ name }) => name),
  };
}

/** A new license as the activity log shows it. */
export function planView({ key, sent, whitelists }: LicensePlan): Record<string, unknown> {
  const lists = whitelists.map(({ name, values, limit }) => [name, { values, limit }] as const);
  return {
    key: maskKey(key),
    ...stateView({ ...NEW_LICENSE, ...sent }),
    // Not by assignment: a list may be called __proto__.
    whitelists: Object.fromEntries(lists),
  };
}
