import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createLogger, maskSecrets } from '../../src/platform/logger.js';
import type { Logger, LoggerOptions } from '../../src/platform/logger.js';

const API_KEY = 'lsk_Ab3dE6gH_0123456789-_abcdefghijklmnopqrstuvwxyzABCDE';

function capture(options: Partial<LoggerOptions> = {}): { logger: Logger; text: () => string } {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return {
    logger: createLogger({ level: 'info', destination, ...options }),
    text: () => lines.join(''),
  };
}

function logged(write: (logger: Logger) => void): Record<string, unknown> {
  const { logger, text } = capture();
  write(logger);
  return JSON.parse(text()) as Record<string, unknown>;
}

describe('createLogger', () => {
  it('writes one JSON line with an ISO time and the name of the level', () => {
    const { logger, text } = capture();
    logger.info({ status: 200 }, 'done');
    expect(text()).toMatch(/^\{.*\}\n$/);
    expect(JSON.parse(text())).toMatchObject({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown,
      status: 200,
      msg: 'done',
    });
  });

  it('leaves out what is less severe than its level', () => {
    const { logger, text } = capture({ level: 'warn' });
    logger.info('quiet');
    expect(text()).toBe('');
  });

  it('is pretty on demand, masked all the same, and written before the call returns', () => {
    const { logger, text } = capture({ format: 'pretty' });
    logger.warn({ password: 'hunter2', n: 1 }, `key ${API_KEY}`);
    expect(text()).toMatch(/WARN.*: key lsk_Ab3dE6gH_\*\*\* \{"password":"\*\*\*","n":1\}\n$/);
    expect(text()).not.toMatch(/hunter2|pid/);
  });
});

describe('errors in the log', () => {
  it('have type, message, code, stack and causes, and nothing else they carry', () => {
    const inner = Object.assign(new TypeError('inner'), { query: 'select hunter2' });
    const error = Object.assign(new Error('outer', { cause: inner }), { code: '23505', detail: 'hunter2' });
    const line = logged((logger) => {
      logger.error(error);
    });
    expect(line).toMatchObject({
      msg: 'outer',
      err: { type: 'Error', message: 'outer', code: '23505', cause: { type: 'TypeError', message: 'inner' } },
    });
    expect(line).toHaveProperty('err.stack', error.stack);
    expect(JSON.stringify(line)).not.toContain('hunter2');
  });

  it('may be several, and may be their own cause', () => {
    const loop = new Error('loop');
    loop.cause = loop;
    const line = logged((logger) => {
      logger.error({ error: new AggregateError([loop, 'no error'], 'several') }, 'failed');
    });
    expect(line).toMatchObject({ error: { message: 'several', errors: [{ message: 'loop' }, 'no error'] } });
  });
});

describe('secrets in the log', () => {
  it.each([
    'authorization',
    'Proxy-Authorization',
    'password',
    'newPassword',
    'secret',
    'client_secret',
    'token',
    'accessToken',
    'apiKey',
    'api_key',
    'X-API-Key',
    'SECRET_KEY',
    'key_plain',
    'set-cookie',
  ])('are masked under the name %s, at any depth, whatever they are', (name) => {
    const deep = { a: { b: [{ c: { d: { e: { [name]: 'hunter2' } } } }] } };
    const line = logged((logger) => {
      logger.child({ [name]: 'hunter2' }).info({
        deep,
        list: { [name]: ['hunter2'] },
        object: { [name]: { a: 'hunter2' } },
        n: { [name]: 987654321 },
      });
    });
    expect(JSON.stringify(line)).not.toMatch(/hunter2|987654321/);
    expect(line).toMatchObject({ [name]: '***', list: { [name]: '***' }, deep: { a: { b: [{ c: {} }] } } });
  });

  it('are not confused with what says whether there is one', () => {
    const fields = { hasToken: false, secret: null, tokens: 5, key: 'pro', tokenType: 'Bearer' };
    expect(
      logged((logger) => {
        logger.info(fields);
      }),
    ).toMatchObject(fields);
  });

  it('leave the logged object itself alone', () => {
    const fields = { headers: { authorization: 'Bearer hunter2' } };
    logged((logger) => {
      logger.info(fields);
    });
    expect(fields.headers.authorization).toBe('Bearer hunter2');
  });

  it('are masked in a circle of objects too', () => {
    const loop: Record<string, unknown> = { token: 'hunter2' };
    loop['self'] = loop;
    const line = logged((logger) => {
      logger.info({ loop });
    });
    expect(JSON.stringify(line)).not.toContain('hunter2');
  });

  it('are masked in messages, stacks and nested text', () => {
    const line = logged((logger) => {
      logger.error({ err: new Error(`refused ${API_KEY}`), a: { b: [`x ${API_KEY}`] } }, `key ${API_KEY}`);
    });
    expect(JSON.stringify(line)).not.toContain(API_KEY.slice(13));
    expect(line['msg']).toBe('key lsk_Ab3dE6gH_***');
  });
});

