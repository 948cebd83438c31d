import { createHmac } from 'node:crypto';
import { startApp } from './app.js';
import type { TestApp } from './app.js';
import type { RestResponse } from './rest.js';

export const SECRET = 'the marketplace secret of every test';

/** An app that marketplaces may call, and what they and its administrator do there. */
export interface Market {
  readonly app: TestApp;
  /** A resource that nobody has named yet. */
  resource(): string;
  /** Posts a notice as a seller's template sends it, with the secret in the body. */
  sell(notice: Record<string, unknown>): Promise<RestResponse>;
  /** Asks for the key of a download, as BuiltByBit does: by a form. */
  download(fields: Record<string, string>): Promise<RestResponse>;
  /** Posts Polymart's own dialect, signed. */
  polymart(event: string, time: number, payload: object, path?: string): Promise<RestResponse>;
  map(input: Record<string, unknown>): Promise<{ id: number }>;
  /** The purchase of a sale as REST lists it. */
  purchase(saleId: string): Promise<Record<string, unknown>>;
  license(key: string): Promise<Record<string, unknown>>;
}

export async function startMarket(options: Parameters<typeof startApp>[0] = {}): Promise<Market> {
  const app = await startApp({ ...options, env: { MARKETPLACE_SECRET: SECRET, ...options.env } });
  let count = 0;
  const sell = (notice: Record<string, unknown>) =>
    app.anonymous('POST', '/marketplace/webhook', { secret: SECRET, ...notice });
  return {
    ...{ app, sell },
    resource: () => `resource-${(count += 1)}`,
    download: (fields) => postForm(app, '/marketplace/placeholder', { secret: SECRET, ...fields }),
    polymart: (event, time, payload, path = '/marketplace/webhook') =>
      postSigned(app, path, { event, time, nonce: `nonce-${(count += 1)}`, payload }),
    map: async (input) => {
      const { data, errors } = await app.graphql(
        'mutation ($input: CreateMarketplaceMappingInput!) { mapping: createMarketplaceMapping(input: $input) { id } }',
        { input },
      );
      if (errors.length > 0) throw new Error(JSON.stringify(errors));
      return data.mapping as { id: number };
    },
    purchase: async (saleId) => {
      const { body } = await app.rest('GET', `/marketplace/purchases?sale_id=${encodeURIComponent(saleId)}`);
      return (body as Record<string, unknown>[])[0] ?? {};
    },
    license: async (key) => {
      const { body } = await app.rest('GET', '/licenses');
      const found = (body as Record<string, unknown>[]).find((license) => license['key'] === key);
      if (!found) throw new Error(`There is no license ${key}`);
      return found;
    },
  };
}

export function postForm(app: TestApp, path: string, fields: Record<string, string>): Promise<RestResponse> {
  return app.anonymous('POST', path, undefined, {
    raw: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

/** Posts a body with its signature, as Polymart does; `signed` is what is signed instead by a forger. */
export function postSigned(
  app: TestApp,
  path: string,
  body: object,
  secret = SECRET,
  signed = JSON.stringify(body),
): Promise<RestResponse> {
  const raw = JSON.stringify(body);
  const signature = createHmac('sha256', secret).update(signed).digest('hex');
  return app.anonymous('POST', path, undefined, {
    raw,
    headers: { 'content-type': 'application/json', 'x-polymart-signature': signature },
  });
}
