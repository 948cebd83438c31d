import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../../platform/context.js';
import { invalidFields } from '../../../platform/errors.js';
import type { FieldProblem } from '../../../platform/errors.js';
import { whitelistsByName } from '../../whitelists/whitelist.repository.js';
import {
  appendValues,
  removeValues,
  storeOwnLimit,
  whitelistEntriesOf,
} from './license-whitelist.repository.js';
import type { LicenseWhitelistEntry } from './license-whitelist.repository.js';
import { listProblem, planList, readWhitelists } from './license-whitelist.rules.js';
import type { ListPlan } from './license-whitelist.rules.js';

/**
 * Makes the license hold exactly these lists: `{name: {values?, limit?}}`. Throws with every problem: names that don't
 * exist, values that the list can't hold or has no room for. The caller has locked the license.
 */
export async function replaceLicenseWhitelists(
  em: EntityManager,
  ctx: ActionContext,
  licenseId: number,
  whitelists: Readonly<Record<string, unknown>>,
): Promise<void> {
  const wanted = readWhitelists(whitelists);
  const known = await whitelistsByName(
    em,
    wanted.map(({ name }) => name),
  );
  const entries = (await whitelistEntriesOf(em, [licenseId])).get(licenseId) ?? [];
  const current = new Map(entries.map((entry) => [entry.whitelistId, entry]));
  const problems: FieldProblem[] = [];
  const plans = new Map<number, ListPlan>();
  for (const list of wanted) {
    const whitelist = known.get(list.name);
    if (whitelist) plans.set(whitelist.id, planList(list, whitelist, current.get(whitelist.id), problems));
    else problems.push(listProblem([list.name], 'names no existing whitelist'));
  }
  const [first, ...others] = problems;
  if (first) throw invalidFields([first, ...others]);
  for (const whitelistId of new Set([...current.keys(), ...plans.keys()])) {
    const plan = plans.get(whitelistId) ?? { whitelistId, values: [], ownLimit: null };
    await apply(em, ctx, licenseId, plan, current.get(whitelistId));
  }
}

async function apply(
  em: EntityManager,
  ctx: ActionContext,
  licenseId: number,
  { whitelistId, values, ownLimit }: ListPlan,
  entry: LicenseWhitelistEntry | undefined,
): Promise<void> {
  const list = { licenseId, whitelistId };
  const before = entry?.values ?? [];
  const gone = before.filter((value) => !values.includes(value));
  const added = values.filter((value) => !before.includes(value));
  if (gone.length > 0) await removeValues(em, list, gone);
  if (added.length > 0) await appendValues(em, list, added, ctx.clock.now());
  if (ownLimit !== (entry?.ownLimit ?? null)) await storeOwnLimit(em, list, ownLimit);
}
