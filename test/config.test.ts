import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { configTableMarkdown } from '../src/config.js';
import { environmentName, OPTION_ROWS } from '../src/config/options.js';
import { INVALID, SECRET, VALID } from './support/config-values.js';
import type { Written } from './support/config-values.js';
import { configDirectory } from './support/config.js';

const someOf = (values: typeof VALID): fc.Arbitrary<Written> => fc.record(values, { requiredKeys: [] });

const { load, failure, onlyProblem, writeConfig, removeConfig, path } = configDirectory();

/** A list can't be told from its text in the environment. */
function asEnvironment(written: Written): Record<string, string> {
  return Object.fromEntries(
    Object.entries(written).map(([key, value]) => [environmentName(key), [value].flat().join(' , ')]),
  );
}

function asYaml(written: Written): string {
  const root: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(written)) {
    const names = key.split('.');
    const last = names.pop() ?? '';
    let section = root;
    for (const name of names) section = (section[name] ??= {}) as Record<string, unknown>;
    section[last] = value;
  }
  return stringify(root);
}

describe('loadConfig', () => {
  it('has a default for everything that needs a value', () => {
    expect(load()).toEqual({
      roles: new Set(['gateway', 'worker', 'bot']),
      server: {
        host: '127.0.0.1',
        port: 3000,
        api: { port: 3001 },
        publicUrl: 'http://127.0.0.1:3000',
        processes: 1,
        trustedProxies: [],
        docs: true,
        headersTimeoutSeconds: 15,
        requestTimeoutSeconds: 120,
        connectionsMax: 10_000,
      },
      database: { url: undefined, directUrl: undefined, prepared: true, replicaUrls: [], poolMax: 10 },
      dataDir: path('data'),
      apiKey: undefined,
      auth: { secret: undefined },
      bot: {
        token: undefined,
        platformUrl: 'https://discord.com/api',
        guildId: undefined,
        autostart: true,
        sandbox: false,
        licenseKey: undefined,
        modulesDir: undefined,
        owners: [],
      },
      sessions: { ttlSeconds: 600 },
      validation: { cacheMebibytes: 64 },
      marketplace: { secrets: [] },
      secretKey: undefined,
      previousSecretKeys: [],
      files: {
        provider: 'local',
        root: path('data/files'),
        github: { apiUrl: 'https://api.github.com', token: undefined },
        s3: {
          bucket: undefined,
          endpoint: undefined,
          region: 'us-east-1',
          accessKeyId: undefined,
          secretAccessKey: undefined,
          prefix: '',
          forcePathStyle: false,
        },
      },
      webhooks: {
        allowHttp: false,
        allowedNetworks: [],
        scheduleSeconds: [0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000],
        timeoutSeconds: 15,
        retentionDays: 30,
      },
      logs: { level: 'info', requestRetentionDays: 30, activityRetentionDays: 90 },
      subscriptions: { max: 1000 },
      jobs: { deadAfterSeconds: 30, historyRetentionDays: 7, failedRetentionDays: 30 },
      limits: {
        enabled: true,
        store: 'memory',
        quotas: {
          validatePair: 60,
          validateLicense: 600,
          validateAddress: 1200,
          unknownKeys: 20,
          wrongSecrets: 10,
          heartbeat: 30,
          downloadsIssue: 10,
          downloadsFetch: 60,
          userVariables: 60,
          marketplace: 60,
          admin: 1200,
          bot: 120,
        },
      },
      metrics: { port: undefined, host: '127.0.0.1' },
      tracing: { endpoint: undefined, headers: {}, serviceName: 'licensing-gateway', share: 1 },
    });
  });

  it('reads the same from the environment as from the file', () => {
    fc.assert(
      fc.property(someOf(VALID), (written) => {
        writeConfig('');
        const fromEnvironment = load(asEnvironment(written));
        writeConfig(asYaml(written));
        expect(load()).toEqual(fromEnvironment);
      }),
    );
  });

  it('reads plain scalars of the file as text', () => {
    writeConfig(`SERVER: { PORT: 4000 }\nAPI_KEY: ${'9'.repeat(40)}\nROLES: worker\nDATA_DIR: yes\n`);
    expect(load()).toMatchObject({
      server: { port: 4000 },
      apiKey: '9'.repeat(40),
      roles: new Set(['worker']),
      dataDir: path('yes'),
    });
  });

  it.each(OPTION_ROWS.map(([key]) => key))('uses %s for something', (key) => {
    const byDefault = load();
    fc.assert(
      fc.property(VALID[key], (value) => {
        expect(load(asEnvironment({ [key]: value }))).not.toEqual(byDefault);
      }),
      { numRuns: 20 },
    );
  });

  it('lets the environment win', () => {
    fc.assert(
      fc.property(someOf(VALID), someOf(VALID), (inFile, inEnvironment) => {
        writeConfig(asYaml(inFile));
        const config = load(asEnvironment(inEnvironment));
        writeConfig(asYaml({ ...inFile, ...inEnvironment }));
        expect(config).toEqual(load());
      }),
    );
  });

  it('takes an empty variable and an empty YAML value as unset', () => {
    writeConfig('SERVER:\n  PORT:\n  HOST: ~\nDATABASE: null\nAPI_KEY: ""\n');
    const emptied = Object.fromEntries(OPTION_ROWS.map(([key]) => [environmentName(key), ' ']));
    const config = load({ ...emptied, CONFIG_FILE: '' });
    removeConfig();
    expect(config).toEqual(load());
  });

  it('ignores variables that are none of its own', () => {
    expect(load({ SERVER_PROT: '1', PATH: '/bin' })).toEqual(load());
  });

  it.each([
    ['0.0.0.0', 'http://localhost:3000'],
    ['::', 'http://localhost:3000'],
    ['::1', 'http://[::1]:3000'],
    ['licensing.internal', 'http://licensing.internal:3000'],
  ])('derives the public URL of host %s', (host, url) => {
    expect(load({ SERVER_HOST: host }).server.publicUrl).toBe(url);
  });

  it.each([
    ['https://licensing.example/', 'https://licensing.example'],
    ['https://EXAMPLE.com:443/base//', 'https://example.com/base'],
  ])('takes the public URL %s without its trailing slash', (given, url) => {
    expect(load({ SERVER_PUBLIC_URL: given }).server.publicUrl).toBe(url);
  });
});

