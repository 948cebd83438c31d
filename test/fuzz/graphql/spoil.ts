import fc from 'fast-check';
import { getIntrospectionQuery } from 'graphql';
import { hostileText } from '../hostile.js';
import type { Operation } from './operations.js';
import { happens, oneOf, upTo } from './values.js';
import type { Draw } from './values.js';

const anyText = () => hostileText;
const anySnippet = () =>
  fc.constantFrom(
    ...[
      '{',
      '}',
      '(',
      ')',
      '...',
      '...F',
      '$',
      '$v9',
      '@',
      '@nope',
      '@skip',
      '@skip(if: null)',
      '@defer',
      '!',
      ':',
    ],
    ...[
      '@include(if: $missing)',
      '@skip(if: true) @skip(if: false)',
      '@stream(initialCount: 1)',
      '"',
      '"""',
      '#',
      ',',
    ],
    ...[
      '"""block \\""" "quoted" """',
      '\ufeff',
      '\u0000',
      '\\u{110000}',
      '9'.repeat(400),
      '-',
      '1e999',
      '0x1',
      '&',
      '|',
    ],
    ...[
      'nothing',
      'nothing { deeper }',
      'nothing(at: "all")',
      '__typename',
      '__schema { types { name } }',
      'null',
      '[]',
    ],
    ...[
      '__type(name: "__proto__") { fields { name } }',
      'query',
      'mutation',
      'subscription',
      'extend type Query { a: Int }',
    ],
    ...[
      'fragment F on Query { ...F }',
      'fragment F on Nothing { a }',
      'fragment on on on { on }',
      'type A { a: A }',
    ],
  );

const deep = (levels: number, open: string, inner: string, close: string) =>
  open.repeat(levels) + inner + close.repeat(levels);

/** Documents that no schema knows, each an attempt at the parser, the validation or the limits. */
const DOCUMENTS: readonly string[] = [
  ...[
    '',
    ' ',
    '{}',
    '{ }',
    'query',
    'query {',
    '{ __typename',
    '#',
    '# only a comment',
    '"text"',
    '{ a b: }',
    '\u0000',
  ],
  ...['query A { __typename } query A { __typename }', 'query A { __typename } query B { __typename }'],
  ...[
    'query A { __typename } { __typename }',
    'query ($a: Nothing) { __typename }',
    'query ($a: Int, $a: Int) { __typename }',
  ],
  ...[
    'query ($a: License!) { __typename }',
    'query ($a: [[[[Int!]!]!]!]!) { __typename }',
    'query ($a: Int = "a") { __typename }',
  ],
  ...[
    '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
    '{ ...A }',
    'fragment A on Query { __typename }',
  ],
  ...[
    '{ products { ...A } } fragment A on Query { __typename }',
    '{ products { nodes { name { deeper } } } }',
    '{ products }',
  ],
  ...[
    'subscription { botLog { id } }',
    'subscription { botLog { id } jobChanged { __typename } }',
    'type Query { a: Int }',
  ],
  ...[
    'mutation { __typename }',
    'mutation { __schema { types { name } } }',
    'query @skip(if: true) { __typename }',
  ],
  ...['{ __type(name: null) { name } }', '{ __type(name: "x") { name } }', '{ __typename @skip(if: true) }'],
  getIntrospectionQuery(),
  getIntrospectionQuery({ descriptions: false, inputValueDeprecation: true, specifiedByUrl: true }),
  deep(2_000, '{ a ', '', '}'),
  deep(30, 'a { ', 'a', ' }').replace(/^a /, ''),
  deep(6, '{ __schema { types { fields { type ', '{ name }', '} } } }'),
  `{ ${'__typename '.repeat(5_000)}}`,
  `{ ${Array.from({ length: 60 }, (_, n) => `a${n}: dashboard { __typename }`).join(' ')} }`,
  `{ ${Array.from({ length: 300 }, (_, n) => `a${n}: __typename`).join(' ')} }`,
  `{ a(a: ${deep(900, '[', '', ']')}) }`,
  `{ license(key: ${deep(900, '{a: ', '1', '}')}) { id } }`,
  `query (${Array.from({ length: 900 }, (_, n) => `$v${n}: Int`).join(', ')}) { __typename }`,
  `{ ...F0 } ${Array.from({ length: 40 }, (_, n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`).join(' ')} fragment F40 on Query { __typename }`,
  `{ __typename } # ${'x'.repeat(70_000)}`,
  `{ license(key: "${'x'.repeat(20_000)}") { id } }`,
];

/** A document that is none, or one that has been changed in some places. */
export function spoil(draw: Draw, operation: Operation): Operation {
  if (happens(draw, 1, 3)) return { ...operation, query: oneOf(draw, DOCUMENTS) };
  let { query } = operation;
  for (let left = upTo(draw, 2); left >= 0; left--) query = changed(draw, query);
  const isMisnamed = happens(draw, 1, 6);
  return { ...operation, query, ...(isMisnamed ? { operationName: draw(anyText) } : {}) };
}

function changed(draw: Draw, query: string): string {
  const at = upTo(draw, query.length);
  const [before, after] = [query.slice(0, at), query.slice(at)];
  // Where a word or a brace begins there is more to be met than the end of the parser.
  const isAtWord = happens(draw, 1, 2);
  const brace = query.indexOf('{', at) + 1;
  switch (upTo(draw, 5)) {
    case 0:
      return before;
    case 1:
      return before + after.slice(1 + upTo(draw, 8));
    case 2:
      return before + draw(anyText) + after;
    case 3:
      return isAtWord && brace > 0
        ? `${query.slice(0, brace)} ${draw(anySnippet)} ${query.slice(brace)}`
        : `${before} ${draw(anySnippet)} ${after}`;
    case 4:
      return `${query} ${query}`;
    default:
      return query.replace(/\w+(?=[^\w]*$)/, draw(anySnippet));
  }
}
