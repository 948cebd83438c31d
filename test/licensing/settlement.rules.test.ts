import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { settle } from '../../src/licensing/marketplace/settlement.rules.js';
import type {
  Account,
  AccountPurchase,
  MappingTerms,
  Terms,
} from '../../src/licensing/marketplace/settlement.rules.js';

const NOW = new Date('2026-01-15T12:00:00.000Z');
const DAY = 86_400_000;

/** One thing that a marketplace, a download or an administrator does; any order must lead to one state. */
type Happening =
  | {
      readonly kind: 'purchase';
      readonly sale: number;
      readonly at: number;
      readonly renewal: boolean;
      readonly addon: string | null;
    }
  | { readonly kind: 'reversal'; readonly sale: number; readonly as: 'refunded' | 'chargeback' }
  | { readonly kind: 'removal'; readonly at: number }
  | { readonly kind: 'download' }
  | { readonly kind: 'mapping'; readonly addon: string | null };

const SALES = [0, 1, 2, 3];
const MAPPINGS = new Map<string | null, MappingTerms>([
  [null, { productId: 1, addonIds: [10], durationDays: 30, seats: 2, renewalDays: 7 }],
  ['a', { productId: 1, addonIds: [10, 11], durationDays: null, seats: -1, renewalDays: 30 }],
  ['b', { productId: 1, addonIds: [11, 12], durationDays: null, seats: -1, renewalDays: 30 }],
]);

/** What a buyer's account goes through: each happening notes a fact, as the tables do, and everything is settled. */
function after(happenings: readonly Happening[]): Account {
  const purchases: AccountPurchase[] = [];
  const removals: { kind: 'refunded'; at: Date }[] = [];
  const mapped = new Set<string | null>();
  const account: Account = { purchases, removals, placeholder: null };
  let codes = 0;
  const terms: Terms = {
    ...{ now: NOW, resourceId: '5', newRedeemCode: () => `code ${(codes += 1)}` },
    mappingOf: (addon) => (mapped.has(addon) ? MAPPINGS.get(addon) : undefined),
  };
  const note = (sale: number, facts: Partial<AccountPurchase>) => {
    const known = purchases.find(({ id }) => id === sale);
    if (known) Object.assign(known, facts);
    else purchases.push({ ...unknown(sale), ...facts });
  };
  for (const one of happenings) {
    switch (one.kind) {
      case 'purchase':
        note(one.sale, { isReceived: true, at: day(one.at), renewal: one.renewal, addonId: one.addon });
        break;
      case 'reversal': {
        const before = purchases.find(({ id }) => id === one.sale)?.reversal;
        note(one.sale, { reversal: before === 'chargeback' ? before : one.as });
        break;
      }
      case 'removal':
        removals.push({ kind: 'refunded', at: day(one.at) });
        break;
      case 'mapping':
        mapped.add(one.addon);
        break;
      case 'download': {
        const mapping = terms.mappingOf(null);
        if (mapping && !account.placeholder && purchases.every(({ redeem }) => redeem === null)) {
          const { productId, seats, addonIds } = mapping;
          const license = { id: 1, productId, seats, status: 'suspended' as const, expiresAt: null };
          account.placeholder = { ...license, addonIds: [...addonIds] };
        }
      }
    }
    settle(account, terms);
  }
  return account;
}

function unknown(sale: number): AccountPurchase {
  return {
    ...{ id: sale, saleId: `sale ${sale}`, at: day(0), isReceived: false, renewal: false, addonId: null },
    ...{ reversal: null, status: 'pending', problem: null, redeem: null, productId: null, license: null },
    ...{ userId: null, suspends: false, extendedSeconds: null, grantedAddonIds: null },
  };
}

const day = (n: number) => new Date(NOW.getTime() + (n - 20) * DAY);

/** The state without what only names things: codes, and which license a download has made. */
function shown({ purchases, placeholder }: Account) {
  const bySale = purchases.toSorted((a, b) => a.id - b.id);
  const founderOf = (purchase: AccountPurchase) =>
    bySale.find(({ license, redeem }) => redeem !== null && license === purchase.license)?.saleId;
  return {
    unadopted: placeholder?.status,
    purchases: bySale.map((purchase) => ({
      ...{ sale: purchase.saleId, status: purchase.status, problem: purchase.problem },
      ...{ founder: purchase.license && founderOf(purchase), hasCode: purchase.redeem !== null },
      ...{
        product: purchase.productId,
        extended: purchase.extendedSeconds,
        granted: purchase.grantedAddonIds,
      },
      license: purchase.license && {
        ...{ status: purchase.license.status, expiresAt: purchase.license.expiresAt?.toISOString() },
        addonIds: purchase.license.addonIds.toSorted((a, b) => a - b),
      },
    })),
  };
}

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({
    kind: fc.constant('purchase' as const),
    sale: fc.constantFrom(...SALES),
    at: fc.integer({ min: 1, max: 5 }),
    renewal: fc.boolean(),
    addon: fc.constantFrom(null, null, 'a', 'b'),
  }),
  fc.record({
    kind: fc.constant('reversal' as const),
    sale: fc.constantFrom(...SALES),
    as: fc.constantFrom('refunded' as const, 'chargeback' as const),
  }),
  fc.record({ kind: fc.constant('removal' as const), at: fc.integer({ min: 0, max: 6 }) }),
);

