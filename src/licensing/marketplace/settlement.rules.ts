import type { LicenseStatus } from '../licenses/license.entity.js';
import type { PurchaseStatus, Reversal } from './purchase.entity.js';
import { movedTo } from './purchase.states.js';

/** A license as settling sees it; one that has no id yet is to be created. */
export interface HeldLicense {
  readonly id: number | undefined;
  readonly productId: number | null;
  readonly seats: number;
  status: LicenseStatus;
  /** Null: never. */
  expiresAt: Date | null;
  addonIds: number[];
}

/** A purchase of one buyer and resource: what was heard of it (read only), and what it has become so far. */
export interface AccountPurchase {
  readonly id: number;
  readonly saleId: string;
  /** When it was bought. */
  readonly at: Date;
  /** False: only its refund was heard of so far. */
  readonly isReceived: boolean;
  readonly renewal: boolean;
  readonly addonId: string | null;
  readonly reversal: Reversal | null;
  status: PurchaseStatus;
  problem: string | null;
  /** Not null for exactly those that have, or had, a license of their own. */
  redeem: string | null;
  productId: number | null;
  license: HeldLicense | null;
  userId: number | null;
  /** Its license is suspended on account of a reversal, or since a download came before its purchase. */
  suspends: boolean;
  /** What a renewal has added to its license; null: nothing yet. */
  extendedSeconds: number | null;
  /** Addons that it has put on its license; null: none yet. */
  grantedAddonIds: number[] | null;
}

/** All that a buyer and a marketplace have done about one resource. */
export interface Account {
  readonly purchases: readonly AccountPurchase[];
  /** When the marketplace took back all that was bought until then. */
  readonly removals: readonly { readonly kind: Reversal; readonly at: Date }[];
  /** The license of a download that came before any purchase. */
  placeholder: HeldLicense | null;
}

/** What a mapping says about licenses. */
export interface MappingTerms {
  readonly productId: number;
  readonly addonIds: readonly number[];
  /** Null: for ever. */
  readonly durationDays: number | null;
  readonly seats: number;
  readonly renewalDays: number;
}

export interface Terms {
  readonly now: Date;
  /** For sentences. */
  readonly resourceId: string | null;
  /** The mapping of one of the resource's addons, or with null of the resource itself. */
  readonly mappingOf: (addonId: string | null) => MappingTerms | undefined;
  readonly newRedeemCode: () => string;
}

const DAY_SECONDS = 86_400;
const RENEWAL_DAYS = 30;

/**
 * Makes of an account what all that was heard of it amounts to, in place. What comes out depends on what was heard and
 * not on the order in which it was: who founds, who renews and who is taken back is decided anew each time, from all.
 *
 * - A purchase *founds* a license of its own, unless it is a renewal or an addon. Where there are only renewals (the
 *   first purchase was before our time, or the marketplace calls each period one) the first of them does.
 * - A renewal extends, and an addon is put on, the license of a founder: of the last that was bought before it and is
 *   not taken back.
 * - A reversal suspends the license of a founder and of what it renews; of an addon it takes that addon away.
 */
export function settle(account: Account, terms: Terms): void {
  const received = account.purchases.filter(({ isReceived }) => isReceived).sort(byTime);
  const reversed = new Map(account.purchases.map((purchase) => [purchase, reversalOf(purchase, account)]));
  const bases = received.filter(({ addonId }) => addonId === null);
  const firsts = bases.filter(({ renewal }) => !renewal);
  const founders = firsts.length > 0 ? firsts : bases.slice(0, 1);
  const others = received.filter((purchase) => !founders.includes(purchase));
  for (const founder of founders) found(founder, others, account, terms);
  const holders = new Map(others.map((purchase) => [purchase, holderOf(purchase, founders, reversed)]));
  for (const [purchase, holder] of holders) {
    const attach = purchase.addonId === null ? attachRenewal : attachAddon;
    attach(purchase, holder, received, { ...terms, isReversed: reversed.get(purchase) != null });
  }
  for (const founder of founders) {
    const renewals = others.filter((one) => one.addonId === null && holders.get(one) === founder);
    suspend(
      founder,
      [founder, ...renewals].some((one) => reversed.get(one) != null),
    );
  }
  for (const [purchase, reversal] of reversed) {
    purchase.problem = problemOf(purchase, { isFounder: founders.includes(purchase), terms });
    purchase.status = movedTo(purchase.status, reversal ?? openStatus(purchase, terms));
  }
}

function byTime(a: AccountPurchase, b: AccountPurchase): number {
  return a.at.getTime() - b.at.getTime() || (a.saleId < b.saleId ? -1 : 1);
}

function reversalOf(purchase: AccountPurchase, { removals }: Account): Reversal | null {
  if (purchase.reversal === 'chargeback' || !purchase.isReceived) return purchase.reversal;
  const kinds = removals.filter(({ at }) => at >= purchase.at).map(({ kind }) => kind);
  return kinds.find((kind) => kind === 'chargeback') ?? purchase.reversal ?? kinds[0] ?? null;
}

