import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ActionContext } from '../../platform/context.js';
import { NotFound } from '../../platform/errors.js';
import { createLicense } from '../licenses/license.service.js';
import { inAccount, lockAccount, lockMappings } from './account.repository.js';
import type { AccountKey } from './account.repository.js';
import type { PresentedSecret } from './marketplace-secret.rules.js';
import { readDownload } from './notice.rules.js';
import { asMarketplace } from './receive-notice.service.js';
import { mappingTerms, namesOf } from './settlement.repository.js';

export interface PlaceholderKey {
  readonly key: string;
  /** The marketplace wants it as `{"value": …}`, not as plain text. */
  readonly wantsJson: boolean;
}

/**
 * The key of the license that a buyer has of a resource, to be put into what they download; the same each time. A
 * download may come before its purchase: then it gets the key of a license that is suspended until the purchase adopts
 * it. Throws 401, 422, or 404 where no product is mapped to the resource or the buyer's license was deleted.
 */
export async function issuePlaceholderKey(
  em: EntityManager,
  caller: ActionContext,
  message: PresentedSecret,
): Promise<PlaceholderKey> {
  const ctx = asMarketplace(caller, message);
  const { wantsJson, ...account } = readDownload(message.payload);
  await lockAccount(em, account);
  const key = (await boughtKey(em, account)) ?? (await placeholderKey(em, ctx, account));
  return { key, wantsJson };
}

/** The key of what was bought last and not taken back, else of what was. */
async function boughtKey(em: EntityManager, account: AccountKey): Promise<string | undefined> {
  const { rows } = await sql<{ saleId: string; key: string | null }>`
    select p.sale_id as "saleId", l.key from purchase p left join license l on l.id = p.license_id
     where ${inAccount(account)} and p.redeem is not null
     order by l.id is null, p.status in ('refunded', 'chargeback'),
              coalesce(p.purchase_date, p.received_at) desc, p.sale_id desc limit 1`.execute(em.getKysely());
  const [bought] = rows;
  if (bought?.key === null) throw new NotFound('license', `of sale ${bought.saleId}`);
  return bought?.key;
}

async function placeholderKey(em: EntityManager, ctx: ActionContext, account: AccountKey): Promise<string> {
  const db = em.getKysely();
  const { rows } = await sql<{ key: string }>`
    select l.key from purchase_placeholder join license l on l.id = license_id
     where ${inAccount(account)}`.execute(db);
  const [known] = rows;
  if (known) return known.key;
  const { resourceId, marketplace, purchaserId } = account;
  await lockMappings(em, resourceId, 'read');
  const mapping = (await mappingTerms(em, account))(null);
  if (!mapping) throw new NotFound('marketplace mapping', resourceId);
  const { productId, addonIds, seats } = mapping;
  const addons = [...(await namesOf(em, 'addon', addonIds)).values()];
  const product = (await namesOf(em, 'product', [productId])).get(productId) ?? null;
  const license = await createLicense(em, ctx, { product, addons, seats, status: 'suspended' });
  await sql`
    insert into purchase_placeholder (marketplace, resource_id, purchaser_id, license_id, created_at)
      values (${marketplace}, ${resourceId}, ${purchaserId}, ${license.id}, ${ctx.clock.now()})`.execute(db);
  return license.key;
}
