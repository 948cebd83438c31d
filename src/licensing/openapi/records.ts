const AT = '2026-01-15T12:00:00.000Z';
const LATER = '2026-01-15T12:10:00.000Z';
const times = { createdAt: AT, updatedAt: AT };
const KEY = 'PLOTGUARD-ADA-0001';

/** An example of each record of the licensing API, by the name of its schema. They belong together: one shop, one buyer. */
export const licensingRecords: Readonly<Record<string, unknown>> = {
  License: {
    ...{ id: 1, key: KEY, product: 'Plot Guard', customer: 'Lovelace & Co', user_id: 'usr_ada' },
    ...{ status: 'active', expires_at: '2030-01-01T00:00:00.000Z', seats: 3, note: 'Paid by invoice 4711' },
    ...{ addons: ['More worlds'], whitelists: { hwid: { values: ['machine-1'], limit: 5 } } },
    ...times,
  },
  Verdict: {
    ...{ valid: true, code: 'VALID', message: 'The license is valid.' },
    ...{ product: 'Plot Guard', customer: 'Lovelace & Co', status: 'active' },
    ...{ expires_at: '2030-01-01T00:00:00.000Z', addons: ['More worlds'] },
    ...{ variables: { max_plots: 250, motd: 'Version 2 is out' }, user_variables: { theme: 'dark' } },
    ...{
      timestamp: 1768478400,
      session: { token: 'uF4kq1mZ0pXr7wVt2sYb9c' },
      warnings: [],
      nonce: '5f2b8c1e',
    },
  },
  OfflineLicense: {
    token: 'eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0.eyJsaWNlbnNlIjoiUExPVEdVQVJEIn0.c2lnbmF0dXJl',
    kid: 'k1',
    expires_at: '2026-01-16T12:00:00.000Z',
  },
  PublicKey: {
    ...{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
    ...{ kid: 'k1', alg: 'EdDSA', use: 'sig' },
  },
  Product: {
    ...{
      id: 1,
      name: 'Plot Guard',
      addons: ['More worlds'],
      whitelists: ['hwid'],
      session_ttl: 600,
      ...times,
    },
  },
  Customer: { id: 1, name: 'Lovelace & Co', ...times },
  Addon: { id: 1, name: 'More worlds', ...times },
  Whitelist: {
    ...{ id: 1, name: 'hwid', type: 'field', header: null, field: 'hwid', limit: 3, global: false, ...times },
  },
  LicenseWhitelistEntry: {
    ...{ name: 'hwid', type: 'field', source: 'field:hwid', limit: 5, values: ['machine-1'], enforced: true },
  },
  Variable: { scope: 'product', owner: 'Plot Guard', key: 'max_plots', value: 100 },
  User: {
    ...{ id: 1, user_id: 'usr_ada', email: 'ada@example.com', display_name: 'Ada Lovelace' },
    ...{ status: 'active', merged_into: null, ...times },
  },
  MergedUsers: { merged: true, from: 'usr_ada_old', to: 'usr_ada' },
  Identity: {
    ...{
      id: 1,
      user_id: 'usr_ada',
      provider: 'github',
      provider_id: '583231',
      metadata: { username: 'ada' },
    },
    ...times,
  },
  Session: {
    ...{ token: 'uF4kq1mZ0pXr7wVt2sYb9c', license: KEY, product: 'Plot Guard', identifier: 'server-1' },
    ...{ ip: '203.0.113.7', agent: 'PlotGuard/1.4.0', last_seen: AT, expires_at: LATER },
  },
  Heartbeat: { token: 'uF4kq1mZ0pXr7wVt2sYb9c', last_seen: AT, expires_at: LATER },
  Rule: {
    ...{ id: 1, name: 'since-1.2', type: 'version', action: 'allow' },
    ...{ config: { range: '>=1.2.0', on_missing: 'deny' }, message: 'Please update to 1.2 or newer.' },
    ...{ global: false, ...times },
  },
  File: {
    ...{ id: 1, name: 'plot-guard', product: 'Plot Guard', addon: null, repo: 'acme/plot-guard' },
    ...{ asset: 'plot-guard.jar', prerelease: true, stamp: false, ...times },
  },
  IssuedDownload: {
    ...{ build_id: 'bld_3vT9mKq2XwZr', token: 'kX2v9QeT7bLwYc4mRz8sNa' },
    ...{ url: 'https://licensing.example.com/download/kX2v9QeT7bLwYc4mRz8sNa', product: 'Plot Guard' },
    ...{ customer: 'Lovelace & Co', version: '1.4.0', file: 'plot-guard' },
    ...{ expires_at: '2026-01-15T13:00:00.000Z', max_uses: 3 },
  },
  Download: {
    ...{ build_id: 'bld_3vT9mKq2XwZr', file: 'plot-guard', license: KEY, customer: 'Lovelace & Co' },
    ...{ product: 'Plot Guard', addon: null, version: '1.4.0', max_uses: 3, uses: 1 },
    ...{ expires_at: '2026-01-15T13:00:00.000Z', delivered_at: LATER, revoked: false },
  },
  Webhook: {
    ...{
      id: 1,
      name: 'shop',
      url: 'https://hooks.example.com/licensing',
      events: ['license.*', 'purchase.*'],
    },
    ...{ secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=', enabled: true },
    ...{ headers: { 'X-Shop': 'licensing' }, ...times },
  },
  WebhookDelivery: {
    ...{ id: 1, webhook: 'shop', event: 'license.created', event_id: 'evt_2Jw9mQx4', status: 'delivered' },
    ...{ attempts: 1, code: 204, error: null, next_attempt_at: null, ...times },
  },
  Purchase: {
    ...{ id: 1, sale_id: 'sale-1001', marketplace: 'builtbybit', resource_id: '4711', addon_id: null },
    ...{ purchaser_id: '99', username: 'ada', marketplace_license_id: null, user_id: 'usr_ada' },
    ...{
      product: 'Plot Guard',
      license_key: 'K7QWX-3M9TA-0VHEN-5P2RD-8CGJB',
      redeem: '7XK2M-QW9ER-T4YUP-2ASDF',
    },
    ...{ status: 'claimed', problem: null, renewal: false, price: 14.99, currency: 'EUR', purchase_date: AT },
    ...times,
  },
  PurchaseReceipt: {
    ...{ success: true, sale_id: 'sale-1001', status: 'pending' },
    ...{ license_key: 'K7QWX-3M9TA-0VHEN-5P2RD-8CGJB', redeem: '7XK2M-QW9ER-T4YUP-2ASDF', duplicate: false },
  },
  PurchaseClaim: { success: true, license: 'K7QWX-3M9TA-0VHEN-5P2RD-8CGJB', user_id: 'usr_ada' },
  RequestLogEntry: {
    ...{ id: 1, type: 'requests', request_id: 'order-4711', method: 'POST', path: '/licenses/validate' },
    ...{ status: 200, code: 'VALID', license: '…A-0001', product: 'Plot Guard', customer: 'Lovelace & Co' },
    ...{ ip: '203.0.113.7', agent: 'PlotGuard/1.4.0', duration_ms: 1.8, createdAt: AT },
  },
  ActivityEntry: {
    ...{ id: 1, type: 'activity', event: 'license.updated', actor: 'admin' },
    ...{ resource: { type: 'license', id: '…A-0001' }, changes: { seats: [2, 3] } },
    ...{ request_id: 'order-4711', source: 'rest', createdAt: AT },
  },
};
