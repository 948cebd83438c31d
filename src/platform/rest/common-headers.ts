/**
 * What every response carries beside its request id. A page of ours that a browser is meant to show brings a policy of
 * its own; everything else is data, and a browser that is led to it runs, frames and embeds nothing of it.
 */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'API-Version': '1',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
};
