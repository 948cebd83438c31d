import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import type { Changes } from '../../platform/events/emit.js';
import type { LicensingEvent } from '../events.js';
import { maskKey } from '../licenses/license-key.rules.js';
import { createLicense, updateLicense } from '../licenses/license.service.js';
import type { LicenseChange } from '../licenses/license.service.js';
import { accountOf, lockAccount, lockMappings } from './account.repository.js';
import { announcePurchases } from './announce-purchases.service.js';
import { generateRedeemCode } from './redeem-code.rules.js';
import {
  forgetPlaceholder,
  keyOfLicense,
  loadAccount,
  mappingTerms,
  namesOf,
  settleStranger,
  storeSettled,
} from './settlement.repository.js';
import type { SettledPurchase } from './settlement.repository.js';
import { settle } from './settlement.rules.js';
import type { Account, AccountPurchase, HeldLicense } from './settlement.rules.js';

/**
 * Brings everything that a purchase's buyer has bought of its resource into the state that all that was heard of it
 * amounts to: licenses, redeem codes, extensions, addons, suspensions, each with its event. Run again, or by several at
 * once, it changes nothing more.
 */
export async function settlePurchase(
  em: EntityManager,
  ctx: ActionContext,
  purchaseId: number,
): Promise<void> {
  const key = await accountOf(em, purchaseId);
  if (key === null) {
    const stranger = await settleStranger(em, purchaseId, ctx.clock.now());
    if (!stranger) return;
    const { was, is, ...purchase } = stranger;
    await announcePurchases(em, ctx, 'purchase.refunded', [{ ...purchase, changes: { status: [was, is] } }]);
    return;
  }
  await lockAccount(em, key);
  await lockMappings(em, key.resourceId, 'read');
  const account = await loadAccount(em, key);
  const before = structuredClone<Account>({ ...account });
  settle(account, {
    now: ctx.clock.now(),
    resourceId: key.resourceId,
    mappingOf: await mappingTerms(em, key),
    newRedeemCode: generateRedeemCode,
  });
  const keys = await storeLicenses(em, ctx, before, account);
  if (before.placeholder !== null && account.placeholder === null) await forgetPlaceholder(em, key);
  const settled = account.purchases.map(({ license, ...purchase }, index): SettledPurchase => ({
    ...purchase,
    licenseId: license === null ? null : (keys.get(license)?.id ?? null),
    revision: account.revisions.get(purchase.id) ?? 0,
    isChanged: rowOf(account.purchases[index]) !== rowOf(before.purchases[index]),
  }));
  // Those that lose a redeem code go before those that get one.
  const codes = (one: SettledPurchase) => (one.redeem === null ? 0 : 1);
  await storeSettled(
    em,
    settled.toSorted((a, b) => codes(a) - codes(b)),
    ctx.clock.now(),
  );
  for (const [index, purchase] of account.purchases.entries()) {
    const was = before.purchases[index];
    if (was)
      await announceSettled(em, ctx, was, purchase, purchase.license && keys.get(purchase.license)?.key);
  }
}

/** What tells two states of a purchase's row apart; what became of its license is another row's. */
function rowOf(purchase: AccountPurchase | undefined): string {
  const license = purchase?.license && (purchase.license.id ?? 'new');
  return JSON.stringify({ ...purchase, license });
}

interface StoredLicense {
  readonly id: number;
  readonly key: string;
}

/** Creates and changes licenses as settling left them. */
async function storeLicenses(
  em: EntityManager,
  ctx: ActionContext,
  before: Account,
  after: Account,
): Promise<Map<HeldLicense, StoredLicense>> {
  const was = new Map([...licensesOf(before)].map((license) => [license.id, license]));
  const licenses = [...licensesOf(after)];
  const addons = await namesOf(
    em,
    'addon',
    licenses.flatMap(({ addonIds }) => addonIds),
  );
  const products = await namesOf(
    em,
    'product',
    licenses.flatMap(({ productId }) => productId ?? []),
  );
  const stored = new Map<HeldLicense, StoredLicense>();
  for (const license of licenses) {
    const { id, status, expiresAt, seats, productId } = license;
    const addonNames = license.addonIds.flatMap((addonId) => addons.get(addonId) ?? []);
    if (id === undefined) {
      const product = productId === null ? null : (products.get(productId) ?? null);
      stored.set(
        license,
        await createLicense(em, ctx, { product, addons: addonNames, status, expiresAt, seats }),
      );
      continue;
    }
    const key = await keyOfLicense(em, id);
    stored.set(license, { id, key });
    const change = changeOf(was.get(id), license, addonNames);
    if (Object.keys(change).length > 0) await updateLicense(em, ctx, key, change);
  }
  return stored;
}

function licensesOf({ purchases, placeholder }: Account): Set<HeldLicense> {
  const held = purchases.flatMap(({ license }) => license ?? []);
  return new Set(placeholder ? [...held, placeholder] : held);
}

function changeOf(was: HeldLicense | undefined, is: HeldLicense, addons: readonly string[]): LicenseChange {
  return {
    ...(was?.status === is.status ? {} : { status: is.status }),
    ...(was?.expiresAt?.getTime() === is.expiresAt?.getTime() ? {} : { expiresAt: is.expiresAt }),
    ...(was?.addonIds.join() === is.addonIds.join() ? {} : { addons }),
  };
}

async function announceSettled(
  em: EntityManager,
  ctx: ActionContext,
  was: AccountPurchase,
  is: AccountPurchase,
  licenseKey: string | null | undefined,
): Promise<void> {
  const status = was.status === is.status ? {} : { status: [was.status, is.status] as const };
  const license = licenseKey == null ? {} : { license_key: [null, maskKey(licenseKey)] as const };
  const isExtended = was.extendedSeconds === null && is.extendedSeconds !== null;
  const isGranted = was.grantedAddonIds === null && is.grantedAddonIds !== null;
  const say = (event: LicensingEvent, changes: Changes) =>
    announcePurchases(em, ctx, event, [{ id: is.id, saleId: is.saleId, changes }]);
  if (isGranted) await say('purchase.received', { ...status, ...license });
  if (isExtended) await say('purchase.renewed', { ...status, ...license });
  if (was.status === is.status) return;
  if (is.status === 'failed') await say('purchase.failed', { ...status, problem: [was.problem, is.problem] });
  if (is.status === 'refunded' || is.status === 'chargeback') await say('purchase.refunded', status);
}
