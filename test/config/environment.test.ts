import { describe, expect, it } from '@jest/globals';
import { ConfigError, environment, readCliEnvironment } from '../../src/config.js';
import { configDirectory } from '../support/config.js';

const { load } = configDirectory();

describe('environment', () => {
  it('is that of the process', () => {
    expect(environment()).toEqual({ env: process.env, arguments: new Map(), cwd: process.cwd() });
  });
});

describe('readCliEnvironment', () => {
  it('leads to this machine, without a key', () => {
    expect(readCliEnvironment({ LICENSING_URL: '', API_KEY: ' ' })).toEqual({
      url: 'http://127.0.0.1:3000',
      apiKey: undefined,
    });
  });

  it('prefers its own key to that of the server', () => {
    const env = { LICENSING_URL: 'https://licensing.example/base/', API_KEY: 'server' };
    expect(readCliEnvironment(env)).toEqual({ url: 'https://licensing.example/base', apiKey: 'server' });
    expect(readCliEnvironment({ ...env, LICENSING_API_KEY: 'own' }).apiKey).toBe('own');
  });

  it('refuses a URL that is none', () => {
    expect(() => readCliEnvironment({ LICENSING_URL: 'licensing.example' })).toThrow(ConfigError);
  });
});

describe('DATABASE.PREPARED', () => {
  it('goes without prepared statements once there is a way past a pooler, unless told otherwise', () => {
    const url = 'postgres://pooler/x';
    const direct = 'postgres://db/x';
    expect(load({ DATABASE_URL: url }).database).toMatchObject({ url, directUrl: url, prepared: true });
    const pooled = { DATABASE_URL: url, DATABASE_DIRECT_URL: direct };
    expect(load(pooled).database).toMatchObject({ url, directUrl: direct, prepared: false });
    expect(load({ ...pooled, DATABASE_PREPARED: 'true' }).database.prepared).toBe(true);
    expect(load({ DATABASE_DIRECT_URL: direct }).database.url).toBe(direct);
  });
});
