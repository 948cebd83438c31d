import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { describeNamedRecords } from '../support/named-records.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

describeNamedRecords('customer', () => app);

describe('PATCH /customers', () => {
  it("200: the customer's licenses show the new name", async () => {
    const customer = await app.seed.customer();
    const { key } = await app.seed.license({ customer: customer.name });
    await app.rest('PATCH', '/customers', { name: customer.name, new_name: 'Renamed Ltd' });
    const { body } = await app.anonymous('POST', '/licenses/validate', { license_key: key });
    expect(body).toMatchObject({ valid: true, customer: 'Renamed Ltd' });
  });
});

describe('DELETE /customers', () => {
  it('409 IN_USE: licenses refer to it', async () => {
    const { name } = await app.seed.customer();
    await app.seed.license({ customer: name });
    const response = await app.rest('DELETE', '/customers', { name });
    expect([response.status, response.body.code]).toEqual([409, 'IN_USE']);
    expect(response.body.detail).toBe(
      `1 license refers to the customer "${name}"; "force": true unlinks and suspends it`,
    );
    expect(await activityOf(app, response)).toEqual([]);
  });

  it('200 with force: unlinks and suspends its licenses, each with its event', async () => {
    const { name } = await app.seed.customer();
    const active = await app.seed.license({ customer: name });
    const revoked = await app.seed.license({ customer: name, status: 'revoked' });
    const response = await app.rest('DELETE', '/customers', { name, force: true });
    expect([response.status, response.body]).toEqual([200, { deleted: true }]);
    const licenses = (await app.rest('GET', '/licenses')).body as Record<string, unknown>[];
    expect(licenses.slice(-2)).toMatchObject([
      { key: active.key, customer: null, status: 'suspended' },
      { key: revoked.key, customer: null, status: 'revoked' },
    ]);
    const entries = await activityOf(app, response);
    expect(entries.map(({ event, changes }) => [event, changes])).toEqual([
      ['license.suspended', { customer: [name, null], status: ['active', 'suspended'] }],
      ['license.updated', { customer: [name, null] }],
      ['customer.deleted', null],
    ]);
    const verdict = await app.anonymous('POST', '/licenses/validate', { license_key: active.key });
    expect(verdict.body).toMatchObject({ valid: false, code: 'SUSPENDED', customer: null });
  });
});
