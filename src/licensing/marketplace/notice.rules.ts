import { InvalidField, invalidFields, pointer, show } from '../../platform/errors.js';
import { sha256 } from '../../platform/random.js';
import { amountOf, dateOf, flagOf, idOf, labelOf, optionalIdOf, textOf } from './notice-values.rules.js';
import type { Reversal } from './purchase.entity.js';

/** What a marketplace said about a purchase, read from whatever form it said it in. */
export interface Notice {
  readonly kind: 'purchase' | Reversal;
  /** One notice of a kind with a key says all: another one is a repeat. */
  readonly key: string;
  /** Null: it is about all that this buyer has bought of the resource until `occurredAt`. */
  readonly saleId: string | null;
  readonly marketplace: string;
  readonly resourceId: string | null;
  readonly purchaserId: string | null;
  readonly username: string | null;
  readonly marketplaceLicenseId: string | null;
  readonly addonId: string | null;
  readonly renewal: boolean;
  readonly price: number | null;
  readonly currency: string | null;
  readonly purchaseDate: Date | null;
  /** Null: when it was received. */
  readonly occurredAt: Date | null;
}

/** Who wants to download what. */
export interface DownloadNotice {
  readonly marketplace: string;
  readonly resourceId: string;
  readonly purchaserId: string;
  /** It wants the key as `{"value": …}`, not as plain text. */
  readonly wantsJson: boolean;
}

type Payload = Readonly<Record<string, unknown>>;

/** Whose template it is if it doesn't say: theirs are the ones that sellers write themselves. */
const DEFAULT_MARKETPLACE = 'builtbybit';
const POLYMART = 'polymart';

/** By the payload's `status`, in any case; none at all is a purchase. The first list is also this program's own words. */
const STATUS_KINDS = {
  purchase: [
    ...[
      'pending',
      'claimed',
      'purchase',
      'purchased',
      'complete',
      'completed',
      'paid',
      'success',
      'succeeded',
    ],
    ...['active', 'approved', 'processed', 'renewed', 'renewal'],
  ],
  refunded: ['refund', 'refunded', 'removed', 'purchase_removed'],
  chargeback: ['chargeback', 'charge_back', 'charged_back', 'dispute', 'disputed', 'reversed'],
} as const satisfies Record<Notice['kind'], readonly string[]>;

/** https://polymart.org/wiki/webhooks; `product.user.refund` is what older webhooks say. */
const POLYMART_EVENTS = new Map<string, Notice['kind']>([
  ['product.user.purchase', 'purchase'],
  ['product.user.purchaseRemoved', 'refunded'],
  ['product.user.refund', 'refunded'],
]);

/** Undefined for what is about no purchase, such as a ping. Throws 422 for what can't be understood. */
export function readNotice(payload: Payload): Notice | undefined {
  return typeof payload['event'] === 'string' && isObject(payload['payload'])
    ? readPolymart(payload, payload['payload'], payload['event'])
    : readTemplate(payload);
}

function readTemplate(payload: Payload): Notice {
  const kind = kindOf(textOf(payload, 'status'));
  const given = idOf(payload, 'sale_id', 'purchase_id');
  const resourceId = idOf(payload, 'resource_id');
  const purchaserId = idOf(payload, 'purchaser_id', 'user_id');
  const addonId = optionalIdOf(payload, 'addon_id');
  const date = textOf(payload, 'purchase_date');
  // A refund may name the sale alone. What names no sale, however, is known by all the rest.
  if (kind === 'purchase' || given === null) required({ resource_id: resourceId, purchaser_id: purchaserId });
  if (kind !== 'purchase' && given === null) required({ sale_id: date });
  const saleId = given ?? keyOf([resourceId, purchaserId, date, ...(addonId === null ? [] : [addonId])]);
  return {
    ...{ kind, key: saleId, saleId, marketplace: marketplaceOf(payload), resourceId, purchaserId, addonId },
    username: labelOf(payload, 'username'),
    marketplaceLicenseId: optionalIdOf(payload, 'marketplace_license_id', 'license_id'),
    renewal: flagOf(payload, 'renewal'),
    price: amountOf(payload, 'price', 'final_price'),
    currency: labelOf(payload, 'currency'),
    purchaseDate: dateOf(payload, 'purchase_date'),
    occurredAt: null,
  };
}

/** `{event, time, nonce, payload: {product, user}}`. It has no sale: a removal is of what was bought before it. */
function readPolymart(envelope: Payload, { product, user }: Payload, event: string): Notice | undefined {
  const kind = POLYMART_EVENTS.get(event);
  if (kind === undefined) return undefined;
  const resourceId = idOf(isObject(product) ? product : {}, 'id');
  const purchaserId = idOf(isObject(user) ? user : {}, 'id');
  const time = textOf(envelope, 'time');
  const occurredAt = dateOf(envelope, 'time');
  required({ 'payload.product.id': resourceId, 'payload.user.id': purchaserId, time: occurredAt });
  const key = keyOf([resourceId, purchaserId, time]);
  return {
    ...{ kind, key, marketplace: POLYMART, resourceId, purchaserId, addonId: null, occurredAt },
    saleId: kind === 'purchase' ? key : null,
    username: labelOf(isObject(user) ? user : {}, 'username', 'name'),
    ...{ marketplaceLicenseId: null, renewal: false, price: null, currency: null },
    purchaseDate: kind === 'purchase' ? occurredAt : null,
  };
}

/**
 * BuiltByBit sends a form with `resource_id` and `user_id`, Polymart JSON with `product` and `user` and wants JSON
 * back. Throws 422 when one is missing.
 */
export function readDownload(payload: Payload): DownloadNotice {
  const wantsJson = textOf(payload, 'product') !== null && textOf(payload, 'user') !== null;
  const resourceId = wantsJson ? idOf(payload, 'product') : idOf(payload, 'resource_id');
  const purchaserId = wantsJson ? idOf(payload, 'user') : idOf(payload, 'purchaser_id', 'user_id');
  const found = required({ resource_id: resourceId, purchaser_id: purchaserId });
  return {
    marketplace: wantsJson ? POLYMART : marketplaceOf(payload),
    resourceId: found.resource_id,
    purchaserId: found.purchaser_id,
    wantsJson,
  };
}

function kindOf(status: string | null): Notice['kind'] {
  const word = status?.toLowerCase().replace(/[\s-]+/g, '_') ?? 'purchase';
  const kinds = Object.entries(STATUS_KINDS) as [Notice['kind'], readonly string[]][];
  const [kind] = kinds.find(([, words]) => words.includes(word)) ?? [];
  if (kind !== undefined) return kind;
  const allowed = kinds.flatMap(([, words]) => words).join(', ');
  throw new InvalidField('status', `must be one of ${allowed}; got ${show(status)}`);
}

function marketplaceOf(payload: Payload): string {
  return idOf(payload, 'marketplace')?.toLowerCase() ?? DEFAULT_MARKETPLACE;
}

function keyOf(parts: readonly (string | null)[]): string {
  return sha256(JSON.stringify(parts)).toString('hex');
}

function required<T extends Record<string, unknown>>(values: T): { [Name in keyof T]: NonNullable<T[Name]> } {
  for (const [name, value] of Object.entries(values)) {
    const [at, code, detail] = [pointer(...name.split('.')), 'INVALID_FIELD', `${name} is required`];
    if (value === null) throw invalidFields([{ pointer: at, code, detail }]);
  }
  return values as { [Name in keyof T]: NonNullable<T[Name]> };
}

function isObject(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
