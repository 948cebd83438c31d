import { beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';

/** How many interleavings are tried. By hand: MODEL_RUNS=1000 npm test -- verdict-model */
const RUNS = Number(process.env['MODEL_RUNS'] ?? 8);
const LICENSES = 2;
const PRODUCTS = 2;

/** The one that remembers, and the model: the same program over the same database, with no room to remember. */
let cached: TestApp;
let model: TestApp;

beforeAll(async () => {
  cached = await startApp();
  model = await startApp({ databaseUrl: cached.databaseUrl, env: { VALIDATION_CACHE: '0' } });
});

type Call = readonly [method: string, path: string, body: Record<string, unknown>];

interface World {
  readonly keys: readonly string[];
  readonly products: readonly string[];
  readonly users: readonly string[];
  readonly list: string;
  readonly rule: string;
}

const license = fc.nat(LICENSES - 1);
const product = fc.nat(PRODUCTS - 1);

/** Whatever an administrator may do to what a verdict depends on; refusals (twice the same) are part of it. */
const mutation: fc.Arbitrary<(world: World) => Call> = fc.oneof(
  fc
    .tuple(license, fc.constantFrom('active', 'suspended', 'revoked'))
    .map(([at, status]) => ({ keys }: World): Call => ['PATCH', '/licenses', { key: keys[at], status }]),
  fc
    .tuple(license, fc.constantFrom(null, '2026-01-15T11:59:59.999Z', '2026-02-01T00:00:00.000Z'))
    .map(([at, expires_at]) => ({ keys }: World): Call => [
      'PATCH',
      '/licenses',
      { key: keys[at], expires_at },
    ]),
  fc
    .tuple(license, fc.constantFrom(-1, 1, 2))
    .map(([at, seats]) => ({ keys }: World): Call => ['PATCH', '/licenses', { key: keys[at], seats }]),
  fc
    .tuple(license, product)
    .map(([at, of]) => ({ keys, products }: World): Call => [
      'PATCH',
      '/licenses',
      { key: keys[at], product: products[of] },
    ]),
  fc
    .tuple(license, fc.nat(1))
    .map(([at, of]) => ({ keys, users }: World): Call => [
      'PATCH',
      '/licenses',
      { key: keys[at], user_id: users[of] },
    ]),
  license.map((at) => ({ keys }: World): Call => ['DELETE', '/licenses', { key: keys[at] }]),
  license.map((at) => ({ keys }: World): Call => ['POST', '/licenses', { key: keys[at] }]),
  fc
    .tuple(fc.nat(1), fc.constantFrom('active', 'banned'))
    .map(([at, status]) => ({ users }: World): Call => ['PATCH', '/users', { user_id: users[at], status }]),
  fc
    .tuple(product, fc.constantFrom('attach', 'detach'))
    .map(([of, verb]) => ({ products, list }: World): Call => [
      'POST',
      `/whitelists/${verb}`,
      { whitelist: list, product: products[of] },
    ]),
  fc
    .constantFrom(-1, 0, 1, 2)
    .map((limit) => ({ list }: World): Call => ['PATCH', '/whitelists', { name: list, limit }]),
  fc
    .tuple(license, fc.constantFrom(0, 1, null))
    .map(([at, limit]) => ({ keys, list }: World): Call => [
      'PATCH',
      '/licenses/whitelists',
      { license: keys[at], whitelist: list, limit },
    ]),
  license.map((at) => ({ keys, list }: World): Call => [
    'DELETE',
    '/licenses/whitelists',
    { license: keys[at], whitelist: list },
  ]),
  fc
    .tuple(product, fc.constantFrom('attach', 'detach'))
    .map(([of, verb]) => ({ products, rule }: World): Call => [
      'POST',
      `/rules/${verb}`,
      { rule, product: products[of] },
    ]),
  fc
    .constantFrom('127.0.0.0/8', '10.0.0.0/8')
    .map((cidr) => ({ rule }: World): Call => ['PATCH', '/rules', { name: rule, config: { cidrs: [cidr] } }]),
  fc
    .tuple(license, fc.nat(3))
    .map(([at, value]) => ({ keys }: World): Call => [
      'POST',
      '/licenses/variables',
      { license: keys[at], key: 'v', value },
    ]),
  fc
    .tuple(product, fc.nat(3))
    .map(([of, value]) => ({ products }: World): Call => [
      'PATCH',
      '/variables/product',
      { product: products[of], name: 'v', value },
    ]),
);

/** Both ask for the same seat: whoever comes second renews what the first has opened. */
const validation = fc.record({
  at: license,
  identifier: fc.constantFrom('a', 'b', 'c'),
  hwid: fc.constantFrom(undefined, 'one', 'two', 'three'),
});

const step = fc.oneof({ weight: 2, arbitrary: mutation }, { weight: 3, arbitrary: validation });

async function newWorld(name: string): Promise<World> {
  const make = async (path: string, body: Record<string, unknown>) => {
    const response = await cached.rest('POST', path, body);
    if (response.status !== 201) throw new Error(`POST ${path} ${response.status}: ${response.text}`);
  };
  const world = {
    keys: Array.from({ length: LICENSES }, (_, at) => `MODEL-${name}-${at}`),
    products: Array.from({ length: PRODUCTS }, (_, at) => `model ${name} ${at}`),
    users: [`model_${name}_0`, `model_${name}_1`],
    ...{ list: `model ${name}`, rule: `model ${name}` },
  };
  for (const user_id of world.users) await make('/users', { user_id });
  for (const [at, product_name] of world.products.entries()) {
    await make('/products', { name: product_name });
    await cached.rest('POST', '/variables/product', { product: product_name, name: 'v', value: at });
  }
  await make('/whitelists', { name: world.list, type: 'header', header: 'X-HWID' });
  await make('/rules', { name: world.rule, type: 'ip', action: 'deny', config: { cidrs: ['10.0.0.0/8'] } });
  for (const key of world.keys) await make('/licenses', { key, product: world.products[0] });
  return world;
}

it(
  'gives the verdicts of a program that remembers nothing, whatever is changed in between',
  async () => {
    let runs = 0;
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 40 }), async (steps) => {
        const world = await newWorld(`${process.pid}-${runs++}`);
        for (const taken of steps) {
          if (typeof taken === 'function') {
            const { status } = await cached.rest(...taken(world));
            expect(status).toBeLessThan(500);
            continue;
          }
          const { at, identifier, hwid } = taken;
          const ask = async (app: TestApp) => {
            const headers = hwid === undefined ? {} : { 'X-HWID': hwid };
            const body = { license_key: world.keys[at], identifier };
            return (await app.anonymous('POST', '/licenses/validate', body, { headers })).body;
          };
          // The one that remembers is first: what it writes by its memory, the other reads.
          const verdict = await ask(cached);
          expect(await ask(model)).toEqual(verdict);
          seen.add(String(verdict.code));
        }
      }),
      { numRuns: RUNS },
    );
    // Or the steps have become too tame to show anything.
    expect(seen.size).toBeGreaterThanOrEqual(2);
  },
  60_000 + 5_000 * RUNS,
);
