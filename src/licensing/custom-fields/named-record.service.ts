import { LockMode } from '@mikro-orm/core';
import type { EntityClass, EntityManager, FilterQuery, RequiredEntityData } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { flushUnique } from '../../platform/db/flush-unique.js';
import { AlreadyExists, InvalidField, NotFound } from '../../platform/errors.js';
import type { Changes } from '../../platform/events/emit.js';
import { resolveCustomValues } from './custom-field.service.js';
import type { CustomValues } from './custom-field.rules.js';
import type { RecordKind } from './named-record.entity.js';

/** What products, customers and addons have in common. */
export interface NamedRecord {
  id: number;
  name: string;
  custom: CustomValues;
  createdAt: Date;
  updatedAt: Date;
}

/** A kind of named record: what it is called in errors and events, and its entity. */
export interface NamedKind<T extends NamedRecord> {
  readonly kind: RecordKind;
  readonly entity: EntityClass<T>;
}

export interface NamedInput {
  readonly name: string;
  readonly custom?: CustomValues | null;
}

export interface NamedChange {
  readonly newName?: string | null;
  readonly custom?: CustomValues | null;
}

/** Inserts the record with its custom values; its name must be free (409). */
export async function createNamed<T extends NamedRecord>(
  em: EntityManager,
  ctx: ActionContext,
  { kind, entity }: NamedKind<T>,
  input: NamedInput,
  extra: Partial<T> = {},
): Promise<T> {
  const custom = await resolveCustomValues(em, kind, input.custom ?? {});
  const now = ctx.clock.now();
  const data = { name: input.name, custom, createdAt: now, updatedAt: now, ...extra };
  const record = em.create(entity, data as unknown as RequiredEntityData<T>);
  em.persist(record);
  await flushUnique(em, () => new AlreadyExists(kind, input.name));
  return record;
}

/** Finds the record by its name and locks it, so that two changes at once don't undo each other. */
export async function findNamedForUpdate<T extends NamedRecord>(
  em: EntityManager,
  { kind, entity }: NamedKind<T>,
  name: string,
): Promise<T> {
  const where = { name } as FilterQuery<T>;
  const record = await em.findOne<T>(entity, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!record) throw new NotFound(kind, name);
  return record;
}

/** Applies what was sent; references follow a rename, since they are by id. */
export async function changeNamed<T extends NamedRecord>(
  em: EntityManager,
  { kind }: NamedKind<T>,
  record: T,
  change: NamedChange,
): Promise<void> {
  if (change.custom && Object.keys(change.custom).length > 0) {
    record.custom = await resolveCustomValues(em, kind, change.custom, record.custom);
  }
  const { newName } = change;
  if (newName != null) record.name = newName;
  await flushUnique(em, () => new AlreadyExists(kind, newName ?? record.name));
}

/** Dates the record's change, if it is one: what was sent may be what is there already. */
export async function isUpdated(
  em: EntityManager,
  ctx: ActionContext,
  record: { updatedAt: Date },
  changes: Changes,
): Promise<boolean> {
  if (Object.keys(changes).length === 0) return false;
  record.updatedAt = ctx.clock.now();
  await em.flush();
  return true;
}

/** The ids behind names, in no order; names that don't exist are a 422 that lists them. */
export async function idsByName<T extends NamedRecord>(
  em: EntityManager,
  { kind, entity }: NamedKind<T>,
  names: readonly string[],
  field: string,
): Promise<number[]> {
  const wanted = [...new Set(names)];
  if (wanted.length === 0) return [];
  const where = { name: { $in: wanted } } as unknown as FilterQuery<T>;
  const found = (await em.find<T>(entity, where)) as T[];
  const missing = wanted.filter((name) => !found.some((record) => record.name === name));
  if (missing.length > 0) {
    const list = missing.map((name) => JSON.stringify(name)).join(', ');
    throw new InvalidField(field, `names no existing ${kind}: ${list}`);
  }
  return found.map((record) => record.id);
}

/** The part of a record that the activity log compares. */
export function namedView(record: NamedRecord): Record<string, unknown> {
  return { ...record.custom, name: record.name };
}
