import { beforeAll, describe, expect, it } from '@jest/globals';
import { compactLicenseCounts } from '../../src/licensing/dashboard/dashboard.service.js';
import { START, startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';

let app: TestApp;

const DASHBOARD = `query($hours: Int) { dashboard {
  licenses { active expired suspended revoked }
  openSessions
  validations(hours: $hours) { hour valid failed }
} }`;

beforeAll(async () => {
  app = await startApp();
});

describe('dashboard', () => {
  it('counts licenses by state, open sessions, and verdicts by hour', async () => {
    const good = await app.seed.license();
    await app.seed.license({ status: 'suspended' });
    await app.seed.license({ status: 'revoked' });
    const expired = await app.seed.license({ expires_at: new Date(START.getTime() - 1000).toISOString() });
    await app.anonymous('POST', '/licenses/validate', { license_key: good.key });
    await app.anonymous('POST', '/licenses/validate', { license_key: expired.key });
    await app.anonymous('POST', '/licenses/validate', {});
    await app.flush();
    app.clock.advance(3_600_000);
    await app.anonymous('POST', '/licenses/validate', { license_key: 'UNKNOWN-KEY' });
    await app.flush();
    const { data, errors } = await app.graphql(DASHBOARD, { hours: 3 });
    expect(errors).toEqual([]);
    expect(data.dashboard).toEqual({
      licenses: { active: 1, expired: 1, suspended: 1, revoked: 1 },
      // The session lived ten minutes.
      openSessions: 0,
      validations: [
        { hour: '2026-01-15T11:00:00.000Z', valid: 0, failed: 0 },
        { hour: '2026-01-15T12:00:00.000Z', valid: 1, failed: 1 },
        { hour: '2026-01-15T13:00:00.000Z', valid: 0, failed: 1 },
      ],
    });
  });

  it('counts verdicts that came by GraphQL, and nothing twice', async () => {
    const own = await startApp();
    await own.graphql('mutation { validateLicense(input: { key: "UNKNOWN-KEY" }) { code } }');
    await own.flush();
    await own.flush();
    const { data } = await own.graphql(DASHBOARD, { hours: 1 });
    expect(data.dashboard.validations).toEqual([{ hour: '2026-01-15T12:00:00.000Z', valid: 0, failed: 1 }]);
  });

  it('counts licenses exactly through creation, change and deletion, before and after the job adds them up', async () => {
    const own = await startApp();
    const licenses = await Promise.all(Array.from({ length: 20 }, () => own.seed.license()));
    await Promise.all(
      licenses
        .slice(0, 8)
        .map(({ key }) => own.rest('PATCH', '/licenses', { key, status: 'suspended', note: 'x' })),
    );
    await Promise.all(licenses.slice(5, 10).map(({ key }) => own.rest('DELETE', '/licenses', { key })));
    const counts = async () =>
      (await own.graphql(DASHBOARD, { hours: 1 })).data.dashboard.licenses as unknown;
    const expected = { active: 10, expired: 0, suspended: 5, revoked: 0 };
    expect(await counts()).toEqual(expected);
    const em = own.orm.em.fork();
    await Promise.all([
      compactLicenseCounts(em),
      compactLicenseCounts(own.orm.em.fork()),
      own.seed.license(),
    ]);
    expect(await counts()).toEqual({ ...expected, active: 11 });
    await compactLicenseCounts(em);
    expect(await own.sql('select 1 from license_count')).toHaveLength(2);
  });

  it.each([0, 2161])('INVALID_FIELD for %i hours', async (hours) => {
    const { errors } = await app.graphql(DASHBOARD, { hours });
    expect(errors[0]?.extensions).toMatchObject({ code: 'INVALID_FIELD' });
  });
});
