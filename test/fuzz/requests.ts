import fc from 'fast-check';
import type { Endpoint, Schema } from './api.js';
import type { SentRequest } from './ask.js';
import { hostileBody, hostileHeaders, hostileSuffix, hostileText, hostileValue } from './hostile.js';
import type { Vocabulary } from './world.js';

/** A request to an endpoint. */
export interface FuzzRequest extends SentRequest {
  readonly endpoint: Endpoint;
  /** `plain`: as documented, or with wrong values. `odd`: whatever a client can send. */
  readonly kind: 'plain' | 'odd';
}

/** Any request to the endpoint: good ones, bad values among good ones, and worse. */
export function requestTo(endpoint: Endpoint, words: Vocabulary): fc.Arbitrary<FuzzRequest> {
  const { method, parameters, body } = endpoint;
  const of = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const oneValue = (name: string, schema: Schema) =>
    fc.oneof({ weight: 5, arbitrary: good(name, schema, words) }, { weight: 1, arbitrary: hostileValue });
  const path = fc
    .tuple(...of('path').map(({ name, schema }) => fc.tuple(fc.constant(name), oneValue(name, schema))))
    .map((pairs) =>
      pairs.reduce((text, [name, value]) => text.replace(`{${name}}`, segment(value)), endpoint.path),
    );
  const query = fc
    .tuple(
      ...of('query').map(({ name, schema }) =>
        fc.option(fc.tuple(fc.constant(name), oneValue(name, schema))),
      ),
    )
    .map((pairs) =>
      pairs.filter((pair) => pair !== null).map(([name, value]) => `${name}=${segment(value)}`),
    );
  const json = body?.schema ? bodyOf(body.schema, words) : fc.constant(undefined);
  const key = fc.oneof(
    { weight: 9, arbitrary: fc.constant(true) },
    { weight: 1, arbitrary: fc.constant(false) },
  );
  const plain = fc.record({
    ...{ endpoint: fc.constant(endpoint), kind: fc.constant('plain' as const), method: fc.constant(method) },
    path: fc.tuple(path, query).map(([to, asked]) => (asked.length > 0 ? `${to}?${asked.join('&')}` : to)),
    headers: fc.constant({ 'content-type': 'application/json' }),
    body: json.map((value) => (value === undefined ? undefined : JSON.stringify(value))),
    withKey: key,
  });
  const odd = fc.record({
    ...{ endpoint: fc.constant(endpoint), kind: fc.constant('odd' as const) },
    method: fc.constantFrom(method, method, method, 'PUT', 'OPTIONS', 'HEAD', 'PROPFIND', 'GET', 'DELETE'),
    path: fc.tuple(path, hostileSuffix).map((parts) => parts.join('')),
    headers: hostileHeaders.map((headers) => ({ 'content-type': 'application/json', ...headers })),
    body: fc.oneof(
      hostileBody,
      json.map((value) => (value === undefined ? undefined : JSON.stringify(value))),
    ),
    withKey: key,
  });
  return fc.oneof({ weight: 3, arbitrary: plain }, { weight: 2, arbitrary: odd });
}

function bodyOf(schema: Schema, words: Vocabulary): fc.Arbitrary<unknown> {
  const whole = good('', schema, words);
  const spoilt = fc.tuple(whole, hostileText, hostileValue, fc.nat()).map(([value, name, bad, which]) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return bad;
    const names = Object.keys(value);
    const at = which % 4 === 0 ? name : (names[which % Math.max(1, names.length)] ?? name);
    return Object.fromEntries([...Object.entries(value), [at, bad]]);
  });
  return fc.oneof({ weight: 3, arbitrary: whole }, { weight: 2, arbitrary: spoilt });
}

/** A value that the schema allows, as far as it tells; names that exist where it asks for one. */
function good(name: string, schema: Schema, words: Vocabulary, depth = 0): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) return fc.oneof(...alternatives.map((each) => good(name, each, words, depth)));
  if (schema.allOf) {
    const parts = schema.allOf.map((each) => good(name, each, words, depth));
    return fc.tuple(...parts).map((values) => Object.assign({}, ...(values as object[])) as unknown);
  }
  const types = [schema.type ?? ['string', 'number', 'object']].flat();
  return fc.oneof(...types.map((type) => ofType(type, name, schema, words, depth)));
}

function ofType(
  type: string,
  name: string,
  schema: Schema,
  words: Vocabulary,
  depth: number,
): fc.Arbitrary<unknown> {
  const { minimum = -2, maximum = 1_000 } = schema;
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.oneof(
        fc.constantFrom(minimum, maximum),
        fc.integer({ min: minimum, max: Math.max(minimum, maximum) }),
      );
    case 'number':
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case 'array':
      return depth > 4
        ? fc.constant([])
        : fc.array(good(name, schema.items ?? {}, words, depth + 1), { maxLength: 3 });
    case 'object':
      return depth > 4 ? fc.constant({}) : objectOf(schema, words, depth);
    default:
      return textOf(name, schema, words);
  }
}

function objectOf(schema: Schema, words: Vocabulary, depth: number): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const members = Object.entries(properties).map(
    ([member, each]) => [member, good(member, each, words, depth + 1)] as const,
  );
  const known = fc.record(Object.fromEntries(members), {
    requiredKeys: required.filter((member) => member in properties),
  });
  if (additionalProperties === undefined || additionalProperties === false) return known;
  const more = fc.dictionary(fc.stringMatching(/^[a-z_.]{1,8}$/), hostileText, { maxKeys: 2 });
  return fc.tuple(known, more).map(([a, b]) => ({ ...b, ...(a as object) }));
}

function textOf(name: string, { format, maxLength = 60 }: Schema, words: Vocabulary): fc.Arbitrary<unknown> {
  if (format === 'date-time') {
    const min = new Date('2000-01-01T00:00:00Z');
    return fc
      .date({ min, max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true })
      .map((date) => date.toISOString());
  }
  const known = words[name.replace(/^(?:new|user|provider|license)_(?=name|key|id)/, '')] ?? [];
  const free = fc
    .oneof(hostileText, fc.stringMatching(/^[a-z]{1,6}$/))
    .map((text) => text.slice(0, maxLength));
  if (known.length === 0) return free;
  return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: free });
}

/** As it stands in a URL. What is no text at all is what JSON calls it. */
function segment(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return encodeURIComponent(text.toWellFormed()).slice(0, 3_000).replace(/%.?$/, '');
}
