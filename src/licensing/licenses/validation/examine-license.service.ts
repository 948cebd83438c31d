import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ActionContext } from '../../../platform/context.js';
import { lookupOf } from '../license-key.rules.js';
import type { LicenseFacts, ValidationRequest } from './facts.js';
import { hotPathOf } from './hot-path.js';
import { VERDICT_CODES, judge } from './verdict.rules.js';
import type { PresentedValue, VerdictCode } from './verdict.rules.js';

/** A verdict that is no. */
export interface Refusal {
  readonly code: VerdictCode;
  /** A rule's own words, or the code's. */
  readonly message: string;
}

/** The facts of a license as they are now; undefined for an unknown key. */
export async function currentFacts(
  em: EntityManager,
  ctx: ActionContext,
  key: string,
): Promise<LicenseFacts | undefined> {
  const lookup = lookupOf(key);
  // Postgres text can't hold U+0000, so no key has one.
  if (lookup.includes('\u0000')) return undefined;
  return (await hotPathOf(em, ctx).fresh(lookup))?.facts;
}

/**
 * The verdict of a validation without what a validation does: an unseen value must find room on its list and isn't
 * bound, and no seat is asked for. For what happens elsewhere than where the product runs. Undefined: the license is valid.
 */
export async function examineLicense(
  em: EntityManager,
  ctx: ActionContext,
  facts: LicenseFacts,
  request: ValidationRequest,
): Promise<Refusal | undefined> {
  const { code, message, presented } = judge(facts, request, ctx.clock.now());
  if (code !== 'VALID') return { code, message: message ?? VERDICT_CODES[code].message };
  const lacking = await findLackingRoom(em, facts.licenseId, presented);
  return lacking && { code: lacking, message: VERDICT_CODES[lacking].message };
}

/** The first list that neither holds its value nor has room for it. The same conditions as in `record_validation`. */
async function findLackingRoom(
  em: EntityManager,
  licenseId: number,
  presented: readonly PresentedValue[],
): Promise<'WHITELIST_MISMATCH' | 'WHITELIST_LIMIT_REACHED' | undefined> {
  if (presented.length === 0) return undefined;
  const { rows } = await sql<{ isClosed: boolean }>`
    select given.value_limit = 0 as "isClosed"
      from unnest(${presented.map(({ whitelist }) => whitelist.id)}::integer[],
                  ${presented.map(({ whitelist }) => whitelist.limit)}::integer[],
                  ${presented.map(({ value }) => value)}::text[],
                  ${presented.map(({ whitelist }) => whitelist.type === 'ip')}::boolean[])
           with ordinality as given (id, value_limit, value, is_address, place)
     where given.value_limit >= 0
       and not whitelist_holds(${licenseId}, given.id, given.value, given.is_address)
       and given.value_limit <= (select count(*) from license_whitelist_value v
                                  where v.license_id = ${licenseId} and v.whitelist_id = given.id)
     order by given.place limit 1`.execute(em.getKysely());
  const [row] = rows;
  return row && (row.isClosed ? 'WHITELIST_MISMATCH' : 'WHITELIST_LIMIT_REACHED');
}
