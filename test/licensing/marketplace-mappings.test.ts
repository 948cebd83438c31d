import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityNamed } from '../support/activity.js';
import { cliWith } from '../support/cli.js';
import type { Cli } from '../support/cli.js';
import { startMarket } from '../support/marketplace.js';
import type { Market } from '../support/marketplace.js';
import { runTasks, startTestWorker } from '../support/worker.js';

let market: Market;
let cli: Cli;
let product: string;

beforeAll(async () => {
  market = await startMarket();
  cli = cliWith({ LICENSING_URL: market.app.url, LICENSING_API_KEY: market.app.apiKey });
  product = (await market.app.seed.product()).name;
  await startTestWorker(market.app);
});

const CREATE =
  'mutation ($input: CreateMarketplaceMappingInput!) { created: createMarketplaceMapping(input: $input) { ...M } }';
const UPDATE =
  'mutation ($id: Int!, $input: UpdateMarketplaceMappingInput!) { updated: updateMarketplaceMapping(id: $id, input: $input) { ...M } }';
const FIELDS =
  ' fragment M on MarketplaceMapping { id marketplace resourceId addonId productName addonNames durationDays seats renewalDays }';

const create = (input: Record<string, unknown>) => market.app.graphql(CREATE + FIELDS, { input });
const update = (id: number, input: Record<string, unknown>) =>
  market.app.graphql(UPDATE + FIELDS, { id, input });

describe('createMarketplaceMapping', () => {
  it('has defaults, and an event', async () => {
    const resourceId = market.resource();
    const { data } = await create({ resourceId, product, marketplace: 'BuiltByBit' });
    expect(data.created).toMatchObject({
      ...{ marketplace: 'builtbybit', resourceId, addonId: null, productName: product, addonNames: [] },
      ...{ durationDays: null, seats: -1, renewalDays: 30 },
    });
    const entries = await activityNamed(market.app, 'marketplace_mapping.created');
    expect(entries.at(-1)).toMatchObject({ resource_id: `builtbybit:${resourceId}`, actor: 'api_key:*' });
  });

  it.each([
    [{ product: 'nothing' }, '/product'],
    [{ addons: ['nothing'] }, '/addons'],
    [{ durationDays: 0 }, '/durationDays'],
    [{ renewalDays: 36_501 }, '/renewalDays'],
    [{ seats: 0 }, '/seats'],
  ])('INVALID_FIELD for %j', async (fields, pointer) => {
    const { errors } = await create({ resourceId: market.resource(), product, ...fields });
    expect(errors[0]?.extensions).toMatchObject({ code: 'INVALID_FIELD', errors: [{ pointer }] });
  });

  it('ALREADY_EXISTS for the same of the same, also many times at once', async () => {
    const resourceId = market.resource();
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ resourceId, product })));
    const codes = answers.map(({ errors }) => errors[0]?.extensions['code']);
    expect(codes.filter((code) => code === 'ALREADY_EXISTS')).toHaveLength(9);
    expect((await create({ resourceId, product, addonId: '1' })).errors).toEqual([]);
    expect((await create({ resourceId, product, marketplace: 'polymart' })).errors).toEqual([]);
  });

  it('needs licensing:write', async () => {
    const reader = await market.app.restAs('licensing:read');
    const body = { query: `mutation { replayPurchases { queued } }` };
    expect((await reader('POST', '/graphql', body)).body.errors[0].extensions.code).toBe(
      'INSUFFICIENT_SCOPE',
    );
  });
});

