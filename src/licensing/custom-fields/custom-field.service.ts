import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ActionContext } from '../../platform/context.js';
import {
  AlreadyExists,
  InvalidField,
  NotFound,
  failure,
  invalidFields,
  show,
} from '../../platform/errors.js';
import { diff } from '../../platform/events/emit.js';
import type { EventData } from '../../platform/events/emit.js';
import { flushUnique } from '../../platform/db/flush-unique.js';
import { emit } from '../events.js';
import { CustomField } from './custom-field.entity.js';
import type { CustomFieldType } from './custom-field.entity.js';
import {
  CUSTOM_FIELDS_MAX,
  CUSTOM_FIELD_NAME,
  RESERVED_NAMES,
  mergeCustomValues,
  valueProblem,
} from './custom-field.rules.js';
import type { CustomValues } from './custom-field.rules.js';
import type { RecordKind } from './named-record.entity.js';

export interface CustomFieldInput {
  readonly record: RecordKind;
  readonly name: string;
  readonly type: CustomFieldType;
  readonly required?: boolean | null;
  readonly defaultValue?: unknown;
  readonly options?: string[] | null;
}

export interface CustomFieldChange {
  readonly required?: boolean | null;
  readonly defaultValue?: unknown;
  readonly options?: string[] | null;
}

/** The definitions for one kind of record, by name. */
export async function listCustomFields(em: EntityManager, record: RecordKind): Promise<CustomField[]> {
  return em.find(CustomField, { record }, { orderBy: { name: 'asc' } });
}

/** The custom values for a new (`current` undefined) or a changed record. Throws with every problem. */
export async function resolveCustomValues(
  em: EntityManager,
  record: RecordKind,
  given: CustomValues,
  current?: CustomValues,
): Promise<CustomValues> {
  const { values, problems } = mergeCustomValues(await listCustomFields(em, record), given, current);
  const [first, ...others] = problems;
  if (first) throw invalidFields([first, ...others]);
  return values;
}

export async function defineCustomField(
  em: EntityManager,
  ctx: ActionContext,
  input: CustomFieldInput,
): Promise<CustomField> {
  if (!CUSTOM_FIELD_NAME.test(input.name)) {
    throw new InvalidField('name', `must match ${CUSTOM_FIELD_NAME.source}; got ${show(input.name)}`);
  }
  if (RESERVED_NAMES.has(input.name)) throw new InvalidField('name', `${show(input.name)} is reserved`);
  checkOptions(input.type, input.options);
  checkDefault(input.type, input.options, input.defaultValue);
  // Two definitions at once would both find room for the last one.
  await sql`select pg_advisory_xact_lock(hashtext(${`custom_field.${input.record}`}))`.execute(
    em.getKysely(),
  );
  if ((await em.count(CustomField, { record: input.record })) >= CUSTOM_FIELDS_MAX) {
    throw failure('LIMIT_REACHED', `A ${input.record} has ${CUSTOM_FIELDS_MAX} custom fields already`);
  }
  const now = ctx.clock.now();
  const field = em.create(CustomField, {
    record: input.record,
    name: input.name,
    type: input.type,
    required: input.required ?? false,
    defaultValue: input.defaultValue ?? null,
    options: input.options ?? null,
    createdAt: now,
    updatedAt: now,
  });
  em.persist(field);
  await flushUnique(em, () => new AlreadyExists('custom field', input.name));
  await emit(em, ctx, 'custom_field.created', { resource: refOf(field), data: dataOf(field) });
  return field;
}

/** Values that were stored before stay as they are; the new rules hold for what is written from now on. */
export async function updateCustomField(
  em: EntityManager,
  ctx: ActionContext,
  record: RecordKind,
  name: string,
  change: CustomFieldChange,
): Promise<CustomField> {
  const field = await findCustomField(em, record, name);
  const before = viewOf(field);
  if (change.required != null) field.required = change.required;
  if (change.options !== undefined) field.options = change.options;
  if (change.defaultValue !== undefined) field.defaultValue = change.defaultValue;
  checkOptions(field.type, field.options);
  checkDefault(field.type, field.options, field.defaultValue);
  field.updatedAt = ctx.clock.now();
  await em.flush();
  await emit(em, ctx, 'custom_field.updated', {
    resource: refOf(field),
    changes: diff(before, viewOf(field)),
    data: dataOf(field),
  });
  return field;
}

/** The values stay in the records, unseen, and come back if a field of this name is defined again. */
export async function deleteCustomField(
  em: EntityManager,
  ctx: ActionContext,
  record: RecordKind,
  name: string,
): Promise<void> {
  const field = await findCustomField(em, record, name);
  await emit(em, ctx, 'custom_field.deleted', { resource: refOf(field), data: dataOf(field) });
  em.remove(field);
  await em.flush();
}

async function findCustomField(em: EntityManager, record: RecordKind, name: string): Promise<CustomField> {
  const field = await em.findOne(CustomField, { record, name });
  if (!field) throw new NotFound('custom field', `${record}.${name}`);
  return field;
}

function checkOptions(type: CustomFieldType, options: readonly string[] | null | undefined): void {
  const isEnum = type === 'enum';
  if (isEnum !== (options != null && options.length > 0)) {
    throw new InvalidField(
      'options',
      isEnum ? 'must list the allowed values of an enum' : `are only for enums`,
    );
  }
}

function checkDefault(
  type: CustomFieldType,
  options: readonly string[] | null | undefined,
  value: unknown,
): void {
  if (value == null) return;
  const allowed = valueProblem({ type, options: options ?? null }, value);
  if (allowed !== undefined) throw new InvalidField('defaultValue', `must be ${allowed}; got ${show(value)}`);
}

function viewOf(field: CustomField) {
  return { required: field.required, default_value: field.defaultValue, options: field.options };
}

function dataOf(field: CustomField): EventData {
  const { id, record, name, type, createdAt, updatedAt } = field;
  return { id, record, name, type, ...viewOf(field), createdAt, updatedAt };
}

function refOf(field: CustomField) {
  return { type: 'custom_field', id: `${field.record}.${field.name}` };
}
