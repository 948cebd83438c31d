import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityNamed } from '../support/activity.js';
import { startDownloads } from '../support/downloads.js';
import type { DownloadKit } from '../support/downloads.js';
import { recordStatements } from '../support/statements.js';
import { runTasks, startTestWorker } from '../support/worker.js';

let kit: DownloadKit;
const json = (response: { bytes: Buffer }) => JSON.parse(response.bytes.toString('utf8')) as unknown;

beforeAll(async () => {
  kit = await startDownloads();
});

describe('GET /downloads', () => {
  it('200: builds by each of their names, which follow their records and outlive them', async () => {
    const customer = await kit.app.seed.customer({ name: 'Leaky Ltd' });
    const offer = await kit.offer('x', { name: 'traced' });
    await kit.app.rest('PATCH', '/licenses', { key: offer.key, customer: customer.name });
    const { buildId } = await kit.link(offer);
    const ids = async (query: Record<string, string>) => {
      const { body } = await kit.app.rest('GET', `/downloads?${new URLSearchParams(query).toString()}`);
      return (body as { build_id: string }[]).map(({ build_id }) => build_id);
    };
    const ways = { license: offer.key.toLowerCase(), customer: 'Leaky Ltd', product: offer.product };
    for (const [name, value] of Object.entries({ ...ways, build_id: buildId, file: 'traced' })) {
      expect([name, await ids({ [name]: value })]).toEqual([name, [buildId]]);
      expect(await ids({ [name]: `${value}?` })).toEqual([]);
      expect(await ids({ [name]: 'x\u0000' })).toEqual([]);
    }
    await kit.app.rest('PATCH', '/customers', { name: 'Leaky Ltd', new_name: 'Leakier Ltd' });
    await kit.app.rest('PATCH', '/files', { name: 'traced', new_name: 'traced 2' });
    expect(await ids({ customer: 'Leaky Ltd' })).toEqual([]);
    expect(await ids({ customer: 'Leakier Ltd', file: 'traced 2', ...{ product: offer.product } })).toEqual([
      buildId,
    ]);
    expect(await kit.build(buildId)).toMatchObject({ customer: 'Leakier Ltd', file: 'traced 2' });
    await kit.app.rest('DELETE', '/licenses', { key: offer.key });
    await kit.app.rest('DELETE', '/customers', { name: 'Leakier Ltd' });
    await kit.app.rest('DELETE', '/files', { name: 'traced 2' });
    await kit.app.rest('DELETE', '/products', { name: offer.product, force: true });
    expect(await ids({ ...ways, file: 'traced' })).toEqual([buildId]);
    expect(await kit.build(buildId)).toEqual({
      build_id: buildId,
      file: 'traced',
      license: offer.key,
      customer: 'Leaky Ltd',
      product: offer.product,
      addon: null,
      version: '1.0.0',
      max_uses: 1,
      uses: 0,
      expires_at: new Date(kit.app.clock.now().getTime() + 3_600_000).toISOString(),
      delivered_at: null,
      revoked: false,
    });
  });

  it('200: in pages, and one statement for a page of any length', async () => {
    const offer = await kit.offer('x');
    const builds = [];
    for (let n = 0; n < 3; n++) builds.push((await kit.link(offer)).buildId);
    const first = await kit.app.rest('GET', `/downloads?license=${offer.key}&limit=2`);
    const [, next = ''] = /<(.*)>/.exec(String(first.headers['link'])) ?? [];
    const second = await kit.app.rest('GET', next);
    expect([...first.body, ...second.body].map((build) => build.build_id)).toEqual(builds);
    expect(second.headers['link']).toBeUndefined();
    const statements = await recordStatements(kit.app.orm);
    const one = await statements.during(() => kit.app.rest('GET', '/downloads?limit=1'));
    const many = await statements.during(() => kit.app.rest('GET', '/downloads?limit=100'));
    expect(many).toHaveLength(one.length);
  });

  it('GraphQL: a connection, with the license itself until it is deleted', async () => {
    const offer = await kit.offer('x');
    const { buildId } = await kit.link(offer);
    const query = `query ($id: String) { downloads(filter: { buildId: $id }) {
      totalCount nodes { buildId license { key product { name } } } } }`;
    const { data } = await kit.app.graphql(query, { id: buildId });
    expect(data.downloads).toEqual({
      totalCount: 1,
      nodes: [{ buildId, license: { key: offer.key, product: { name: offer.product } } }],
    });
    await kit.app.rest('DELETE', '/licenses', { key: offer.key });
    expect((await kit.app.graphql(query, { id: buildId })).data.downloads.nodes[0].license).toBeNull();
  });
});

describe('POST /downloads/revoke, DELETE /downloads', () => {
  it('204: revoking ends the link, once; deleting forgets the build', async () => {
    const offer = await kit.offer('x');
    const { path, buildId } = await kit.link(offer);
    const revoked = await kit.app.rest('POST', '/downloads/revoke', { build_id: buildId });
    expect([revoked.status, revoked.text]).toEqual([204, '']);
    expect((await kit.app.rest('POST', '/downloads/revoke', { build_id: buildId })).status).toBe(204);
    const entries = (await activityNamed(kit.app, 'download.revoked')).filter(
      (e) => e.resource_id === buildId,
    );
    expect(entries).toMatchObject([{ changes: { revoked: [false, true] } }]);
    expect(await kit.build(buildId)).toMatchObject({ revoked: true, uses: 0 });
    expect(await kit.get(path).then(json)).toMatchObject({ status: 410, code: 'DOWNLOAD_REVOKED' });
    expect((await kit.app.rest('DELETE', '/downloads', { build_id: buildId })).status).toBe(204);
    expect(await kit.build(buildId)).toBeUndefined();
    expect(await kit.get(path).then(json)).toMatchObject({ status: 404, code: 'DOWNLOAD_NOT_FOUND' });
  });

  it.each(['POST /downloads/revoke', 'DELETE /downloads'])('%s 404: no such build', async (endpoint) => {
    const [method = '', path = ''] = endpoint.split(' ');
    for (const buildId of ['bld_none', 'x\u0000']) {
      const response = await kit.app.rest(method, path, { build_id: buildId });
      expect([response.status, response.body.code]).toEqual([404, 'DOWNLOAD_NOT_FOUND']);
    }
  });
});

describe('the job expire-downloads', () => {
  it('closes links whose time is over, tells of those that could still be used, once, and keeps the builds', async () => {
    await startTestWorker(kit.app);
    const offer = await kit.offer('x');
    const unused = await kit.link(offer, { expires_in: 60 });
    const used = await kit.link(offer, { expires_in: 60 });
    const later = await kit.link(offer, { expires_in: 120 });
    await kit.get(used.path);
    kit.app.clock.advance(60_000);
    expect(await kit.get(unused.path).then(json)).toMatchObject({ status: 410, code: 'DOWNLOAD_EXPIRED' });
    await runTasks(kit.app, 'expire-downloads', 'expire-downloads');
    await runTasks(kit.app, 'expire-downloads');
    const expired = (await activityNamed(kit.app, 'download.expired')).map((entry) => entry.resource_id);
    const mine = [unused, used, later].map(({ buildId }) => buildId);
    expect(expired.filter((id) => mine.includes(id))).toEqual([unused.buildId]);
    expect(await kit.get(unused.path).then(json)).toMatchObject({ code: 'DOWNLOAD_EXPIRED' });
    expect((await kit.get(later.path)).status).toBe(200);
    expect(await kit.build(unused.buildId)).toMatchObject({ uses: 0, delivered_at: null });
  });
});
