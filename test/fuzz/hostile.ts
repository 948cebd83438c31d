import fc from 'fast-check';

/** What has broken programs before: each is data like any other here. */
const TEXTS = [
  ...[
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    'x\udfff',
    '\ufeff',
    '\u202e',
    'ﬀ',
    '👩‍👩‍👧‍👦',
    'İ',
    '%00',
    '%',
    '%%%',
  ],
  ...[
    "'",
    '"',
    "' or 1=1 --",
    "'; drop table license; --",
    '\\',
    '$1',
    ':a',
    '?',
    '{}',
    '[]',
    'null',
    'undefined',
  ],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '../../etc/passwd',
    '..\\..',
    '/',
    '//',
    '.',
  ],
  ...[
    '<script>alert(1)</script>',
    '${7*7}',
    '{{7*7}}',
    '\r\nX-Injected: 1',
    '*',
    '%_%',
    '(a+)+$',
    '[',
    '((',
    '\\1',
    '(?=a)',
  ],
  ...[
    '0',
    '-1',
    '1e309',
    'NaN',
    'Infinity',
    '9007199254740993',
    '99999999999999999999',
    '0x10',
    '1_000',
    '٣',
    'true',
  ],
  ...[
    '2026-02-30T00:00:00Z',
    '+275760-09-13T00:00:00Z',
    '-271821-04-20T00:00:00Z',
    '0000-01-01',
    'now',
    'infinity',
  ],
  ...[
    'http://127.0.0.1:1/',
    'http://[::1]/',
    'file:///etc/passwd',
    'javascript:1',
    'http://a b/',
    'https://',
    '//x',
  ],
  ...['::', '0.0.0.0/0', '1.2.3.4/33', 'fe80::1%eth0', 'a@b', '"a b"@c', 'x'.repeat(256), 'é'.repeat(5_000)],
];

const NUMBERS = [
  0,
  -0,
  -1,
  0.5,
  1e21,
  -1e21,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  2 ** 63,
  1e308,
  Number.MIN_VALUE,
];

export const hostileText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 300 }) },
);

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

/** Any JSON value, in the place of whatever was asked for. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(...NUMBERS, null, true, false, [], {}, [[]], [null], { '': '' }),
  fc.array(hostileText, { maxLength: 5 }),
  fc.dictionary(hostileText, hostileText, { maxKeys: 4 }),
  fc.constant(JSON.parse(nested(60, '[', ']')) as unknown),
  fc.constant(
    JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as unknown,
  ),
  fc.constant(Array.from({ length: 1_200 }, (_, n) => `item ${n}`)),
);

/** Bodies that are no JSON, or none that anybody asked for. */
export const hostileBody: fc.Arbitrary<string | Buffer> = fc.oneof(
  fc.constantFrom<string | Buffer>(
    ...[
      '',
      '{',
      '[]',
      '""',
      'null',
      '0',
      'true',
      '{"a":}',
      "{'a':1}",
      '{"a":1,}',
      '{"a":1}{"b":2}',
      '\u0000',
    ],
    ...[
      '{"name":"a","name":"b"}',
      '{"__proto__":{"x":1}}',
      '{"a":1e999}',
      '{"\\u0000":1}',
      '{"a":"\\ud800"}',
    ],
    nested(20_000, '[', ']'),
    nested(5_000, '{"a":', '}'),
    `{"name":"${'x'.repeat(70_000)}"}`,
    'name=a&name=b&secret=%00',
    Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    Buffer.from([0x1f, 0x8b, 0x08, 0, 0]),
  ),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);

/** Headers that mean something to somebody. What HTTP itself forbids can't be sent. */
export const hostileHeaders: fc.Arbitrary<Record<string, string>> = fc
  .array(
    fc.constantFrom<readonly [string, string]>(
      ...([
        ['content-type', 'text/plain'],
        ['content-type', 'application/json; charset=utf-16'],
        ['content-type', 'application/x-www-form-urlencoded'],
        ['content-type', 'multipart/form-data; boundary=x'],
        ['content-type', ';;;'],
        ['content-encoding', 'gzip'],
        ['content-encoding', 'br, deflate'],
        ['content-encoding', 'x-none'],
        ['accept', 'text/html'],
        ['accept', '*/*;q=nan'],
        ['accept-encoding', 'br;q=1, *;q=0'],
        ['authorization', 'Bearer'],
        ['authorization', 'Basic dTpw'],
        ['authorization', `Bearer lsk_aaaaaaaa_${'a'.repeat(43)}`],
        ['authorization', `Bearer ${'x'.repeat(3_000)}`],
        ['cookie', '__proto__=1; a=%ff'],
        ['expect', '100-continue'],
        ['idempotency-key', 'the same one'],
        ['idempotency-key', ''],
        ['idempotency-key', 'x'.repeat(300)],
        ['if-none-match', '*'],
        ['if-range', '"x"'],
        ['last-event-id', '-1'],
        ['last-event-id', '9'.repeat(40)],
        ['origin', 'null'],
        ['range', 'bytes=9-1'],
        ['range', 'bytes=0-0,-1,99999999999999999999-'],
        ['traceparent', '00-zz-zz-zz'],
        ['user-agent', 'x'.repeat(3_000)],
        ['user-agent', 'a\tb é'],
        ['webhook-id', 'x'],
        ['x-forwarded-for', '999.1.1.1, ::ffff:1.2.3.4, "'],
        ['x-forwarded-host', 'evil.example'],
        ['x-forwarded-proto', 'gopher'],
        ['x-http-method-override', 'DELETE'],
        ['x-polymart-signature', 'zz'],
        ['x-request-id', '<script>'],
        ['x-hwid', ''],
      ] as const),
    ),
    { maxLength: 4 },
  )
  .map((pairs) => Object.fromEntries(pairs));

/** What a path or query ends in, as it is sent: not all of it is well-formed. */
export const hostileSuffix = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...[
        '/',
        '//',
        '/..',
        '/%2e%2e/',
        '/%',
        '/%ff',
        '/%00',
        '/x',
        '?',
        '?&&&',
        '?=',
        '?a=1&a=2',
        '?limit=1&limit=2',
      ],
      ...[
        '?limit=-1',
        '?limit=1e9',
        '?cursor=%ff',
        '?cursor=AAAA',
        '?__proto__[x]=1',
        '?a[]=1',
        `?q=${'x'.repeat(6_000)}`,
      ],
    ),
  },
);
