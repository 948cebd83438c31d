import type { Response } from 'express';
import { defineRoutes } from '../../platform/rest/routes.js';
import type { Inbound } from '../../platform/rest/routes.js';
import {
  ClaimPurchaseDocument,
  IssuePlaceholderKeyDocument,
  ListPurchasesDocument,
  ReceivePurchaseDocument,
} from './marketplace.generated.js';
import type { IssuePlaceholderKeyMutation, ReceivePurchaseMutation } from './marketplace.generated.js';

const inbound: Inbound = {
  bytesMax: 256 * 1024,
  headers: { authorization: 'authorization', signature: 'x-polymart-signature' },
};

export const marketplaceRoutes = defineRoutes({
  'GET /marketplace/purchases': { access: 'apiKey', operation: ListPurchasesDocument, response: 'list' },
  'POST /marketplace/claim': { access: 'apiKey', operation: ClaimPurchaseDocument },
  'POST /marketplace/webhook': {
    access: 'public',
    operation: ReceivePurchaseDocument,
    lenient: true,
    inbound,
    response: sendReceipt,
  },
  'POST /marketplace/placeholder': {
    access: 'public',
    operation: IssuePlaceholderKeyDocument,
    lenient: true,
    // The marketplace puts whatever it takes for an answer into what the buyer downloads.
    inbound: { ...inbound, onlyClientErrors: true },
    response: sendKey,
  },
});

/** A repeat says so; what comes first has no word for it. */
function sendReceipt(
  { duplicate, ...receipt }: ReceivePurchaseMutation['receivePurchase'],
  _req: unknown,
  res: Response,
): void {
  res.json(duplicate ? { ...receipt, duplicate } : receipt);
}

function sendKey(
  { key, wantsJson }: IssuePlaceholderKeyMutation['issuePlaceholderKey'],
  _req: unknown,
  res: Response,
): void {
  if (wantsJson) res.json({ value: key });
  else res.type('text/plain').send(key);
}
