import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityNamed, activityOf } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

const INERT = { product: null, addon: null, repo: null, asset: null, prerelease: false, stamp: false };
const DATES = { createdAt: '2026-01-15T12:00:00.000Z', updatedAt: '2026-01-15T12:00:00.000Z' };

type Created = Record<string, unknown> & { readonly id: number; readonly name: string };

const create = async (fields: Record<string, unknown> = {}): Promise<Created> => {
  const response = await app.rest('POST', '/files', fields);
  expect(response.status).toBe(201);
  return response.body;
};
const stored = async (name: string) =>
  (await app.rest('GET', `/files?name=${encodeURIComponent(name)}`)).body[0];

describe('POST /files', () => {
  it('201: {} makes a file that cannot be issued, with a name of its own', async () => {
    const file = await create();
    expect(file).toEqual({ id: expect.any(Number), name: `file-${file.id}`, ...INERT, ...DATES });
    const { data } = await app.graphql(
      'query ($name: String!) { file(name: $name) { issuable versions { version } } }',
      file,
    );
    expect(data.file).toEqual({ issuable: false, versions: [] });
  });

  it('201: another name when somebody has taken the one that comes next', async () => {
    const { id } = await create();
    await create({ name: `file-${id + 2}` });
    expect((await create()).name).not.toBe(`file-${id + 2}`);
  });

  it('201: every field, and an event with the record as it is returned', async () => {
    const product = await app.seed.product();
    const addon = await app.seed.addon();
    const fields = {
      ...{ name: 'editor', product: product.name, addon: addon.name },
      ...{ repo: 'acme/editor', asset: 'editor-*.zip', prerelease: true, stamp: true },
    };
    const response = await app.rest('POST', '/files', fields);
    expect(response.body).toEqual({ id: expect.any(Number), ...fields, ...DATES });
    expect(await activityOf(app, response)).toMatchObject([
      {
        event: 'file.created',
        resource_id: 'editor',
        changes: { product: [null, product.name], addon: [null, addon.name], repo: [null, 'acme/editor'] },
      },
    ]);
    const { data } = await app.graphql(
      '{ file(name: "editor") { issuable product { name } addon { name } } }',
    );
    expect(data.file).toEqual({
      issuable: true,
      product: { name: product.name },
      addon: { name: addon.name },
    });
  });

  it('201: a record that was read can be sent back under another name', async () => {
    const file = await create({ repo: 'acme/again' });
    const again = await create({ ...file, name: 'again' });
    expect(again).toMatchObject({ name: 'again', repo: 'acme/again' });
    expect(again.id).not.toBe(file.id);
  });

  it('409 ALREADY_EXISTS: of 20 with one name at once, one is made', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, () => app.rest('POST', '/files', { name: 'once' })),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(409)]);
    expect(all.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'ALREADY_EXISTS' });
  });

  it.each([
    ...[
      'app',
      'acme/',
      '/app',
      'acme/app/1',
      '../app',
      'acme/..',
      'acme/.',
      'acme\\app',
      'a%2fb',
      'ac me/app',
      '',
    ],
    ...['acme/app?x', `${'a'.repeat(101)}/b`, 'https://github.com/acme/app', 'acme/a\nb'],
  ])('422: repo %j', async (repo) => {
    const { status, body } = await app.rest('POST', '/files', { repo });
    expect([status, body.errors]).toEqual([
      422,
      [{ pointer: '/repo', code: 'INVALID_FIELD', detail: expect.stringContaining('"owner/name"') }],
    ]);
  });

  it.each(['../app.zip', 'a/b', 'a\\b', '.hidden', '..', '', 'a\nb', 'é'.repeat(128), '*a'.repeat(127)])(
    '422: asset %j',
    async (asset) => {
      const { status, body } = await app.rest('POST', '/files', { asset });
      expect([status, body.errors]).toMatchObject([422, [{ pointer: '/asset', code: 'INVALID_FIELD' }]]);
    },
  );

  it('422: a product or addon that does not exist, a field nobody knows, a value of another type', async () => {
    for (const fields of [
      { product: 'Nix' },
      { addon: 'Nix' },
      { prerelease: 'yes' },
      { stamp: 1 },
      { name: ' x' },
    ]) {
      const { status, body } = await app.rest('POST', '/files', fields);
      expect([status, body.errors]).toMatchObject([422, [{ pointer: `/${Object.keys(fields).join()}` }]]);
    }
    const unknown = await app.rest('POST', '/files', { url: 'x' });
    expect(unknown.body).toMatchObject({ status: 422, code: 'UNKNOWN_FIELD', errors: [{ pointer: '/url' }] });
  });
});

