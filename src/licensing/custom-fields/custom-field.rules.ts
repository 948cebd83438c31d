import { pointer, show } from '../../platform/errors.js';
import type { FieldProblem } from '../../platform/errors.js';
import type { CustomFieldType } from './custom-field.entity.js';

/** What a definition says about its values. */
export interface FieldDefinition {
  readonly name: string;
  readonly type: CustomFieldType;
  readonly required: boolean;
  readonly defaultValue?: unknown;
  readonly options?: readonly string[] | null | undefined;
}

export type CustomValues = Readonly<Record<string, unknown>>;

export const CUSTOM_FIELD_NAME = /^[a-z][a-z0-9_]{0,39}$/;
export const CUSTOM_FIELDS_MAX = 64;

/** Members that records and requests have already, or will have. A custom field must not hide one. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  ...['id', 'name', 'new_name', 'force', 'addons', 'whitelists', 'session_ttl', 'custom', 'limit', 'cursor'],
  ...['created_at', 'updated_at', 'product', 'customer', 'addon', 'license', 'constructor', 'prototype'],
]);

const ISO_DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/;
const TEXT_MAX = 4096;

/** What is allowed for a value of a type, in words; undefined when the value is good. */
export function valueProblem(
  definition: Pick<FieldDefinition, 'type' | 'options'>,
  value: unknown,
): string | undefined {
  const isText = typeof value === 'string' && value.length <= TEXT_MAX;
  switch (definition.type) {
    case 'string':
      return isText ? undefined : `a string of at most ${TEXT_MAX} characters`;
    case 'number':
      // JSON's 1e999 is read as Infinity, which JSON can't hold.
      return Number.isFinite(value) ? undefined : 'a number';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false';
    case 'date':
      return isText && isDate(value) ? undefined : 'an ISO 8601 date or date-time, such as "2027-01-31"';
    case 'url':
      return isText && URL.canParse(value) && /^https?:/i.test(value) ? undefined : 'an http or https URL';
    case 'email':
      return isText && EMAIL.test(value) ? undefined : 'an e-mail address';
    case 'enum':
      return (definition.options ?? []).includes(value as string)
        ? undefined
        : `one of ${(definition.options ?? []).join(', ')}`;
    case 'json':
      return undefined;
  }
}

/** Date.parse rolls 31 February over into March; such a day is none. */
function isDate(text: string): boolean {
  if (!ISO_DATE.test(text) || Number.isNaN(Date.parse(text))) return false;
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/**
 * The values a record ends up with: `current`, overridden by what was `given`; `null` takes a value away; defaults
 * fill a new record. Every problem is reported, each with its pointer.
 */
export function mergeCustomValues(
  definitions: readonly FieldDefinition[],
  given: CustomValues,
  current: CustomValues | undefined,
): { readonly values: CustomValues; readonly problems: readonly FieldProblem[] } {
  const known = new Map(definitions.map((definition) => [definition.name, definition]));
  const problems: FieldProblem[] = [];
  const values = new Map(Object.entries(current ?? {}).filter(([name]) => known.has(name)));
  for (const [name, value] of Object.entries(given)) {
    const definition = known.get(name);
    if (!definition) {
      problems.push({
        pointer: pointer(name),
        code: 'UNKNOWN_FIELD',
        detail: `${name} is not a known field`,
      });
    } else if (value === null) {
      values.delete(name);
    } else {
      const allowed = valueProblem(definition, value);
      if (allowed === undefined) values.set(name, value);
      else problems.push(invalid(name, `must be ${allowed}; got ${show(value)}`));
    }
  }
  for (const { name, required, defaultValue } of definitions) {
    if (current === undefined && !values.has(name) && !Object.hasOwn(given, name) && defaultValue != null) {
      values.set(name, defaultValue);
    }
    const isGivenBadly = problems.some((problem) => problem.pointer === pointer(name));
    if (required && !values.has(name) && !isGivenBadly) problems.push(invalid(name, 'is required'));
  }
  return { values: Object.fromEntries(values), problems };
}

/** A record's values as they are shown: every defined field, `null` where there is none. */
export function shownCustomValues(
  definitions: readonly FieldDefinition[],
  stored: CustomValues,
): CustomValues {
  return Object.fromEntries(
    definitions.map(({ name }) => [name, Object.hasOwn(stored, name) ? stored[name] : null]),
  );
}

function invalid(name: string, allowed: string): FieldProblem {
  return { pointer: pointer(name), code: 'INVALID_FIELD', detail: `${name} ${allowed}` };
}
