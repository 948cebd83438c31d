import { setTimeout as delay } from 'node:timers/promises';

export interface MixedLoadOptions {
  readonly url: string;
  readonly botUrl: string;
  /** Opens both APIs. */
  readonly key: string;
  /** Where webhooks go. */
  readonly hookUrl: string;
  /** Of each kind of call. */
  readonly lanes: number;
  readonly pauseMs: number;
  /** Told of each call that didn't go as it should. */
  readonly failed: (what: string) => void;
}

export interface MixedLoad {
  /** How many calls were made, by kind. */
  readonly calls: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- of every endpoint
  readonly body: any;
}

const LICENSES = 100;
const HEARTBEATS_A_SESSION = 5;
const LIST = '{ licenses(first: 50) { nodes { id key status product { name } } pageInfo { endCursor } } }';

/** Makes what is needed, and then calls everything at once until it is stopped. */
export async function startMixedLoad(options: MixedLoadOptions): Promise<MixedLoad> {
  const { url, botUrl, key, hookUrl, failed } = options;
  const calls = new Map<string, number>();
  const call = async (method: string, to: string, body?: object, isPublic = false): Promise<Answer> => {
    const response = await fetch(to, {
      method,
      headers: {
        ...(isPublic ? {} : { authorization: `Bearer ${key}` }),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
    return { status: response.status, body: isJson ? (JSON.parse(text) as unknown) : text.length };
  };
  const must = (status: number, answer: Answer) => {
    if (answer.status !== status)
      throw new Error(`${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`);
    return answer;
  };
  must(201, await call('POST', `${url}/products`, { name: 'Soak' }));
  must(
    201,
    await call('POST', `${url}/files`, { name: 'app', product: 'Soak', repo: 'acme/app', asset: 'app.bin' }),
  );
  must(
    201,
    await call('POST', `${url}/webhooks`, { url: hookUrl, events: ['*', 'session.*'], enabled: true }),
  );
  const keyOf = (n: number) => `SOAK-${String(n % LICENSES).padStart(6, '0')}`;
  const made = Array.from({ length: LICENSES }, (_, n) =>
    call('POST', `${url}/licenses`, { key: keyOf(n), product: 'Soak' }),
  );
  for (const answer of await Promise.all(made)) must(201, answer);

  let count = 0;
  const kinds: Readonly<Record<string, () => Promise<unknown>>> = {
    validate: async () => {
      const n = ++count;
      const body = { license_key: keyOf(n), product: 'Soak', identifier: `server ${n % 3}` };
      const verdict = must(200, await call('POST', `${url}/licenses/validate`, body, true)).body;
      if (verdict.valid !== true) throw new Error(`the verdict is ${verdict.code as string}`);
    },
    heartbeat: async () => {
      const license = keyOf(++count);
      const identifier = `beating ${count}`;
      const opened = await call(
        'POST',
        `${url}/licenses/validate`,
        { license_key: license, identifier },
        true,
      );
      const { token } = must(200, opened).body.session as { token: string };
      for (let beat = 0; beat < HEARTBEATS_A_SESSION; beat++)
        must(200, await call('POST', `${url}/sessions/heartbeat`, { token }, true));
      must(200, await call('DELETE', `${url}/sessions`, { token }));
    },
    unknownKey: async () => {
      const body = { license_key: `nobody has ${++count}` };
      must(200, await call('POST', `${url}/licenses/validate`, body, true));
    },
    list: async () => must(200, await call('GET', `${url}/licenses?limit=100`)),
    logs: async () => must(200, await call('GET', `${url}/logs?type=requests&limit=50`)),
    graphql: async () => {
      const { body } = must(200, await call('POST', `${url}/graphql`, { query: LIST }));
      if (body.errors) throw new Error(JSON.stringify(body.errors).slice(0, 200));
    },
    change: async () => {
      const name = `made ${++count}`;
      must(201, await call('POST', `${url}/customers`, { name }));
      must(200, await call('PATCH', `${url}/licenses`, { key: keyOf(count), note: name }));
      must(200, await call('DELETE', `${url}/customers`, { name }));
    },
    download: async () => {
      const body = { license_key: keyOf(++count), file: 'app' };
      const { token } = must(201, await call('POST', `${url}/downloads/issue`, body, true)).body as {
        token: string;
      };
      const file = must(200, await call('GET', `${url}/download/${token}`, undefined, true));
      if (file.body !== 0 && typeof file.body !== 'number') throw new Error('the download is no file');
    },
    metrics: async () => must(200, await call('GET', `${url}/metrics`)),
    bot: async () => {
      must(200, await call('GET', `${botUrl}/api/status`));
      must(200, await call('GET', `${botUrl}/api/logs?limit=50`));
      must(200, await call('GET', `${botUrl}/api/modules`));
      const presence = { status: ++count % 2 ? 'online' : 'dnd', activities: [{ name: 'soaking', type: 3 }] };
      must(200, await call('POST', `${botUrl}/api/bot/presence`, presence));
    },
  };

  let isOver = false;
  const lane = async (name: string, work: () => Promise<unknown>) => {
    while (!isOver) {
      await work().catch((error: unknown) => {
        failed(`${name}: ${String(error).slice(0, 300)}`);
      });
      calls.set(name, (calls.get(name) ?? 0) + 1);
      await delay(options.pauseMs);
    }
  };
  const lanes = Object.entries(kinds).flatMap(([name, work]) =>
    Array.from({ length: options.lanes }, () => lane(name, work)),
  );
  return {
    calls,
    stop: async () => {
      isOver = true;
      await Promise.all(lanes);
    },
  };
}