describe('a mapping', () => {
  it('of one marketplace goes before one of any', async () => {
    const resource_id = market.resource();
    const other = (await market.app.seed.product()).name;
    await market.map({ resourceId: resource_id, product });
    await market.map({ resourceId: resource_id, product: other, marketplace: 'mystore' });
    const buy = async (sale_id: string, marketplace?: string) => {
      await market.sell({ resource_id, purchaser_id: '1', sale_id, marketplace });
      return (await market.purchase(sale_id))['product'];
    };
    expect(await buy(`${resource_id}/1`)).toBe(product);
    expect(await buy(`${resource_id}/2`, 'MyStore')).toBe(other);
  });

  it('that is changed holds for what is bought from now on', async () => {
    const resource_id = market.resource();
    const { id } = await market.map({ resourceId: resource_id, product, seats: 1 });
    const buy = async (sale_id: string) =>
      market.license(
        (await market.sell({ resource_id, purchaser_id: '1', sale_id })).body.license_key as string,
      );
    expect(await buy(`${resource_id}/1`)).toMatchObject({ seats: 1, addons: [] });
    const addon = (await market.app.seed.addon()).name;
    const { data } = await update(id, { seats: 5, addons: [addon], durationDays: 3 });
    expect(data.updated).toMatchObject({ seats: 5, addonNames: [addon], durationDays: 3, renewalDays: 30 });
    expect(await buy(`${resource_id}/2`)).toMatchObject({ seats: 5, addons: [addon] });
    const { data: cleared } = await update(id, { durationDays: null, addons: [] });
    expect(cleared.updated).toMatchObject({ durationDays: null, addonNames: [], seats: 5 });
    expect((await update(2 ** 30, {})).errors[0]?.extensions['code']).toBe('MARKETPLACE_MAPPING_NOT_FOUND');
  });

  it('keeps its product and its addons from being deleted, unless by force', async () => {
    const used = (await market.app.seed.product()).name;
    const addon = (await market.app.seed.addon()).name;
    const resourceId = market.resource();
    await market.map({ resourceId, product: used, addons: [addon] });
    for (const [path, name] of [
      ['/products', used],
      ['/addons', addon],
    ]) {
      const refused = await market.app.rest('DELETE', path ?? '', { name });
      expect([refused.status, refused.body.code]).toEqual([409, 'IN_USE']);
    }
    const read = async () => {
      const query =
        'query ($r: String) { marketplaceMappings(filter: { resourceId: $r }) { nodes { addonNames } } }';
      return (await market.app.graphql(query, { r: resourceId })).data.marketplaceMappings.nodes as unknown[];
    };
    const remove = 'mutation ($name: String!) { deleteAddon(name: $name, force: true) { deleted } }';
    expect((await market.app.graphql(remove, { name: addon })).errors).toEqual([]);
    expect(await read()).toEqual([{ addonNames: [] }]);
    await market.app.rest('DELETE', '/products', { name: used, force: true });
    expect(await read()).toEqual([]);
    const deleted = await activityNamed(market.app, 'marketplace_mapping.deleted');
    expect(deleted.at(-1)).toMatchObject({ resource_id: `*:${resourceId}` });
  });
});

