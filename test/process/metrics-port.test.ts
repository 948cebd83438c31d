import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase } from '../support/database.js';
import { freePort, startProgram } from '../support/process.js';
import type { Program } from '../support/process.js';
import { until } from '../support/embedded-postgres-kit.js';

/** A name of ours or of the process, wherever it stands in a query. */
const METRIC = /\b(?:licensing|nodejs|process)_\w+/g;
/** What a histogram is made of. */
const PART = /_(?:bucket|sum|count)$/;

let program: Program;
let port: number;

beforeAll(async () => {
  port = await freePort();
  const env = { DATABASE_URL: await createDatabase(), ROLES: 'worker', METRICS_PORT: String(port) };
  program = startProgram(env);
});

async function get(path: string): Promise<{ status: number; text: string } | undefined> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
  return response && { status: response.status, text: await response.text() };
}

describe('METRICS.PORT of a worker without a gateway', () => {
  it('serves health and metrics without a key, and nothing else', async () => {
    await until(async () => (await get('/health/ready'))?.status === 200);
    const metrics = await get('/metrics');
    expect(metrics?.status).toBe(200);
    for (const name of [
      ...['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'],
      ...['licensing_database_connections', 'licensing_job_duration_seconds', 'licensing_jobs'],
    ]) {
      expect(metrics?.text).toMatch(new RegExp(`^# TYPE ${name} `, 'm'));
    }
    expect(metrics?.text).toMatch(/^licensing_database_connections\{state="idle"\} \d+$/m);
    expect((await get('/health/live'))?.status).toBe(200);
    expect((await get('/graphql'))?.status).toBe(404);
    expect((await get('/products'))?.status).toBe(404);
  });

  it("answers the image's HEALTHCHECK", async () => {
    const dockerfile = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');
    const [, command = ''] = /^HEALTHCHECK .*\n +CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    const [node, ...args] = JSON.parse(command) as string[];
    expect(node).toBe('node');
    const check = async (asked: number) => {
      const env = { PATH: process.env['PATH'], METRICS_PORT: String(asked) };
      const [code] = (await once(spawn(process.execPath, args, { env, stdio: 'ignore' }), 'exit')) as [
        number,
      ];
      return code;
    };
    expect(await check(port)).toBe(0);
    expect(await check(await freePort())).toBe(1);
  });

  it('has every metric that the dashboard asks for', async () => {
    const path = new URL('../../docs/grafana-dashboard.json', import.meta.url);
    const { panels } = JSON.parse(readFileSync(path, 'utf8')) as {
      panels: { title: string; targets?: { expr: string }[] }[];
    };
    const asked = panels.flatMap(({ title, targets = [] }) =>
      targets.flatMap(({ expr }) => (expr.match(METRIC) ?? []).map((name) => ({ title, name }))),
    );
    expect(asked.length).toBeGreaterThan(30);
    const text = (await get('/metrics'))?.text ?? '';
    const isThere = (name: string) => new RegExp(`^# TYPE ${name.replace(PART, '')} `, 'm').test(text);
    expect(asked.filter(({ name }) => !isThere(name) && !text.includes(`# TYPE ${name} `))).toEqual([]);
  });

  it('a taken port is named by its option', async () => {
    const second = startProgram({
      ...{ DATABASE_URL: await createDatabase(), ROLES: 'worker', METRICS_PORT: String(port) },
    });
    expect(await second.exit()).toBe(1);
    expect(second.stderr()).toContain(`Port ${port} of 127.0.0.1 is taken`);
    expect(second.stderr()).toContain('METRICS_PORT');
  });

  it('ends with the process', async () => {
    program.child.kill('SIGTERM');
    expect(await program.exit()).toBe(0);
    expect(await get('/health/live')).toBeUndefined();
  });
});
