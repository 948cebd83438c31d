import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

describe('POST /products', () => {
  it('201: the product with its addons', async () => {
    const addon = await app.seed.addon();
    const response = await app.rest('POST', '/products', {
      name: 'Alpha',
      addons: [addon.name],
      session_ttl: 120,
    });
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      id: expect.any(Number),
      name: 'Alpha',
      addons: [addon.name],
      whitelists: [],
      session_ttl: 120,
      createdAt: '2026-01-15T12:00:00.000Z',
      updatedAt: '2026-01-15T12:00:00.000Z',
    });
  });

  it('201 once and 409 for all others when 1000 ask for the same name at once', async () => {
    const responses = await Promise.all(
      Array.from({ length: 1000 }, () => app.rest('POST', '/products', { name: 'Contested' })),
    );
    const counts = Map.groupBy(responses, (response) => response.status);
    expect([...counts].map(([status, all]) => [status, all.length]).sort()).toEqual([
      [201, 1],
      [409, 999],
    ]);
    expect(counts.get(409)?.[0]?.body).toMatchObject({ code: 'ALREADY_EXISTS' });
    const [row] = await app.sql<{ count: string }>(
      "select count(*) from activity where event = 'product.created' and resource_id = 'Contested'",
    );
    expect(row?.count).toBe('1');
  });
});
