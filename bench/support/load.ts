import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface LoadOptions {
  /** Where to, with the path. */
  readonly url: string;
  /** One of them is sent each time, drawn at random; the first tenth gets nine calls of ten. */
  readonly bodies: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Every body gets as many calls as any other. */
  readonly even?: true;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  /** Requests a second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Answers other than 2xx, timeouts and broken connections. */
  readonly errors: number;
}

const WRK = `
local bodies = {}
local hot
init = function() -- by now wrk knows the host, which every request must name
  for line in io.lines(os.getenv('BENCH_BODIES')) do
    bodies[#bodies + 1] = wrk.format('POST', os.getenv('BENCH_PATH'), nil, line)
  end
  hot = math.max(1, math.floor(#bodies / 10))
  math.randomseed(os.time())
end
request = function()
  if os.getenv('BENCH_EVEN') == '' and math.random() < 0.9 then return bodies[math.random(hot)] end
  return bodies[math.random(#bodies)]
end
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format('RESULT {"rate":%f,"p50":%f,"p99":%f,"errors":%d}',
    summary.requests / (summary.duration / 1e6), latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    e.connect + e.read + e.write + e.status + e.timeout))
end
`;

/** Whether wrk is installed; a generator in Node.js takes more of the machine from what it measures. */
export function hasWrk(): boolean {
  return spawnSync('wrk', ['--version']).error === undefined;
}

/** Runs load from one processor, the last one where processors can be chosen. */
export async function load(options: LoadOptions, pin: readonly string[]): Promise<LoadResult> {
  return hasWrk() ? loadByWrk(options, pin) : loadByAutocannon(options);
}

async function loadByWrk(
  { url, bodies, headers = {}, even, connections, seconds }: LoadOptions,
  pin: readonly string[],
): Promise<LoadResult> {
  const directory = mkdtempSync(join(tmpdir(), 'licensing-bench-'));
  try {
    const [script, list] = [join(directory, 'load.lua'), join(directory, 'bodies')];
    writeFileSync(script, WRK);
    writeFileSync(list, bodies.join('\n'));
    const all = Object.entries({ 'Content-Type': 'application/json', ...headers });
    const given = all.flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', ...given];
    const wrk = ['wrk', ...options, '-s', script, url];
    const [command = 'wrk', ...args] = [...pin, ...wrk];
    const env = {
      ...process.env,
      ...{ BENCH_BODIES: list, BENCH_PATH: new URL(url).pathname, BENCH_EVEN: even ? '1' : '' },
    };
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await once(child, 'close');
    const [, json] = /RESULT (\{.*\})/.exec(output) ?? [];
    if (json === undefined) throw new Error(`wrk said nothing to go by:\n${output}`);
    return JSON.parse(json) as LoadResult;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function loadByAutocannon({
  url,
  bodies,
  headers = {},
  even,
  connections,
  seconds,
}: LoadOptions): Promise<LoadResult> {
  const { default: autocannon } = await import('autocannon');
  const hot = Math.max(1, Math.floor(bodies.length / 10));
  const draw = () => {
    const among = even || Math.random() >= 0.9 ? bodies.length : hot;
    return bodies[Math.floor(Math.random() * among)] ?? '';
  };
  const result = await autocannon({
    ...{ url, connections, duration: seconds, timeout: 10, method: 'POST' },
    headers: { 'content-type': 'application/json', ...headers },
    requests: [{ setupRequest: (request) => ({ ...request, body: draw() }) }],
  });
  const { latency, requests, errors, timeouts, non2xx } = result;
  return { rate: requests.average, p50: latency.p50, p99: latency.p99, errors: errors + timeouts + non2xx };
}