describe('maskSecrets', () => {
  it.each([
    [API_KEY, 'lsk_Ab3dE6gH_***'],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw==', 'whsec_***'],
    ['Authorization: Bearer abc.def-ghi', 'Authorization: Bearer ***'],
    [`Bearer ${API_KEY}`, 'Bearer lsk_Ab3dE6gH_***'],
    ['Bearer lsk_malformed', 'Bearer ***'],
    ['to postgres://app:hunter2@db:5432/x failed', 'to postgres://app:***@db:5432/x failed'],
    ['postgresql://app:hun/t@er2@db/x', 'postgresql://app:***@db/x'],
    ['postgres://app:hun"ter2@db/x'.replace('"', '\\"'), 'postgres://app:***@db/x'],
    ['https://user:hunter2@host/path', 'https://user:***@host/path'],
    ['POST /marketplace?secret=hunter2&x=1', 'POST /marketplace?secret=***&x=1'],
    ['{"a":1,"client_secret" : "hun\\"ter2"}', '{"a":1,"client_secret" : "***"}'],
  ])('%s', (text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
  });

  it.each(['http://host:3000/users/a@b.example', 'lsk_', 'GET /products?token', 'a token, a secret'])(
    'leaves %s alone',
    (text) => {
      expect(maskSecrets(text)).toBe(text);
    },
  );

  it('masks JSON within JSON', () => {
    const secret = fc.string({ minLength: 1 }).map((text) => `hunter2${text}`);
    fc.assert(
      fc.property(secret, fc.string(), (token, other) => {
        const masked = maskSecrets(
          JSON.stringify({ body: JSON.stringify({ token, n: 1 }), n: other.length }),
        );
        const { body } = JSON.parse(masked) as { body: string };
        expect(JSON.parse(body)).toEqual({ token: '***', n: 1 });
      }),
    );
  });

  it('keeps any JSON valid, changes nothing twice and finds every password', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '"',
        '\\',
        '@',
        'Bearer ',
        'token',
        '?secret=',
        'whsec_',
        'lsk_',
        'postgres://a:',
        '":"',
        API_KEY,
      ),
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.dictionary(text, fc.oneof(text, fc.array(text))), (value) => {
        const masked = maskSecrets(JSON.stringify(value));
        expect(() => JSON.parse(masked) as unknown).not.toThrow();
        expect(maskSecrets(masked)).toBe(masked);
      }),
      { numRuns: 1000 },
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[^\s]{1,40}$/), (password) => {
        const masked = maskSecrets(JSON.stringify(`postgres://app:hunter2${password}@db/x`));
        expect(masked).not.toContain('hunter2');
      }),
    );
  });

  it('takes time in proportion to its input, whatever it is made of', () => {
    // Processor time of this thread, whatever else the machine is doing; it is told in ticks of 4 ms.
    const cost = (piece: string, count: number) => {
      const text = piece.repeat(count);
      const runs = Array.from({ length: 3 }, () => {
        const before = process.threadCpuUsage();
        maskSecrets(text);
        return process.threadCpuUsage(before).user;
      });
      return Math.max(4_000, Math.min(...runs));
    };
    for (const piece of [
      'a.',
      'x://u:',
      '"token-',
      '"token":"\\',
      'postgres://u:',
      'Bearer ',
      '\\"secret\\":\\"',
    ]) {
      // Ten times the input: ten times the work if it is linear, a hundred times if it is quadratic.
      expect(cost(piece, 80_000) / cost(piece, 8_000)).toBeLessThan(50);
    }
  });
});
