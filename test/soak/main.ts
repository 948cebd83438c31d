import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { publishRelease } from '../../src/licensing/files/store/publish-release.js';
import { startMixedLoad } from './mixed-load.js';

/*
 * The whole program – gateway, worker, bot and Postgres – under everything at once, for as long as it takes to see
 * whether its memory grows: npm run soak -- --minutes 10
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    lanes: { type: 'string', default: '2' },
    /** Between two calls of a lane: the load is to last, not to be as much as possible. */
    'pause-ms': { type: 'string', default: '10' },
    /** A built program elsewhere. */
    program: { type: 'string', default: 'dist/src/main.js' },
  },
});

const API_KEY = 'a-key-that-only-the-soak-test-has-32-or-more';
const SAMPLE_MS = 10_000;
/** How much more memory may be resident at the end than after two minutes. */
const GROWTH_MAX = 0.15;
const WARM_MINUTES = 2;

const seconds = Number(values.minutes) * 60;
const home = mkdtempSync(join(tmpdir(), 'soak-'));
const root = join(home, 'files');
const asset = join(home, 'release', 'app.bin');
for (const directory of [root, dirname(asset)]) mkdirSync(directory, { recursive: true });
writeFileSync(asset, randomBytes(300_000));
await publishRelease({
  ...{ root, path: dirname(asset), repository: 'acme/app', version: '1.0.0' },
  ...{ prerelease: false, force: false },
});

let hooks = 0;
const receiver = createServer((req, res) => {
  hooks++;
  req.resume().on('end', () => res.writeHead(204).end());
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');

// As `npm start` has it.
const flags = ['--max-semi-space-size=8', '--heap-growing-percent=50', '--enable-source-maps'];
const child = spawn(process.execPath, [...flags, values.program], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: {
    ...{
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      DATA_DIR: join(home, 'data'),
      FILES_ROOT: root,
    },
    ...{ SERVER_PORT: '0', SERVER_API_PORT: '0', API_KEY, BOT_SANDBOX: 'true' },
    ...{ WEBHOOKS_ALLOW_HTTP: 'true', WEBHOOKS_ALLOWED_NETWORKS: '127.0.0.1', LIMITS_ENABLED: 'false' },
    LOGS_LEVEL: 'info',
  },
});
let output = '';
const ready = Promise.withResolvers<{ url: string; botUrl: string }>();
child.stdout.on('data', (chunk: Buffer) => {
  output = (output + chunk.toString()).slice(-20_000);
  const line = output.split('\n').find((each) => each.includes('"msg":"ready"'));
  if (line) ready.resolve(JSON.parse(line) as { url: string; botUrl: string });
  // What the program itself finds wrong counts as much as what its callers see.
  for (const level of ['"level":"error"', '"level":"fatal"'])
    for (const each of chunk.toString().split('\n'))
      if (each.includes(level)) failed(`log: ${each.slice(0, 300)}`);
});
child.once('exit', (code) => {
  failed(`the program ended with ${String(code)}`);
  ready.reject(new Error(`The program ended:\n${output}`));
});

const failures = new Map<string, number>();
function failed(what: string): void {
  failures.set(what, (failures.get(what) ?? 0) + 1);
}

const memory = () => {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid ?? 0}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes ?? 0) / 1024);
};

// However this ends, the program doesn't stay.
process.once('exit', () => child.kill('SIGTERM'));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const { url, botUrl } = await ready.promise;
console.log(`The program is at ${url}, the bot API at ${botUrl}`);
const idle = memory();
const load = await startMixedLoad({
  ...{ url, botUrl, key: API_KEY, failed },
  lanes: Number(values.lanes),
  pauseMs: Number(values['pause-ms']),
  hookUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
});
const samples: number[] = [];
for (let at = 0; at < seconds * 1000; at += SAMPLE_MS) {
  await delay(SAMPLE_MS);
  samples.push(memory());
  const total = [...load.calls.values()].reduce((sum, count) => sum + count, 0);
  console.log(
    `${String((at + SAMPLE_MS) / 1000).padStart(4)} s  ${samples.at(-1) ?? 0} MiB  ${total} calls  ${hooks} webhooks`,
  );
}
await load.stop();
child.removeAllListeners('exit');
child.kill('SIGTERM');
const [code] = (await once(child, 'exit')) as [number | null];
if (code !== 0) failed(`the program ended with ${String(code)}`);
receiver.close();
receiver.closeAllConnections();
rmSync(home, { recursive: true, force: true });

/** Of the minute that ends there, so that one collection more or less says nothing. */
const around = (minute: number) => {
  const until = Math.min(samples.length, minute * 6);
  const minuteOfSamples = samples.slice(Math.max(0, until - 6), until);
  return Math.round(minuteOfSamples.reduce((sum, each) => sum + each, 0) / minuteOfSamples.length);
};
const [warm, end] = [around(WARM_MINUTES), around(samples.length / 6)];
const isFlat = end <= warm * (1 + GROWTH_MAX);
console.log('\ncalls', Object.fromEntries(load.calls), { webhooks: hooks });
console.log('failures', Object.fromEntries(failures));
console.log(
  `resident: ${idle} MiB idle, ${warm} MiB at minute ${WARM_MINUTES}, ${end} MiB at minute ${samples.length / 6}`,
);
console.log(isFlat && failures.size === 0 ? 'PASSED' : `FAILED${isFlat ? '' : ': the memory grows'}`);
process.exit(isFlat && failures.size === 0 ? 0 : 1);
