import semver from 'semver';
import { networkList } from './network-list.rules.js';
import type { RuleAction, RuleType } from './rule.entity.js';
import { compilePattern } from './rule-pattern.rules.js';

/** A rule as it is stored; its `config` has been checked by `configProblems`. */
export interface RuleFacts {
  readonly id: number;
  readonly name: string;
  readonly type: RuleType;
  readonly action: RuleAction;
  readonly config: Record<string, unknown>;
  /** Replaces the code's own sentence; null: none. */
  readonly message: string | null;
}

/** What a rule may look at. */
export interface RuleRequest {
  readonly version?: string | null | undefined;
  readonly ip: string;
  readonly agent: string;
  header(name: string): string | undefined;
}

export interface CompiledRule extends RuleFacts {
  /** `missing`: the request tells no version, and the rule asks for one. */
  matches(request: RuleRequest, now: Date): boolean | 'missing';
}

export interface RulesOutcome {
  readonly code: 'RULE_DENIED' | 'VERSION_REQUIRED' | 'VERSION_DENIED' | undefined;
  /** The message of the rule that decided; null: it has none. */
  readonly message: string | null;
  /** What matching `warn` rules say, in the order of their ids. */
  readonly warnings: readonly string[];
}

/** Parses what a rule's config says, once; throws only for a config that was never checked. */
export function compileRule(facts: RuleFacts): CompiledRule {
  return { ...facts, matches: matcherOf(facts) };
}

/** The documented order. Whichever rule stands first in the list, the same code comes out. */
const CODES = ['RULE_DENIED', 'VERSION_REQUIRED', 'VERSION_DENIED'] as const;

const NO_RULES: RulesOutcome = { code: undefined, message: null, warnings: [] };

/** `deny` beats `allow`; of each type with `allow` rules one must match; `warn` never refuses. Pure. */
export function judgeRules(rules: readonly CompiledRule[], request: RuleRequest, now: Date): RulesOutcome {
  if (rules.length === 0) return NO_RULES;
  const results = rules
    .map((rule) => ({ rule, matched: rule.matches(request, now) }))
    .sort((a, b) => a.rule.id - b.rule.id);
  const warnings = results
    .filter(({ rule, matched }) => rule.action === 'warn' && matched !== false)
    .map(({ rule }) => rule.message ?? `The rule "${rule.name}" warns about this request.`);
  const objections = [...denials(results), ...unmetAllows(results)];
  for (const code of CODES) {
    const objection = objections.find((each) => each.code === code);
    if (objection) return { code, message: objection.message, warnings };
  }
  return { code: undefined, message: null, warnings };
}

interface Result {
  readonly rule: CompiledRule;
  readonly matched: boolean | 'missing';
}

interface Objection {
  readonly code: NonNullable<RulesOutcome['code']>;
  readonly message: string | null;
}

function denials(results: readonly Result[]): Objection[] {
  return results
    .filter(({ rule, matched }) => rule.action === 'deny' && matched !== false)
    .map(({ rule, matched }) => ({
      code: codeOf(rule.type, { isMissing: matched === 'missing' }),
      message: rule.message,
    }));
}

function unmetAllows(results: readonly Result[]): Objection[] {
  const byType = Map.groupBy(
    results.filter(({ rule }) => rule.action === 'allow'),
    ({ rule }) => rule.type,
  );
  return [...byType]
    .filter(([, group]) => !group.some(({ matched }) => matched === true))
    .map(([type, group]) => ({
      code: codeOf(type, { isMissing: group.some(({ matched }) => matched === 'missing') }),
      message: group.find(({ rule }) => rule.message !== null)?.rule.message ?? null,
    }));
}

function codeOf(type: RuleType, { isMissing }: { readonly isMissing: boolean }): Objection['code'] {
  if (type !== 'version') return 'RULE_DENIED';
  return isMissing ? 'VERSION_REQUIRED' : 'VERSION_DENIED';
}

type Matcher = CompiledRule['matches'];

function matcherOf({ type, action, config }: RuleFacts): Matcher {
  switch (type) {
    case 'version':
      return versionMatcher(action, config as unknown as VersionConfig);
    case 'ip': {
      const networks = networkList((config as { cidrs: string[] }).cidrs);
      return ({ ip }) => networks.has(ip);
    }
    case 'country':
      return countryMatcher(config as unknown as CountryConfig);
    case 'header':
      return headerMatcher(config as unknown as HeaderConfig);
    case 'agent': {
      const pattern = compilePattern((config as { pattern: string }).pattern);
      return ({ agent }) => pattern.test(agent);
    }
    case 'time':
      return timeMatcher(config);
  }
}

interface VersionConfig {
  readonly range: string;
  readonly on_missing?: 'deny' | 'allow';
}

function versionMatcher(action: RuleAction, { range, on_missing = 'deny' }: VersionConfig): Matcher {
  // Without prereleases 2.0.0-beta would be in no range at all, not even in >=1.
  const compiled = new semver.Range(range, { includePrerelease: true });
  return ({ version }) => {
    if (version == null || version.trim() === '') {
      if (on_missing === 'deny') return 'missing';
      // Let it pass: as an allow rule does by matching, and the others by not matching.
      return action === 'allow';
    }
    const read = readVersion(version);
    // What nobody can read passes no allow rule, and slips by no deny rule.
    return read === null ? action !== 'allow' : compiled.test(read);
  };
}

/** `1.2` is meant as 1.2.0. More is not guessed: coercing anything would find a version in any text with a digit. */
function readVersion(text: string): semver.SemVer | null {
  const trimmed = text.trim();
  return (
    semver.parse(trimmed, { loose: true }) ??
    (/^v?\d+(\.\d+)?$/i.test(trimmed) ? semver.coerce(trimmed) : null)
  );
}

interface CountryConfig {
  readonly countries: readonly string[];
  readonly header?: string;
}

const COUNTRY_HEADER = 'cf-ipcountry';

function countryMatcher({ countries, header = COUNTRY_HEADER }: CountryConfig): Matcher {
  const codes = new Set(countries.map((country) => country.toUpperCase()));
  return (request) => {
    const country = request.header(header);
    return country !== undefined && codes.has(country.trim().toUpperCase());
  };
}

interface HeaderConfig {
  readonly name: string;
  readonly equals?: string;
  readonly in?: readonly string[];
  readonly pattern?: string;
}

function headerMatcher({ name, equals, in: oneOf, pattern }: HeaderConfig): Matcher {
  const compiled = pattern === undefined ? undefined : compilePattern(pattern);
  const values = new Set(equals === undefined ? (oneOf ?? []) : [equals]);
  return (request) => {
    const value = request.header(name);
    if (value === undefined) return false;
    return compiled ? compiled.test(value) : values.has(value);
  };
}

function timeMatcher({ from, until }: { from?: string; until?: string }): Matcher {
  const start = from === undefined ? -Infinity : Date.parse(from);
  const end = until === undefined ? Infinity : Date.parse(until);
  return (_request, now) => start <= now.getTime() && now.getTime() < end;
}
