import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { licensingEntities } from '../../src/licensing/entities.js';
import { collectQueueMetrics } from '../../src/platform/jobs/queue-metrics.js';
import { collectPoolMetrics, createMetrics } from '../../src/platform/metrics.js';
import { createOrm, nativePool } from '../../src/platform/db/orm.js';
import { closeAfterwards } from '../support/database.js';
import { until } from '../support/embedded-postgres-kit.js';
import { runTasks, startTestWorker } from '../support/worker.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await startTestWorker(app);
});

/** The value of a metric with these labels, as Prometheus would read it. */
function valueOf(text: string, name: string, labels: Record<string, string> = {}): number | undefined {
  const line = text
    .split('\n')
    .find(
      (each) =>
        (each.startsWith(`${name}{`) || each.startsWith(`${name} `)) &&
        Object.entries(labels).every(([label, value]) => each.includes(`${label}="${value}"`)),
    );
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1));
}

describe('GET /metrics', () => {
  it('200 with a key that has jobs:read, as Prometheus reads it', async () => {
    const rest = await app.restAs('jobs:read');
    const { status, headers, text } = await rest('GET', '/metrics');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4; charset=utf-8$/);
    for (const line of text.split('\n').filter((each) => each !== '')) {
      expect(line).toMatch(
        /^(# (HELP|TYPE) \w+ .*|\w+(\{(\w+="([^"\\]|\\.)*",?)*\})? (-?[\d.e+-]+|NaN|\+Inf))$/,
      );
    }
  });

  it('401 without a key and with an unknown one, 403 with another scope, 405 for POST', async () => {
    expect((await app.anonymous('GET', '/metrics')).body).toMatchObject({
      status: 401,
      code: 'API_KEY_MISSING',
    });
    const unknown = { headers: { authorization: `Bearer lsk_aaaaaaaa_${'a'.repeat(43)}` } };
    const refused = await app.anonymous('GET', '/metrics', undefined, unknown);
    expect(refused.body).toMatchObject({ status: 401, code: 'API_KEY_INVALID' });
    const rest = await app.restAs('licensing:read');
    expect((await rest('GET', '/metrics')).body).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' });
    const posted = await app.rest('POST', '/metrics');
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('counts requests by route and code, and gives no caller a label of his own', async () => {
    await app.rest('GET', '/products');
    await app.rest('GET', '/products');
    await app.rest('POST', '/products', {});
    await app.rest('GET', '/invented-by-a-scanner');
    await app.rest('PROPFIND', '/products');
    await app.graphql('{ products { nodes { id } } }');
    let text = '';
    const count = (labels: Record<string, string>) =>
      valueOf(text, 'licensing_http_request_duration_seconds_count', labels);
    // A request is measured once its response is out, which is a moment after the client has it.
    await until(async () => {
      ({ text } = await app.rest('GET', '/metrics'));
      return count({ method: 'POST', route: '/graphql', code: '200' }) !== undefined;
    });
    expect(count({ method: 'GET', route: '/products', code: '200' })).toBe(2);
    expect(count({ method: 'POST', route: '/products', code: '422' })).toBe(1);
    expect(count({ method: 'GET', route: 'none', code: '404' })).toBe(1);
    expect(count({ method: 'other', route: '/products', code: '405' })).toBe(1);
    expect(count({ method: 'POST', route: '/graphql', code: '200' })).toBe(1);
    expect(text).not.toMatch(/scanner|PROPFIND/);
  });

  it('measures jobs by task and outcome', async () => {
    await runTasks(app, 'expire-sessions', 'expire-sessions');
    const { text } = await app.rest('GET', '/metrics');
    const labels = { task: 'expire-sessions', outcome: 'succeeded' };
    expect(valueOf(text, 'licensing_job_duration_seconds_count', labels)).toBe(2);
    expect(valueOf(text, 'licensing_job_wait_seconds_count', { task: 'expire-sessions' })).toBe(2);
  });

  it('tells what is rare from 0 on, so that the first one is an increase', async () => {
    await runTasks(app, 'expire-sessions');
    const { text } = await app.rest('GET', '/metrics');
    for (const name of ['licensing_job_repeats_total', 'licensing_job_runs_dropped_total'])
      expect(valueOf(text, name, { task: 'expire-sessions' })).toBe(0);
    for (const reason of ['RESYNC_NEEDED', 'SUBSCRIBER_TOO_SLOW'])
      expect(valueOf(text, 'licensing_subscriptions_cut_total', { reason })).toBe(0);
  });
});

describe('one registry an app', () => {
  it('what one app counts, another does not', async () => {
    const [one, another] = [createMetrics(), createMetrics()];
    one.webhookDeliveries.inc({ outcome: 'delivered' });
    const name = 'licensing_webhook_deliveries_total';
    expect(valueOf(await one.registry.metrics(), name, { outcome: 'delivered' })).toBe(1);
    expect(valueOf(await another.registry.metrics(), name)).toBeUndefined();
  });
});

describe('the queue and the pool', () => {
  it('are told by task and state, with the age of the oldest', async () => {
    await app.sql(
      `select graphile_worker.add_job('not-of-this-worker', run_at => now() - interval '90 seconds')`,
    );
    await app.sql(`select graphile_worker.add_job('not-of-this-worker', run_at => now() + interval '1 day')`);
    const metrics = createMetrics();
    collectQueueMetrics(metrics, app.orm, app.ctx.log);
    collectPoolMetrics(metrics, await nativePool(app.orm));
    const text = await metrics.registry.metrics();
    const task = 'not-of-this-worker';
    const count = (state: string) => valueOf(text, 'licensing_jobs', { task, state });
    expect(['waiting', 'scheduled', 'running', 'failed'].map(count)).toEqual([1, 1, 0, 0]);
    const age = valueOf(text, 'licensing_job_oldest_waiting_seconds', { task });
    expect(age).toBeGreaterThanOrEqual(90);
    for (const state of ['idle', 'busy', 'waiting']) {
      expect(valueOf(text, 'licensing_database_connections', { state })).toEqual(expect.any(Number));
    }
  });

  it('while the database is away, the other metrics are there', async () => {
    const url = new URL(app.databaseUrl);
    url.port = '1';
    const orm = createOrm({
      url: url.href,
      poolMax: 1,
      entities: licensingEntities,
      migrations: [],
      log: app.ctx.log,
    });
    closeAfterwards(() => orm.close(true));
    const metrics = createMetrics();
    metrics.webhookDeliveries.inc({ outcome: 'failed' });
    collectQueueMetrics(metrics, orm, app.ctx.log);
    const text = await metrics.registry.metrics();
    expect(valueOf(text, 'licensing_webhook_deliveries_total', { outcome: 'failed' })).toBe(1);
    expect(valueOf(text, 'licensing_jobs')).toBeUndefined();
  });
});
