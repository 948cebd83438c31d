import { describe, expect, it } from '@jest/globals';
import { configDirectory } from '../support/config.js';

const { load, failure, onlyProblem, writeConfig, path } = configDirectory();

describe('the YAML file', () => {
  it('has another name if CONFIG_FILE says so', () => {
    writeConfig('SERVER: { PORT: 1 }');
    writeConfig('SERVER: { PORT: 2 }', 'other.yml');
    expect(load({ CONFIG_FILE: 'other.yml' }).server.port).toBe(2);
    expect(load({ CONFIG_FILE: path('other.yml') }).server.port).toBe(2);
  });

  it('must exist if CONFIG_FILE names it, and the rest is checked all the same', () => {
    const { problems } = failure({ CONFIG_FILE: 'missing.yml', SERVER_PORT: 'x' });
    expect(problems).toMatchObject([
      { key: 'CONFIG_FILE', value: '"missing.yml"', message: 'the file does not exist' },
      { key: 'SERVER.PORT' },
    ]);
  });

  it('must be a file', () => {
    expect(onlyProblem({ CONFIG_FILE: '.' }).message).toBe("the file can't be read (EISDIR)");
  });

  it.each([
    ['SERVER:\n  PORT: [1\nAPI_KEY: hunter2', 'line 3, column 1'],
    ['API_KEY: "hunter2', 'line 1, column 18'],
    ['ROLES: worker\nROLES: gateway', 'line 2, column 1'],
    ['SERVER:\n\tPORT: 1', 'line 2, column 1'],
  ])('must be YAML: %j', (text, place) => {
    writeConfig(text);
    const { problems, message } = failure({ SERVER_PORT: 'x' });
    expect(problems.map(({ key }) => key)).toEqual(expect.arrayContaining(['config.yml', 'SERVER.PORT']));
    expect(message).toContain(`config.yml ${place}`);
    expect(message).not.toContain('hunter2');
  });

  it.each([
    ['SEVER: { PORT: 1 }', 'SEVER', 'SERVER'],
    ['SERVER: { PROT: 1 }', 'SERVER.PROT', 'SERVER.PORT'],
    ['server: { port: 1 }', 'server', 'SERVER'],
    ['SERVER.API.PORT: 1', 'SERVER.API.PORT', 'SERVER.API.PORT, written SERVER: { API: { PORT: … } }'],
    ['SERVER_API_PORT: 1', 'SERVER_API_PORT', 'SERVER.API.PORT, written SERVER: { API: { PORT: … } }'],
    ['POOL_MAX: 1', 'POOL_MAX', 'DATABASE.POOL_MAX, written DATABASE: { POOL_MAX: … }'],
    ['API_KYE: hunter2', 'API_KYE', 'API_KEY'],
  ])('knows what was meant by %s', (text, key, meant) => {
    writeConfig(text);
    const { message, ...problem } = onlyProblem();
    expect(problem).toMatchObject({ key, source: 'config.yml line 1' });
    expect(message).toBe(`there is no such option; did you mean ${meant}?`);
  });

  it('does not guess where nothing is near', () => {
    writeConfig('? [a, b]\n: 1\nTELEPORTATION: hunter2\n');
    const error = failure();
    expect(error.problems.map(({ message }) => message)).toEqual(Array(2).fill('there is no such option'));
    // Whatever it was meant for, it may be a secret.
    expect(error.message).not.toContain('hunter2');
  });

  it.each([
    [
      'DATABASE: postgres://u:hunter2@h/x',
      'DATABASE',
      'a mapping of URL, DIRECT_URL, PREPARED, REPLICA_URLS, POOL_MAX',
    ],
    ['[hunter2]', 'config.yml', expect.stringMatching(/^a mapping of ROLES, SERVER, DATABASE/)],
    ['API_KEY: { a: hunter2 }', 'API_KEY', 'a value, or a list of values'],
    ['ROLES: [[hunter2]]', 'ROLES', 'a value, or a list of values'],
    ['API_KEY: *hunter', 'API_KEY', 'a value, or a list of values'],
    ['SERVER: &loop { API: *loop }', 'SERVER.API.API', 'PORT'],
  ])('must have the shape of the options: %s', (text, key, allowed) => {
    writeConfig(text);
    const problem = onlyProblem();
    expect(problem).toMatchObject({ key, allowed });
    expect(JSON.stringify(problem)).not.toContain('hunter2');
  });
});
