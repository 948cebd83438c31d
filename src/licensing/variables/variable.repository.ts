import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { findPage } from '../../platform/db/page.js';
import type { PageRequest, RowPage } from '../../platform/db/page.js';
import { lookupOf } from '../licenses/license-key.rules.js';
import type { VariableOwner } from './variable-owner.repository.js';
import { Variable } from './variable.entity.js';
import type { VariableScope } from './variable.entity.js';

export interface VariableFilter {
  readonly scope?: VariableScope | null;
  /** Empty (global), a product's name, or a license key. */
  readonly owner?: string | null;
  readonly key?: string | null;
}

export async function findVariables(
  em: EntityManager,
  filter: VariableFilter,
  request: PageRequest,
): Promise<RowPage<Variable>> {
  const all: FilterQuery<Variable>[] = [];
  if (filter.scope != null) all.push({ scope: filter.scope });
  if (filter.key != null) all.push({ key: filter.key });
  if (filter.owner != null) all.push(ofOwner(filter.owner, filter.scope));
  return findPage(em, Variable, { $and: all }, request);
}

function ofOwner(owner: string, scope: VariableScope | null | undefined): FilterQuery<Variable> {
  if (owner === '') return { scope: 'global' };
  const ofProduct = { product: { name: owner } };
  const ofLicense = { license: { lookup: lookupOf(owner) } };
  if (scope == null) return { $or: [ofProduct, ofLicense] };
  return scope === 'license' || scope === 'user' ? ofLicense : ofProduct;
}

/** One owner's variables. */
export async function findVariablesOf(
  em: EntityManager,
  { scope, licenseId }: VariableOwner,
  request: PageRequest,
): Promise<RowPage<Variable>> {
  return findPage(em, Variable, { scope, license: licenseId }, request);
}

export interface VariableWrite {
  readonly owner: VariableOwner;
  readonly key: string;
  readonly value: unknown;
  readonly now: Date;
}

// Values are written as JSON text, by SQL: the ORM takes a JSON null for an SQL one.

/** Adds the variable; undefined when the key is there already, or the owner has `keysMax` of them. */
export async function insertVariable(
  em: EntityManager,
  { owner, key, value, now }: VariableWrite,
  options: { readonly keysMax?: number } = {},
): Promise<number | undefined> {
  const { scope, productId, licenseId } = owner;
  const hasRoom =
    options.keysMax === undefined
      ? sql`true`
      : sql`(select count(*) from variable where license_id = ${licenseId} and scope = ${scope}) < ${options.keysMax}`;
  const { rows } = await sql<{ id: number }>`
    insert into variable (scope, product_id, license_id, key, value, created_at, updated_at)
    select ${scope}::text, ${productId}::integer, ${licenseId}::integer, ${key}::text,
           ${JSON.stringify(value)}::jsonb, ${now}::timestamptz, ${now}::timestamptz
     where ${hasRoom}
    on conflict do nothing returning id`.execute(em.getKysely());
  return rows[0]?.id;
}

export interface ChangedVariable {
  readonly id: number;
  readonly before: unknown;
  readonly isChanged: boolean;
}

/** Sets the value of a variable that is there; undefined when it isn't. The same value again changes nothing. */
export async function updateVariableValue(
  em: EntityManager,
  { owner, key, value, now }: VariableWrite,
): Promise<ChangedVariable | undefined> {
  const json = JSON.stringify(value);
  const { rows } = await sql<ChangedVariable>`
    with old as (select id, value from variable where ${isVariable(owner, key)} for update)
    update variable v
       set value = ${json}::jsonb,
           updated_at = case when old.value = ${json}::jsonb then v.updated_at else ${now}::timestamptz end
      from old where v.id = old.id
    returning v.id, old.value as before, old.value <> ${json}::jsonb as "isChanged"`.execute(em.getKysely());
  return rows[0];
}

/** Removes the variable; undefined when there is none, else what it held. */
export async function removeVariable(
  em: EntityManager,
  owner: VariableOwner,
  key: string,
): Promise<{ readonly value: unknown } | undefined> {
  const { rows } = await sql<{ value: unknown }>`
    delete from variable where ${isVariable(owner, key)} returning value`.execute(em.getKysely());
  return rows[0];
}

export async function hasVariable(em: EntityManager, owner: VariableOwner, key: string): Promise<boolean> {
  const { rows } = await sql`select from variable where ${isVariable(owner, key)}`.execute(em.getKysely());
  return rows.length > 0;
}

function isVariable({ scope, productId, licenseId }: VariableOwner, key: string) {
  return sql<boolean>`scope = ${scope} and product_id is not distinct from ${productId}
    and license_id is not distinct from ${licenseId} and key = ${key}`;
}
