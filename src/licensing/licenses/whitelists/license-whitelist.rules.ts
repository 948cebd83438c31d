import { invalidFields, pointer, show } from '../../../platform/errors.js';
import type { FieldProblem } from '../../../platform/errors.js';
import type { WhitelistFacts } from '../../whitelists/whitelist.repository.js';
import {
  allowedLimits,
  allowedValues,
  isLimit,
  normaliseValue,
  valuesMax,
} from '../../whitelists/whitelist.rules.js';
import type { LicenseWhitelistEntry } from './license-whitelist.repository.js';

/** What a license's `whitelists` member says about one list. Absent `values` are none. */
export interface WantedList {
  readonly name: string;
  readonly values: readonly string[];
  /** Undefined or null: the definition's. */
  readonly limit: number | null | undefined;
}

const MEMBERS: ReadonlySet<string> = new Set(['values', 'limit']);

/** A problem with `whitelists.<name>`, or a member of it. */
export function listProblem(path: readonly [string, ...string[]], detail: string): FieldProblem {
  const code = 'INVALID_FIELD';
  return {
    pointer: pointer('whitelists', ...path),
    code,
    detail: `${['whitelists', ...path].join('.')} ${detail}`,
  };
}

/** Reads `{name: {values?, limit?}}`; throws with every problem of its shape. */
export function readWhitelists(whitelists: Readonly<Record<string, unknown>>): WantedList[] {
  const problems: FieldProblem[] = [];
  const wanted = Object.entries(whitelists).map(([name, entry]) => readList(name, entry, problems));
  const [first, ...others] = problems;
  if (first) throw invalidFields([first, ...others]);
  return wanted;
}

function readList(name: string, entry: unknown, problems: FieldProblem[]): WantedList {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    problems.push(listProblem([name], `must be an object of values and limit; got ${show(entry)}`));
    return { name, values: [], limit: undefined };
  }
  for (const member of Object.keys(entry).filter((key) => !MEMBERS.has(key))) {
    const problem = listProblem([name, member], 'is not a known field');
    problems.push({ ...problem, code: 'UNKNOWN_FIELD' });
  }
  const { values = [], limit } = entry as { values?: unknown; limit?: unknown };
  const isTexts = Array.isArray(values) && values.every((value) => typeof value === 'string');
  if (!isTexts)
    problems.push(listProblem([name, 'values'], `must be an array of strings; got ${show(values)}`));
  const isNumber = limit == null || typeof limit === 'number';
  if (!isNumber) problems.push(listProblem([name, 'limit'], `must be a whole number; got ${show(limit)}`));
  return { name, values: isTexts ? values : [], limit: isNumber ? limit : undefined };
}

/** What a list is to become. */
export interface ListPlan {
  readonly whitelistId: number;
  readonly values: readonly string[];
  readonly ownLimit: number | null;
}

/** What the wanted list comes to, in place of the `entry` that the license has; reports what the list can't hold. */
export function planList(
  { name, values, limit }: WantedList,
  whitelist: WhitelistFacts,
  entry: LicenseWhitelistEntry | undefined,
  problems: FieldProblem[],
): ListPlan {
  const report = (member: string, detail: string) => problems.push(listProblem([name, member], detail));
  if (limit != null && !isLimit(limit)) report('limit', `${allowedLimits}; got ${show(limit)}`);
  const normal = new Set<string>();
  for (const value of values) {
    const stored = normaliseValue(whitelist.type, value);
    if (stored === undefined) report('values', `${allowedValues(whitelist.type)}; got ${show(value)}`);
    else normal.add(stored);
  }
  const effective = limit ?? whitelist.limit;
  const isGrowing = [...normal].some((value) => !entry?.values.includes(value));
  // A list that was over its limit when it was read may be sent back as it is.
  if (isGrowing && normal.size > valuesMax(effective)) {
    report(
      'values',
      `must be at most ${valuesMax(effective)} for a limit of ${effective}; got ${normal.size}`,
    );
  }
  return { whitelistId: whitelist.id, values: [...normal], ownLimit: ownLimitOf(limit, whitelist, entry) };
}

/** A license shows the definition's limit too. Sent back as it was read, that must not become one of its own. */
function ownLimitOf(
  limit: number | null | undefined,
  whitelist: WhitelistFacts,
  entry: LicenseWhitelistEntry | undefined,
): number | null {
  if (limit == null) return null;
  if (limit === entry?.ownLimit) return limit;
  return limit === whitelist.limit ? null : limit;
}
