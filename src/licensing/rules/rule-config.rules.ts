import { Ajv } from 'ajv';
import type { ErrorObject, ValidateFunction } from 'ajv';
import semver from 'semver';
import { pointer, show } from '../../platform/errors.js';
import type { FieldProblem } from '../../platform/errors.js';
import { parseNetwork } from './network-list.rules.js';
import type { RuleType } from './rule.entity.js';
import { PATTERN_LENGTH_MAX, PatternError, compilePattern } from './rule-pattern.rules.js';

/** What `{}` creates: a rule that every version passes, and a missing one too. */
export const INERT_CONFIG = { range: '*', on_missing: 'allow' } as const;

const LIST_MAX = 1000;
const TOKEN = "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$";
const INSTANT = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2})$';

const text = (max: number) => ({
  type: 'string',
  maxLength: max,
  description: `a string of at most ${max} characters`,
});
const list = (items: { description: string }) => ({
  type: 'array',
  maxItems: LIST_MAX,
  items,
  description: `a list of at most ${LIST_MAX}, each ${items.description}`,
});
const headerName = { type: 'string', pattern: TOKEN, description: 'the name of a request header' };
const instant = {
  type: 'string',
  pattern: INSTANT,
  description: 'an ISO 8601 date-time with a time zone, such as "2027-01-31T12:00:00Z"',
};
const pattern = {
  type: 'string',
  minLength: 1,
  maxLength: PATTERN_LENGTH_MAX,
  description: `a pattern of 1–${PATTERN_LENGTH_MAX} characters`,
};

/** Each `description` goes on from "must be". */
const SCHEMAS = {
  version: {
    properties: {
      range: { ...text(255), minLength: 1, description: 'a semver range, such as ">=1.2.0 <3"' },
      on_missing: { enum: ['deny', 'allow'], description: 'deny or allow' },
    },
    required: ['range'],
  },
  ip: {
    properties: {
      cidrs: list({
        type: 'string',
        description: 'an IP address or CIDR, such as "203.0.113.0/24"',
      } as { description: string }),
    },
    required: ['cidrs'],
  },
  country: {
    properties: {
      countries: list({
        type: 'string',
        pattern: '^[A-Za-z][A-Za-z0-9]$',
        description: 'a country code of two characters, such as "DE"',
      } as { description: string }),
      header: headerName,
    },
    required: ['countries'],
  },
  header: {
    properties: { name: headerName, equals: text(4096), in: list(text(4096)), pattern },
    required: ['name'],
  },
  agent: { properties: { pattern }, required: ['pattern'] },
  time: { properties: { from: instant, until: instant }, required: [] as string[] },
} as const;

const ajv = new Ajv({ allErrors: true, verbose: true, ownProperties: true });
const validators = Object.fromEntries(
  Object.entries(SCHEMAS).map(([type, schema]) => [
    type,
    ajv.compile({ type: 'object', additionalProperties: false, ...schema }),
  ]),
) as Readonly<Record<RuleType, ValidateFunction>>;

/** Everything that is wrong with a rule's `config`, with pointers from `/config` on; empty when it is good. */
export function configProblems(type: RuleType, config: Record<string, unknown>): FieldProblem[] {
  const validate = validators[type];
  if (validate(config)) return meaningProblems(type, config);
  return (validate.errors ?? []).map((error) => schemaProblem(type, error));
}

function schemaProblem(type: RuleType, error: ErrorObject): FieldProblem {
  const path = error.instancePath.split('/').slice(1);
  if (error.keyword === 'additionalProperties') {
    const name = String(error.params['additionalProperty']);
    const allowed = Object.keys(SCHEMAS[type].properties).join(', ');
    const detail = `config.${name} is not a known field of type ${type}; allowed: ${allowed}`;
    return { pointer: pointer('config', name), code: 'UNKNOWN_FIELD', detail };
  }
  if (error.keyword === 'required') {
    return problem([String(error.params['missingProperty'])], `is required for type ${type}`);
  }
  const { description = 'valid' } = error.parentSchema as { description?: string };
  return problem(path, `must be ${description}; got ${show(error.data)}`);
}

/** What a JSON Schema can't tell: the shape is good, but does it mean something? */
function meaningProblems(type: RuleType, config: Record<string, unknown>): FieldProblem[] {
  switch (type) {
    case 'version':
      return semver.validRange(config['range'] as string) === null
        ? [
            problem(
              ['range'],
              `must be ${SCHEMAS.version.properties.range.description}; got ${show(config['range'])}`,
            ),
          ]
        : [];
    case 'ip':
      return (config['cidrs'] as string[]).flatMap((cidr, index) =>
        parseNetwork(cidr)
          ? []
          : [
              problem(
                ['cidrs', index],
                `must be an IP address or CIDR, such as "203.0.113.0/24"; got ${show(cidr)}`,
              ),
            ],
      );
    case 'header':
      return headerProblems(config);
    case 'agent':
      return patternProblems(config['pattern'] as string);
    case 'time':
      return timeProblems(config);
    case 'country':
      return [];
  }
}

const TESTS = ['equals', 'in', 'pattern'] as const;

function headerProblems(config: Record<string, unknown>): FieldProblem[] {
  const given = TESTS.filter((test) => Object.hasOwn(config, test));
  if (given.length !== 1) {
    return [
      problem([], `must have exactly one of ${TESTS.join(', ')}; got ${given.join(' and ') || 'none'}`),
    ];
  }
  return given[0] === 'pattern' ? patternProblems(config['pattern'] as string) : [];
}

function patternProblems(source: string): FieldProblem[] {
  try {
    compilePattern(source);
    return [];
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return [problem(['pattern'], `must be an RE2 pattern; got ${show(source)}: ${error.message}`)];
  }
}

function timeProblems({ from, until }: { from?: string; until?: string }): FieldProblem[] {
  if (from === undefined && until === undefined)
    return [problem([], 'must have from, until or both; got neither')];
  const bad = Object.entries({ from, until }).flatMap(([name, value]) =>
    value === undefined || isInstant(value)
      ? []
      : [problem([name], `must be ${instant.description}; got ${show(value)}`)],
  );
  if (bad.length > 0 || from === undefined || until === undefined) return bad;
  return Date.parse(from) < Date.parse(until)
    ? []
    : [problem(['until'], `must be after from, ${show(from)}; got ${show(until)}`)];
}

/** Date.parse rolls 31 February over into March; such a day is none. */
function isInstant(value: string): boolean {
  const [year = 0, month = 0, day = 0] = value.slice(0, 10).split('-').map(Number);
  return !Number.isNaN(Date.parse(value)) && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function problem(path: readonly (string | number)[], allowed: string): FieldProblem {
  const full = ['config', ...path];
  return { pointer: pointer(...full), code: 'INVALID_FIELD', detail: `${full.join('.')} ${allowed}` };
}