/** The mappings, up to one notice of a kind for each sale, and everything in two orders. */
const history = fc
  .uniqueArray(happening, {
    maxLength: 9,
    selector: (one) => ('sale' in one ? `${one.kind} ${one.sale} ${'as' in one ? one.as : ''}` : one),
  })
  .chain((notices) => {
    const mappings = [...MAPPINGS.keys()].map((addon) => ({ kind: 'mapping', addon }) as const);
    const all: Happening[] = [...mappings, ...notices];
    const shuffled = fc.shuffledSubarray(all, { minLength: all.length });
    return fc.tuple(shuffled, shuffled);
  });

describe('settling', () => {
  it('comes to one state in whatever order things happen', () => {
    fc.assert(
      fc.property(history, ([one, other]) => {
        expect(shown(after(one))).toEqual(shown(after(other)));
      }),
      { numRuns: 2000 },
    );
  });

  it('comes to one state however often it runs', () => {
    fc.assert(
      fc.property(history, ([happenings]) => {
        const often = happenings.flatMap((one): Happening | Happening[] =>
          'sale' in one ? [one, one] : one,
        );
        expect(shown(after(often))).toEqual(shown(after(happenings)));
      }),
    );
  });

  it('adopts the license of a download, whenever it comes', () => {
    const purchase = { kind: 'purchase', sale: 0, at: 1, renewal: false, addon: null } as const;
    const refund = { kind: 'reversal', sale: 0, as: 'refunded' } as const;
    const rest: Happening[] = [purchase, refund, { kind: 'download' }];
    fc.assert(
      fc.property(fc.shuffledSubarray<Happening>(rest), (happenings) => {
        const account = after([{ kind: 'mapping', addon: null }, ...happenings]);
        const [isBought, isRefunded, isDownloaded] = rest.map((one) => happenings.includes(one));
        expect(account.placeholder?.status).toBe(isDownloaded && !isBought ? 'suspended' : undefined);
        const bought = account.purchases.find(({ license }) => license !== null);
        expect(bought?.license?.status).toBe(!isBought ? undefined : isRefunded ? 'suspended' : 'active');
      }),
    );
  });

  it('a chargeback stays one, also after a refund', () => {
    const sale = { kind: 'purchase', sale: 0, at: 1, renewal: false, addon: null } as const;
    const [refund, chargeback] = (['refunded', 'chargeback'] as const).map(
      (as) => ({ kind: 'reversal', sale: 0, as }) as const,
    ) as [Happening, Happening];
    expect(after([sale, chargeback, refund]).purchases[0]?.status).toBe('chargeback');
    expect(after([sale, refund, chargeback]).purchases[0]?.status).toBe('chargeback');
  });

  it('a renewal goes to what was bought before it, and from later of now and its expiry on', () => {
    const buy = (sale: number, at: number, renewal: boolean) =>
      ({ kind: 'purchase', sale, at, renewal, addon: null }) as const;
    const account = after([
      { kind: 'mapping', addon: null },
      buy(0, 1, false),
      buy(1, 3, false),
      buy(2, 2, true),
    ]);
    const [first, second, renewal] = account.purchases;
    expect(renewal?.license).toBe(first?.license);
    expect(first?.license?.expiresAt).toEqual(new Date(NOW.getTime() + 37 * DAY));
    expect(second?.license?.expiresAt).toEqual(new Date(NOW.getTime() + 30 * DAY));
    const license = first?.license;
    if (!license) throw new Error('There is no license');
    license.expiresAt = new Date(NOW.getTime() - 100 * DAY);
    if (renewal) renewal.extendedSeconds = null;
    settle(account, {
      ...{ now: NOW, resourceId: '5', newRedeemCode: () => 'x' },
      mappingOf: (addon) => MAPPINGS.get(addon),
    });
    expect(license.expiresAt).toEqual(new Date(NOW.getTime() + 7 * DAY));
  });

  it('the first of renewals founds a license where nothing else does, and hands it over', () => {
    const renewal = { kind: 'purchase', sale: 1, at: 2, renewal: true, addon: null } as const;
    const purchase = { kind: 'purchase', sale: 0, at: 1, renewal: false, addon: null } as const;
    const mapping = { kind: 'mapping', addon: null } as const;
    const [alone] = after([mapping, renewal]).purchases;
    expect(alone?.redeem).toBe('code 1');
    const account = after([mapping, renewal, purchase]);
    const handed = account.purchases.find(({ id }) => id === 0);
    expect(handed?.redeem).toBe('code 1');
    expect(handed?.license?.expiresAt).toEqual(new Date(NOW.getTime() + 37 * DAY));
  });
});
