import fc from 'fast-check';
import type { GraphQLField, GraphQLObjectType } from 'graphql';
import type { SentRequest } from '../ask.js';
import { hostileBody, hostileHeaders, hostileText, hostileValue } from '../hostile.js';
import type { Vocabulary } from '../world.js';
import { writeOperation } from './operations.js';
import type { Operation } from './operations.js';
import { spoil } from './spoil.js';
import { happens, oneOf } from './values.js';
import type { Draw } from './values.js';

/** A request to `/graphql`, or to `/graphql/stream`. */
export interface GraphqlRequest extends SentRequest {
  /** `good`: an operation, be its values good or bad. `spoilt`: its text. `odd`: the request itself. */
  readonly kind: 'good' | 'spoilt' | 'odd';
  readonly operation: Operation;
}

/** A field of a root type. */
export interface RootField {
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly root: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
}

const hostile = () => hostileValue;
const anyText = () => hostileText;
const oddBody = () => hostileBody;
const oddHeaders = () => hostileHeaders;
const JSON_TYPE = { 'content-type': 'application/json' };
const ACCEPTED = ['application/json', 'application/graphql-response+json', '*/*'];

/** Any request that is about a field: good ones, and worse. */
export function requestAbout(about: RootField, words: Vocabulary): fc.Arbitrary<GraphqlRequest> {
  return fc.gen().map((draw) => {
    const kind = oneOf(draw, ['good', 'good', 'good', 'good', 'spoilt', 'odd'] as const);
    const { kind: operationKind, root, field } = about;
    const written = writeOperation(draw, operationKind, root, field, words);
    const operation = kind === 'spoilt' ? spoil(draw, written) : written;
    const isStream = about.kind === 'subscription' ? happens(draw, 4, 5) : happens(draw, 1, 60);
    const path = isStream ? '/graphql/stream' : '/graphql';
    const isGet = about.kind === 'mutation' ? happens(draw, 1, 40) : happens(draw, 1, 6);
    const asked = { kind, operation, withKey: happens(draw, 19, 20) };
    if (kind === 'odd') return { ...asked, ...odd(draw, path, operation) };
    const headers = happens(draw, 2, 3) ? { ...JSON_TYPE, accept: oneOf(draw, ACCEPTED) } : JSON_TYPE;
    if (isGet) return { ...asked, method: 'GET', path: withQuery(path, operation), headers, body: undefined };
    return { ...asked, method: 'POST', path, headers, body: bodyOf(operation) };
  });
}

function bodyOf({ query, variables, operationName }: Operation): string {
  return JSON.stringify({ query, variables, operationName });
}

/** As long as a URL may be; what is cut off there is one more thing that is wrong. */
function withQuery(path: string, { query, variables, operationName }: Operation): string {
  const members = { query, variables: JSON.stringify(variables), operationName };
  const pairs = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value.toWellFormed())}`],
  );
  return `${path}?${pairs.join('&')}`.slice(0, 10_000).replace(/%.?$/, '');
}

/** What a client can send that is no GraphQL request, or hardly one. */
function odd(draw: Draw, path: string, operation: Operation): Omit<SentRequest, 'withKey'> {
  const { query, variables, operationName } = operation;
  const right = { query, variables, operationName };
  const body = oneOf<() => string | Buffer>(draw, [
    () => draw(oddBody),
    () => JSON.stringify({ ...right, query: draw(hostile) }),
    () => JSON.stringify({ ...right, variables: draw(hostile) }),
    () => JSON.stringify({ ...right, variables: JSON.stringify(variables) }),
    () => JSON.stringify({ ...right, operationName: draw(hostile) }),
    () => JSON.stringify({ ...right, extensions: oneOf(draw, EXTENSIONS) }),
    () => JSON.stringify({ variables, extensions: oneOf(draw, EXTENSIONS) }),
    () => JSON.stringify({ ...right, [draw(anyText)]: draw(hostile) }),
    () => JSON.stringify([right, right]),
    () => JSON.stringify({ query: query.replaceAll('"', "'"), variables: null, operationName: null }),
    () => query,
  ])();
  const method = oneOf(draw, [
    'POST',
    'POST',
    'POST',
    'POST',
    'GET',
    'PUT',
    'DELETE',
    'PATCH',
    'HEAD',
    'OPTIONS',
  ]);
  const headers = happens(draw, 1, 2) ? { ...JSON_TYPE, ...draw(oddHeaders) } : JSON_TYPE;
  const suffix = oneOf(draw, [
    '',
    '',
    '',
    '',
    '',
    '/',
    '/x',
    '?',
    '?query',
    '?query=',
    '?query=%7B',
    ...SUFFIXES,
  ]);
  return { method, path: path + suffix, headers, body };
}

const SUFFIXES = [
  '?query={__typename}&query={__typename}',
  '?query=%7B__typename%7D&variables=%5B%5D',
  '?query=%7B__typename%7D&variables=x',
  '?query=%7B__typename%7D&extensions=%7B%22persistedQuery%22%3A1%7D',
  '?query=%7B__typename%7D&operationName=%00',
  '?variables=%ff',
];

const HASH = '0'.repeat(64);
const EXTENSIONS: readonly unknown[] = [
  ...[null, 1, 'x', [], {}, { persistedQuery: null }, { persistedQuery: 1 }, { persistedQuery: {} }],
  { persistedQuery: { version: 1 } },
  { persistedQuery: { version: 1, sha256Hash: HASH } },
  { persistedQuery: { version: 2, sha256Hash: HASH } },
  { persistedQuery: { version: 1, sha256Hash: { a: 1 } } },
  { persistedQuery: { version: 1, sha256Hash: '__proto__' } },
  { persistedQuery: { version: '1', sha256Hash: 'x'.repeat(10_000) } },
];