describe('a configuration that is refused', () => {
  it('reports every problem, each with its key, place and what is allowed, and no secret', () => {
    fc.assert(
      fc.property(someOf(INVALID), someOf(INVALID), (inFile, some) => {
        // A list of several is one text in the environment, and some are valid as such.
        const inEnvironment = Object.fromEntries(
          Object.entries(some).filter(([, value]) => typeof value === 'string'),
        );
        const keys = new Set([...Object.keys(inFile), ...Object.keys(inEnvironment)]);
        fc.pre(keys.size > 0);
        const env = asEnvironment(inEnvironment);
        writeConfig(asYaml(inFile));

        const { problems, message } = failure(env);
        expect(new Set(problems.map(({ key }) => key))).toEqual(keys);
        expect(problems).toHaveLength(keys.size);
        for (const { key, source, allowed } of problems) {
          const place =
            key in inEnvironment ? `environment variable ${environmentName(key)}` : 'config.yml line';
          expect(source).toContain(place);
          for (const part of [key, source, allowed]) expect(message).toContain(part);
        }
        expect(message).not.toContain(SECRET.slice(0, 31));
      }),
    );
  });

  it('prints so that all can be mended in one go', () => {
    writeConfig(`SERVER:\n  PROT: 80\n  PORT: none\n`);
    expect(failure({ API_KEY: 'too-short', ROLES: 'gateway,gatway' }).message).toBe(
      [
        'The configuration has 4 problems.',
        '',
        '  SERVER.PROT: there is no such option; did you mean SERVER.PORT?',
        '    given:   in config.yml line 2',
        '    allowed: HOST, PORT, API, PUBLIC_URL, PROCESSES, TRUSTED_PROXIES, DOCS, HEADERS_TIMEOUT, REQUEST_TIMEOUT, CONNECTIONS_MAX',
        '',
        '  ROLES: item 2 of the list is not allowed',
        '    given:   "gateway,gatway", in environment variable ROLES',
        '    allowed: a list of one or more; each item one of gateway, worker, bot',
        '',
        '  SERVER.PORT: this value is not allowed',
        '    given:   "none", in config.yml line 3',
        '    allowed: a whole number from 0 to 65535',
        '',
        '  API_KEY: this value is not allowed',
        '    given:   "*** (9 characters)", in environment variable API_KEY',
        '    allowed: 32 or more visible ASCII characters, without spaces',
      ].join('\n'),
    );
  });

  it('shows where a database URL leads, without its password', () => {
    const masked = (url: string) => onlyProblem({ DATABASE_URL: url }).value;
    expect(masked('mysql://root:hunter2@db:3306/x?password=hunter2')).toBe(
      '"mysql://root:***@db:3306/x?***"',
    );
    expect(masked('mysql://root:hun@ter/2@db/x')).toBe('"mysql://root:***@db/x"');
    expect(masked('mysql://db/x')).toBe('"mysql://db/x"');
    expect(masked('mysql://root:hunter2/x')).toBe('"mysql://***"');
    expect(masked('mysql://?password=hunter2')).toBe('"mysql://***"');
    expect(masked('root:hunter2@db')).toBe('"*** (15 characters)"');
  });

  it('cuts a value that is too long and keeps it on one line', () => {
    const { value } = onlyProblem({ LOGS_LEVEL: `a\n${'b'.repeat(1000)}` });
    expect(value).toMatch(/^"a\\nb+…"$/);
    expect(value?.length).toBeLessThan(130);
  });

  it('wants a bucket for the provider s3, and both credentials or none', () => {
    const missing = (env: Record<string, string>) =>
      failure({ FILES_PROVIDER: 's3', ...env }).problems.map(({ key }) => key);
    expect(missing({})).toEqual(['FILES.S3.BUCKET']);
    expect(missing({ FILES_S3_ACCESS_KEY_ID: 'id' })).toEqual([
      'FILES.S3.SECRET_ACCESS_KEY',
      'FILES.S3.BUCKET',
    ]);
    expect(missing({ FILES_S3_BUCKET: 'b', FILES_S3_SECRET_ACCESS_KEY: SECRET })).toEqual([
      'FILES.S3.ACCESS_KEY_ID',
    ]);
    expect(load({ FILES_PROVIDER: 's3', FILES_S3_BUCKET: 'b' }).files.s3.bucket).toBe('b');
    writeConfig('FILES: { PROVIDER: s3, S3: { BUCKET: [a, b] } }');
    expect(missing({})).toEqual(['FILES.S3.BUCKET']);
  });

  it('wants two ports, except where each takes a free one', () => {
    expect(onlyProblem({ SERVER_API_PORT: '3000' })).toMatchObject({
      key: 'SERVER.API.PORT',
      message: 'two servers cannot listen on one port',
    });
    expect(load({ SERVER_PORT: '0', SERVER_API_PORT: '0' }).server).toMatchObject({
      port: 0,
      api: { port: 0 },
    });
  });
});

describe('README.md', () => {
  const readme = new URL('../README.md', import.meta.url);
  const section = /(?<=<!-- config:begin -->\n\n)[^]*?(?=\n\n<!-- config:end -->)/;

  it('has the table of options (UPDATE_DOCS=1 writes it)', () => {
    if (process.env['UPDATE_DOCS'] === '1') {
      writeFileSync(readme, readFileSync(readme, 'utf8').replace(section, configTableMarkdown));
    }
    expect(section.exec(readFileSync(readme, 'utf8'))?.[0]).toBe(configTableMarkdown());
  });
});