describe('a purchase of what is not mapped', () => {
  it('fails, and is made good by a job when the mapping is made', async () => {
    const resource_id = market.resource();
    const sell = (n: number) =>
      market.sell({ resource_id, purchaser_id: `${n >> 1}`, sale_id: `${resource_id}/${n}` });
    const [first] = await Promise.all([0, 1, 2, 3].map(sell));
    expect(first?.body).toMatchObject({ success: true, status: 'failed', license_key: null, redeem: null });
    const failed = await activityNamed(market.app, 'purchase.failed');
    expect(failed.at(-1)?.changes).toMatchObject({ status: ['pending', 'failed'] });
    expect(await market.purchase(`${resource_id}/0`)).toMatchObject({
      ...{ status: 'failed', product: null, problem: `No product is mapped to resource ${resource_id}` },
    });
    await market.map({ resourceId: resource_id, product });
    await runTasks(market.app);
    const keys = await Promise.all(
      [0, 1, 2, 3].map(async (n) => {
        const purchase = await market.purchase(`${resource_id}/${n}`);
        expect(purchase).toMatchObject({
          status: 'pending',
          problem: null,
          product,
          redeem: expect.any(String),
        });
        return purchase['license_key'];
      }),
    );
    expect(new Set(keys).size).toBe(4);
    expect((await sell(0)).body).toMatchObject({ duplicate: true, license_key: keys[0], status: 'pending' });
    const received = await activityNamed(market.app, 'purchase.received');
    expect(received.find(({ resource_id: id }) => id === `${resource_id}/0`)).toMatchObject({
      ...{ source: 'job', actor: 'worker' },
    });
  });

  it('never stays failed when the mapping is made at the same moment', async () => {
    const resources = Array.from({ length: 15 }, () => market.resource());
    await Promise.all(
      resources.flatMap((resource_id) => [
        market.sell({ resource_id, purchaser_id: '1', sale_id: resource_id }),
        market.map({ resourceId: resource_id, product }),
      ]),
    );
    await runTasks(market.app);
    const statuses = await Promise.all(resources.map(async (one) => (await market.purchase(one))['status']));
    expect(statuses).toEqual(resources.map(() => 'pending'));
  });

  it('that can only be stored at first is pending, and its job does the rest', async () => {
    const resource_id = market.resource();
    await market.map({ resourceId: resource_id, product });
    await market.app.sql(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$;
      create trigger refuse before insert on license for each row execute function refuse()`);
    const sell = () => market.sell({ resource_id, purchaser_id: '1', sale_id: resource_id });
    const stored = {
      success: true,
      sale_id: resource_id,
      status: 'pending',
      license_key: null,
      redeem: null,
    };
    expect((await sell()).body).toEqual(stored);
    expect((await sell()).body).toEqual({ ...stored, duplicate: true });
    await market.app.sql('drop trigger refuse on license; drop function refuse()');
    await market.app.graphql('mutation { replayPurchases { queued } }');
    await runTasks(market.app);
    const purchase = await market.purchase(resource_id);
    expect(purchase).toMatchObject({ license_key: expect.any(String), status: 'pending' });
    expect((await sell()).body).toMatchObject({ duplicate: true, license_key: purchase['license_key'] });
  });
});

describe('marketplace, on the command line', () => {
  it('mappings add, list and remove', async () => {
    const resource = market.resource();
    const add = ['marketplace', 'mappings', 'add', resource, '--product', product];
    const { stdout } = await cli(...add, '--days', '30', '--seats', '2', '--marketplace', 'polymart');
    const [, row = ''] = stdout.split('\n');
    expect(row.split(/ {2,}/).slice(1)).toEqual(['polymart', resource, '–', product, '–', '30', '2', '30']);
    expect(await cli(...add, '--marketplace', 'polymart')).toMatchObject({ exitCode: 1 });
    const listed = await cli('--json', 'marketplace', 'mappings', 'list');
    const mappings = JSON.parse(listed.stdout) as { id: number; resourceId: string }[];
    const id = String(mappings.find(({ resourceId }) => resourceId === resource)?.id);
    expect((await cli('marketplace', 'mappings', 'remove', id)).stdout).toBe(
      `The mapping ${id} is removed.\n`,
    );
    expect(await cli('marketplace', 'mappings', 'remove', id)).toMatchObject({ exitCode: 1 });
    expect((await cli('marketplace', 'mappings', 'add', resource)).exitCode).toBe(2);
  });

  it('purchases, and replay of those that something is in the way of', async () => {
    const resource = market.resource();
    await market.sell({ resource_id: resource, purchaser_id: '1', sale_id: resource, username: 'Nelly' });
    const show = async (...args: string[]) =>
      JSON.parse((await cli('--json', 'marketplace', 'purchases', ...args)).stdout) as Record<
        string,
        unknown
      >[];
    expect(await show('--status', 'failed', '--resource', resource)).toMatchObject([{ saleId: resource }]);
    expect((await cli('marketplace', 'purchases', '--sale', resource)).stdout).toContain('Nelly');
    const replayed = await cli('marketplace', 'replay', '--resource', resource);
    expect(replayed.stdout).toBe('Jobs look at 1 purchases again.\n');
    await runTasks(market.app);
    expect((await cli('marketplace', 'replay', '--sale', resource)).stdout).toContain(' 1 purchases');
    await runTasks(market.app);
    expect(await show('--sale', resource)).toMatchObject([{ status: 'failed' }]);
  });
});