/** Gives a founder its license: that of a renewal which founded in its place, that of a download, or a new one. */
function found(
  founder: AccountPurchase,
  others: readonly AccountPurchase[],
  account: Account,
  { mappingOf, now, newRedeemCode }: Terms,
): void {
  if (founder.redeem !== null) return;
  const deputy = others.find(({ redeem }) => redeem !== null);
  if (deputy) {
    const { redeem, license, productId, userId, suspends, grantedAddonIds } = deputy;
    Object.assign(founder, { redeem, license, productId, userId, suspends, grantedAddonIds });
    Object.assign(deputy, { redeem: null, license: null, suspends: false, grantedAddonIds: null });
    return;
  }
  const mapping = mappingOf(null);
  if (!mapping) return;
  const { productId, seats, durationDays, addonIds } = mapping;
  const expiresAt = durationDays === null ? null : later(now, durationDays * DAY_SECONDS);
  const license = account.placeholder ?? {
    id: undefined,
    productId,
    seats,
    status: 'active',
    expiresAt,
    addonIds: [],
  };
  founder.suspends = license.status === 'suspended';
  account.placeholder = null;
  license.expiresAt = expiresAt;
  founder.redeem = newRedeemCode();
  founder.license = license;
  founder.productId = productId;
  grant(founder, license, addonIds);
}

/** Whose license a renewal extends and an addon is put on. `founders` are in the order in which they were bought. */
function holderOf(
  { at }: AccountPurchase,
  founders: readonly AccountPurchase[],
  reversed: ReadonlyMap<AccountPurchase, Reversal | null>,
): AccountPurchase | undefined {
  const licensed = founders.filter(({ license }) => license !== null);
  const kept = licensed.filter((founder) => reversed.get(founder) === null);
  const candidates = kept.length > 0 ? kept : licensed;
  return candidates.findLast((founder) => founder.at <= at) ?? candidates[0];
}

type AttachTerms = Terms & { readonly isReversed: boolean };

function attachRenewal(
  renewal: AccountPurchase,
  holder: AccountPurchase | undefined,
  _received: readonly AccountPurchase[],
  { now, mappingOf, isReversed }: AttachTerms,
): void {
  const target = holder?.license ?? null;
  if (renewal.extendedSeconds !== null && (renewal.license !== target || isReversed)) {
    const { license } = renewal;
    if (license?.expiresAt) license.expiresAt = later(license.expiresAt, -renewal.extendedSeconds);
    renewal.extendedSeconds = null;
  }
  follow(renewal, holder);
  if (!target || isReversed || renewal.extendedSeconds !== null) return;
  const { expiresAt } = target;
  if (expiresAt === null) {
    renewal.extendedSeconds = 0;
    return;
  }
  const days = mappingOf(null)?.renewalDays ?? RENEWAL_DAYS;
  target.expiresAt = later(expiresAt > now ? expiresAt : now, days * DAY_SECONDS);
  renewal.extendedSeconds = (target.expiresAt.getTime() - expiresAt.getTime()) / 1000;
}

function attachAddon(
  purchase: AccountPurchase,
  holder: AccountPurchase | undefined,
  received: readonly AccountPurchase[],
  { mappingOf, isReversed }: AttachTerms,
): void {
  const target = holder?.license ?? null;
  const { license, grantedAddonIds } = purchase;
  if (grantedAddonIds !== null && (license !== target || isReversed)) {
    purchase.grantedAddonIds = null;
    if (license) withdraw(license, grantedAddonIds, received);
  }
  follow(purchase, holder);
  const mapping = mappingOf(purchase.addonId);
  if (target && mapping && !isReversed && purchase.grantedAddonIds === null)
    grant(purchase, target, mapping.addonIds);
}

function follow(purchase: AccountPurchase, holder: AccountPurchase | undefined): void {
  purchase.license = holder?.license ?? null;
  purchase.productId = holder?.productId ?? null;
  purchase.userId = holder?.userId ?? null;
}

function grant(purchase: AccountPurchase, license: HeldLicense, addonIds: readonly number[]): void {
  purchase.grantedAddonIds = [...addonIds];
  license.addonIds = [...new Set([...license.addonIds, ...addonIds])];
}

/** Takes addons from a license, but for those that another purchase has put on it too. */
function withdraw(
  license: HeldLicense,
  addonIds: readonly number[],
  received: readonly AccountPurchase[],
): void {
  const kept = received.flatMap((one) => (one.license === license ? (one.grantedAddonIds ?? []) : []));
  license.addonIds = license.addonIds.filter((id) => !addonIds.includes(id) || kept.includes(id));
}

/** Only what settling has suspended is reinstated by it; what an administrator did meanwhile stays. */
function suspend(founder: AccountPurchase, isReversed: boolean): void {
  const { license } = founder;
  if (!license || founder.suspends === isReversed) return;
  founder.suspends = isReversed;
  if (isReversed && license.status === 'active') license.status = 'suspended';
  if (!isReversed && license.status === 'suspended') license.status = 'active';
}

function problemOf(
  purchase: AccountPurchase,
  { isFounder, terms }: { readonly isFounder: boolean; readonly terms: Terms },
): string | null {
  if (!purchase.isReceived || purchase.redeem !== null) return null;
  if (isUnmapped(purchase, terms)) {
    const addon = purchase.addonId === null ? '' : `addon ${purchase.addonId} of `;
    return `No product is mapped to ${addon}resource ${terms.resourceId ?? ''}`;
  }
  if (isFounder || purchase.license !== null) return null;
  return 'Its buyer has no license that it could be for';
}

function isUnmapped(
  { addonId, extendedSeconds, grantedAddonIds, redeem, isReceived }: AccountPurchase,
  terms: Terms,
) {
  const isDone = redeem !== null || extendedSeconds !== null || grantedAddonIds !== null;
  return isReceived && !isDone && terms.mappingOf(addonId) === undefined;
}

function openStatus(purchase: AccountPurchase, terms: Terms): PurchaseStatus {
  if (isUnmapped(purchase, terms)) return 'failed';
  return purchase.userId === null ? 'pending' : 'claimed';
}

function later(date: Date, seconds: number): Date {
  return new Date(date.getTime() + Math.round(seconds * 1000));
}
