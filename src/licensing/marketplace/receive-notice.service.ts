import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext, Caller } from '../../platform/context.js';
import { DomainError } from '../../platform/errors.js';
import { dequeueSettling, enqueueInReserve, lockAccount } from './account.repository.js';
import { presentsSecret, withoutSecrets } from './marketplace-secret.rules.js';
import type { PresentedSecret } from './marketplace-secret.rules.js';
import {
  insertNotice,
  isSettled,
  lastPurchaseOf,
  noteRemoval,
  notePurchase,
  purchaseOfNotice,
} from './notice.repository.js';
import { readNotice } from './notice.rules.js';
import type { Notice } from './notice.rules.js';
import { purchasesData } from './purchase-data.repository.js';
import type { PurchaseStatus } from './purchase.entity.js';
import { settlePurchase } from './settle-purchase.service.js';

/** Runs work in a transaction of its own, again after a conflict. */
export type InTransaction = <T>(work: (em: EntityManager) => Promise<T>) => Promise<T>;

/** What a marketplace is answered; all null for a message about no purchase, such as a ping. */
export interface Receipt {
  readonly success: true;
  readonly saleId: string | null;
  readonly status: PurchaseStatus | null;
  /** Null while it has no license. */
  readonly licenseKey: string | null;
  readonly redeem: string | null;
  readonly duplicate: boolean;
}

const MARKETPLACE: Caller = {
  name: 'marketplace',
  id: 'marketplace',
  scopes: new Set(),
  authenticated: true,
};

/**
 * Takes what a marketplace says. First it is stored, with a job that will make of it what is to be made; then that is
 * done at once if it can be, so that the answer has the license's key. Whatever goes wrong by then is the job's to do.
 *
 * Throws 503 when no secret is configured, 401 for a wrong one, 422 for what can't be understood.
 */
export async function receiveNotice(
  inTransaction: InTransaction,
  caller: ActionContext,
  message: PresentedSecret,
): Promise<Receipt> {
  const ctx = asMarketplace(caller, message);
  const payload = withoutSecrets(message.payload, ctx.settings.marketplace.secrets);
  const notice = readNotice(payload);
  if (!notice) return NOTHING;
  const { purchaseId, isNew } = await inTransaction((em) => storeNotice(em, ctx, notice, payload));
  if (purchaseId === undefined) return { ...NOTHING, duplicate: !isNew };
  try {
    // A repeat that comes while the first is being settled waits for it here, so that it can say the same.
    await inTransaction(async (em) => {
      if (await isSettled(em, purchaseId)) return;
      await settlePurchase(em, ctx, purchaseId);
      await dequeueSettling(em, purchaseId);
    });
  } catch (err) {
    ctx.log.warn({ err, purchaseId, requestId: ctx.requestId }, 'a purchase is stored and left to its job');
  }
  return inTransaction((em) => receiptOf(em, purchaseId, { duplicate: !isNew }));
}

const NOTHING: Receipt = {
  ...{ success: true, saleId: null, status: null, licenseKey: null, redeem: null, duplicate: false },
};

/** The context in which a marketplace acts, whichever road it took; throws 503 or 401 for one that may not. */
export function asMarketplace(caller: ActionContext, presented: PresentedSecret): ActionContext {
  const { requestId, clock, log, settings, metrics } = caller;
  const { secrets } = settings.marketplace;
  if (secrets.length === 0) {
    throw new DomainError(
      ...(['MARKETPLACE_NOT_CONFIGURED', 503, 'Marketplace not configured'] as const),
      'The server has no MARKETPLACE.SECRET, so nobody can show that they know it',
    );
  }
  if (!presentsSecret(secrets, presented)) {
    throw new DomainError(
      ...(['MARKETPLACE_SECRET_INVALID', 401, 'Marketplace secret invalid'] as const),
      'Send the secret as "secret" in the body or the query, as a bearer, or sign the body with it (X-Polymart-Signature)',
      { headers: { 'WWW-Authenticate': 'Bearer' } },
    );
  }
  return { caller: MARKETPLACE, source: 'marketplace', requestId, clock, log, settings, metrics };
}

async function storeNotice(
  em: EntityManager,
  ctx: ActionContext,
  notice: Notice,
  payload: Readonly<Record<string, unknown>>,
): Promise<{ readonly purchaseId: number | undefined; readonly isNew: boolean }> {
  const { marketplace, resourceId, purchaserId } = notice;
  const now = ctx.clock.now();
  if (notice.saleId === null) {
    // Of all that was bought so far: what is being settled now must be found here, or find this there.
    const key = { marketplace, resourceId: resourceId ?? '', purchaserId: purchaserId ?? '' };
    await lockAccount(em, key);
    const isNew = await insertNotice(em, notice, payload, now);
    if (isNew) await noteRemoval(em, key);
    const purchaseId = await lastPurchaseOf(em, key);
    if (isNew && purchaseId !== undefined) await enqueueInReserve(em, purchaseId);
    return { purchaseId, isNew };
  }
  if (!(await insertNotice(em, notice, payload, now)))
    return { purchaseId: await purchaseOfNotice(em, notice), isNew: false };
  const purchaseId = await notePurchase(em, notice, now);
  await enqueueInReserve(em, purchaseId);
  return { purchaseId, isNew: true };
}

async function receiptOf(
  em: EntityManager,
  purchaseId: number,
  { duplicate }: Pick<Receipt, 'duplicate'>,
): Promise<Receipt> {
  const data = (await purchasesData(em, [purchaseId])).get(purchaseId);
  if (!data) return { ...NOTHING, duplicate };
  const { sale_id: saleId, status, license_key: licenseKey, redeem } = data;
  return { success: true, saleId, status, licenseKey, redeem, duplicate };
}
