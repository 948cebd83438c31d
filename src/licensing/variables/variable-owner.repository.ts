import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { InvalidField, NotFound } from '../../platform/errors.js';
import { lookupOf, maskKey } from '../licenses/license-key.rules.js';
import type { VariableScope } from './variable.entity.js';

/** Whose variables are meant: a row's columns, and the name that logs show. */
export interface VariableOwner {
  readonly scope: VariableScope;
  readonly productId: number | null;
  readonly licenseId: number | null;
  /** Empty, the product's name, or the masked license key. */
  readonly label: string;
}

export interface OwnerRequest {
  readonly scope: VariableScope;
  /** Absent or empty for `global`, a product's name, or a license key. */
  readonly owner?: string | null | undefined;
}

/**
 * Finds the owner and keeps it from being deleted until the transaction ends. Throws `PRODUCT_NOT_FOUND`,
 * `LICENSE_NOT_FOUND`, or 422 for an owner that the scope can't have.
 */
export async function findVariableOwner(
  em: EntityManager,
  { scope, owner }: OwnerRequest,
): Promise<VariableOwner> {
  const name = owner ?? '';
  if (scope === 'global') {
    if (name !== '') throw new InvalidField('owner', 'must be absent for scope global');
    return { scope, productId: null, licenseId: null, label: '' };
  }
  if (name === '') throw new InvalidField('owner', `is required for scope ${scope}`);
  if (scope === 'product') {
    const productId = await lockedId(em, sql`product where name = ${name}`, name);
    if (productId === undefined) throw new NotFound('product', name);
    return { scope, productId, licenseId: null, label: name };
  }
  const licenseId = await lockedId(em, sql`license where lookup = ${lookupOf(name)}`, name);
  if (licenseId === undefined) throw new NotFound('license', maskKey(name));
  return { scope, productId: null, licenseId, label: maskKey(name) };
}

/** Whose a variable is, as variables show it: empty, the product's name, or the whole license key. */
export async function ownerName(em: EntityManager, { productId, licenseId }: VariableOwner): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select name from product where id = ${productId} union all select key from license where id = ${licenseId}`.execute(
    em.getKysely(),
  );
  return rows[0]?.name ?? '';
}

async function lockedId(
  em: EntityManager,
  where: ReturnType<typeof sql>,
  name: string,
): Promise<number | undefined> {
  // Postgres text can't hold U+0000, so nothing is called so.
  if (name.includes('\u0000')) return undefined;
  const { rows } = await sql<{ id: number }>`select id from ${where} for key share`.execute(em.getKysely());
  return rows[0]?.id;
}

/**
 * Until the transaction ends nobody else adds a variable of this owner that is counted. Throws `LICENSE_NOT_FOUND` when
 * the license has been deleted meanwhile.
 */
export async function lockForCounting(em: EntityManager, { licenseId, label }: VariableOwner): Promise<void> {
  const { rows } = await sql`select from license where id = ${licenseId} for no key update`.execute(
    em.getKysely(),
  );
  if (rows.length === 0) throw new NotFound('license', label);
}