describe('GET /files', () => {
  it('200: all, page by page, or the one of a name', async () => {
    const own = await startApp();
    for (const name of ['a', 'b', 'c']) await own.rest('POST', '/files', { name });
    const namesOf = (body: unknown) => (body as { name: string }[]).map(({ name }) => name);
    expect(namesOf((await own.rest('GET', '/files')).body)).toEqual(['a', 'b', 'c']);
    const page = await own.rest('GET', '/files?limit=2');
    expect([namesOf(page.body), page.headers['link']]).toEqual([
      ['a', 'b'],
      expect.stringContaining('rel="next"'),
    ]);
    expect(namesOf((await own.rest('GET', '/files?name=b')).body)).toEqual(['b']);
    expect((await own.rest('GET', '/files?name=nix')).body).toEqual([]);
  });

  it('filters by product, addon and repository in GraphQL', async () => {
    const product = await app.seed.product();
    const addon = await app.seed.addon();
    const { name } = await create({ product: product.name, addon: addon.name, repo: 'acme/filtered' });
    for (const filter of [{ product: product.name }, { addon: addon.name }, { repo: 'acme/filtered' }]) {
      const query = 'query ($filter: FileFilter) { files(filter: $filter) { totalCount nodes { name } } }';
      expect((await app.graphql(query, { filter })).data.files).toEqual({ totalCount: 1, nodes: [{ name }] });
    }
  });
});

describe('PATCH /files', () => {
  it('204: what was sent changes, null clears, the rest stays, and the same again is no event', async () => {
    const { name } = await create({ repo: 'acme/app', asset: 'a', prerelease: true });
    const response = await app.rest('PATCH', '/files', { name, repo: null, stamp: true });
    expect([response.status, response.text]).toEqual([204, '']);
    expect(await stored(name)).toMatchObject({ repo: null, asset: 'a', prerelease: true, stamp: true });
    expect(await activityOf(app, response)).toMatchObject([
      {
        event: 'file.updated',
        resource_id: name,
        changes: { repo: ['acme/app', null], stamp: [false, true] },
      },
    ]);
    expect(await activityOf(app, await app.rest('PATCH', '/files', { name, stamp: true }))).toEqual([]);
  });

  it('204: new_name renames; a renamed product and addon are shown by their new names', async () => {
    const product = await app.seed.product();
    const addon = await app.seed.addon();
    const { name, id } = await create({ product: product.name, addon: addon.name });
    await app.rest('PATCH', '/products', { name: product.name, new_name: 'Renamed product' });
    await app.rest('PATCH', '/addons', { name: addon.name, new_name: 'Renamed addon' });
    expect((await app.rest('PATCH', '/files', { name, new_name: 'renamed' })).status).toBe(204);
    expect(await stored('renamed')).toMatchObject({ id, product: 'Renamed product', addon: 'Renamed addon' });
    expect(await stored(name)).toBeUndefined();
  });

  it('404, 409 and 422 change nothing', async () => {
    const [{ name }, other] = [await create({ asset: 'a' }), await create()];
    const refused = [
      [404, { name: 'nix', asset: 'b' }],
      [409, { name, asset: 'b', new_name: other.name }],
      [422, { name, asset: 'b', repo: '../..' }],
      [422, { name, asset: 'b', product: 'Nix' }],
      [422, { asset: 'b' }],
    ] as const;
    for (const [status, body] of refused) {
      expect([body, (await app.rest('PATCH', '/files', body)).status]).toEqual([body, status]);
    }
    expect(await stored(name)).toMatchObject({ asset: 'a', repo: null });
  });
});

describe('DELETE /files', () => {
  it('204, and 404 FILE_NOT_FOUND from then on', async () => {
    const { name } = await create();
    const response = await app.rest('DELETE', '/files', { name });
    expect([response.status, response.text]).toEqual([204, '']);
    expect(await activityOf(app, response)).toMatchObject([{ event: 'file.deleted', resource_id: name }]);
    const again = await app.rest('DELETE', '/files', { name });
    expect([again.status, again.body.code]).toEqual([404, 'FILE_NOT_FOUND']);
  });
});

describe('DELETE /products and /addons', () => {
  it.each(['product', 'addon'] as const)(
    '409 IN_USE while a file names the %s; force leaves it without both',
    async (kind) => {
      const { name: product } = await app.seed.product();
      const { name: addon } = await app.seed.addon();
      const { name } = await create({ product, addon, repo: 'acme/app', asset: 'a' });
      const deleted = { product, addon }[kind];
      const refused = await app.rest('DELETE', `/${kind}s`, { name: deleted });
      expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
        ...[409, 'IN_USE', expect.stringContaining(`1 file refers to the ${kind} "${deleted}"`)],
      ]);
      const forced = await app.rest('DELETE', `/${kind}s`, { name: deleted, force: true });
      expect(forced.body).toEqual({ deleted: true });
      expect(await stored(name)).toMatchObject({ product: null, addon: null, repo: 'acme/app', asset: 'a' });
      expect((await activityNamed(app, 'file.updated')).at(-1)).toMatchObject({
        ...{ resource_id: name, changes: { product: [product, null], addon: [addon, null] } },
      });
    },
  );

  it('no file is left with a product that was deleted at the same moment', async () => {
    for (let round = 0; round < 10; round++) {
      const { name: product } = await app.seed.product();
      const [made, deleted] = await Promise.all([
        app.rest('POST', '/files', { name: `race ${round}`, product }),
        app.rest('DELETE', '/products', { name: product }),
      ]);
      // Whoever came first: either the file exists and the product too, or neither does.
      expect([made.status, deleted.status]).toEqual(
        made.status === 201 ? [201, 409] : [expect.any(Number), 200],
      );
      expect(made.status).toBeLessThan(500);
    }
  });
});
