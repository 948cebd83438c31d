import type { CodeNotes } from '../../platform/rest/openapi/notes.js';
import { LINK_REFUSALS } from '../downloads/download.rules.js';
import { VERDICT_CODES } from '../licenses/validation/verdict.rules.js';

const notValid = Object.entries(VERDICT_CODES).map(([code, { message }]) => [
  code,
  { status: 403, title: 'License not valid', detail: message },
]);
const linkRefusals = Object.entries(LINK_REFUSALS).map(([code, detail]) => [
  code,
  { status: 410, title: 'Download not available', detail },
]);

/** The error codes of the licensing API that are its own; `…_NOT_FOUND` speak for themselves. */
export const licensingCodes = {
  ...Object.fromEntries([...notValid, ...linkRefusals]),
  ADDON_REQUIRED: {
    status: 403,
    title: 'License not valid',
    detail: 'This license lacks the addon "More worlds", which the file needs.',
  },
  MARKETPLACE_SECRET_INVALID: {
    status: 401,
    title: 'Marketplace secret invalid',
    detail: 'Send the secret as "secret" in the body or the query, as a bearer, or sign the body with it',
  },
  MARKETPLACE_NOT_CONFIGURED: {
    status: 503,
    title: 'Marketplace not configured',
    detail: 'The server has no MARKETPLACE.SECRET, so nobody can show that they know it',
  },
  ALREADY_CLAIMED: {
    status: 409,
    title: 'Already claimed',
    detail: 'Another user has claimed the purchase …e-1001',
  },
  PURCHASE_PENDING: {
    status: 409,
    title: 'Purchase pending',
    detail: 'The purchase …e-1001 has no license to claim: no product is mapped',
  },
  PURCHASE_REFUNDED: {
    status: 409,
    title: 'Purchase refunded',
    detail: 'The marketplace took the purchase …e-1001 back',
  },
  FILE_NOT_ISSUABLE: {
    status: 409,
    title: 'File not issuable',
    detail: 'The file "plot-guard" lacks its product, repository or asset',
  },
  SESSION_EXPIRED: {
    status: 410,
    title: 'Session expired',
    detail: 'The session has expired; validate again',
  },
  WEBHOOK_INCOMPLETE: {
    status: 409,
    title: 'Webhook incomplete',
    detail: 'The webhook "shop" has no url yet',
  },
  WEBHOOK_DISABLED: {
    status: 409,
    title: 'Webhook disabled',
    detail: 'The webhook "shop" is disabled',
  },
} as Readonly<Record<string, CodeNotes>>;
