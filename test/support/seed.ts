import type { RestClient, RestResponse } from './rest.js';

/** Makes records as an administrator would, with names of their own unless a test says otherwise. */
export interface Seeder {
  product(fields?: Record<string, unknown>): Promise<Record<string, unknown> & { name: string }>;
  customer(fields?: Record<string, unknown>): Promise<Record<string, unknown> & { name: string }>;
  addon(fields?: Record<string, unknown>): Promise<Record<string, unknown> & { name: string }>;
  license(fields?: Record<string, unknown>): Promise<Record<string, unknown> & { key: string; id: number }>;
}

export function seeder(rest: RestClient): Seeder {
  let count = 0;
  const named =
    (kind: string) =>
    async (fields: Record<string, unknown> = {}) => {
      count += 1;
      return created(await rest('POST', `/${kind}s`, { name: `${kind} ${count}`, ...fields }));
    };
  return {
    product: named('product'),
    customer: named('customer'),
    addon: named('addon'),
    license: async (fields = {}) => created(await rest('POST', '/licenses', fields)),
  };
}

function created(response: RestResponse) {
  if (response.status !== 201) throw new Error(`Seeding answered ${response.status}: ${response.text}`);
  return response.body as Record<string, unknown> & { name: string; key: string; id: number };
}
