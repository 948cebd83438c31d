import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../../support/app.js';
import type { TestApp } from '../../support/app.js';
import { graphqlClient } from '../../support/graphql.js';
import { restClient } from '../../support/rest.js';
import type { RestResponse } from '../../support/rest.js';
import { recordStatements } from '../../support/statements.js';

let app: TestApp;
const JSON_TYPE = { 'content-type': 'application/json' };

beforeAll(async () => {
  app = await startApp();
});

/** Posts bytes as they are. */
function post(raw: string, headers: Record<string, string> = JSON_TYPE): Promise<RestResponse> {
  return app.rest('POST', '/graphql', undefined, { raw, headers });
}

const ask = (query: string, variables?: object) => post(JSON.stringify({ query, variables }));

function codeOf({ status, body }: RestResponse) {
  const [error] = (body as { errors: { extensions: { code: string; limit?: string } }[] }).errors;
  return [status, error?.extensions.code, ...(error?.extensions.limit ? [error.extensions.limit] : [])];
}

describe('POST /graphql, the request', () => {
  it('400 MALFORMED_JSON in the shape that GraphQL clients read', async () => {
    const response = await post('{');
    expect(response.status).toBe(400);
    expect(response.body).toEqual({
      errors: [
        {
          message: expect.stringContaining('not valid JSON'),
          extensions: { code: 'MALFORMED_JSON', status: 400, request_id: response.headers['x-request-id'] },
        },
      ],
    });
  });

  it('415 UNSUPPORTED_MEDIA_TYPE: a form', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(codeOf(await post('query={__typename}', form))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('413 BODY_TOO_LARGE: a text of 65 KB, while 1 MB of variables passes', async () => {
    expect(codeOf(await ask(`{ __typename } # ${'x'.repeat(65_536)}`))).toEqual([413, 'BODY_TOO_LARGE']);
    expect((await ask('{ __typename }', { unused: 'x'.repeat(1_000_000) })).status).toBe(200);
    const huge = JSON.stringify({ query: '{ __typename }', variables: { a: 'x'.repeat(8 * 1024 * 1024) } });
    expect(codeOf(await post(huge))).toEqual([413, 'BODY_TOO_LARGE']);
  });

  it('400 for no body, an empty one, a list and a number, never a 500', async () => {
    for (const raw of ['', '{}', '[]', '[{"query":"{ __typename }"}]', '5', 'null']) {
      expect((await post(raw)).status).toBe(400);
    }
    expect((await app.rest('GET', '/graphql')).status).toBe(400);
  });

  it('400 GRAPHQL_PARSE_FAILED and GRAPHQL_VALIDATION_FAILED say what is wrong', async () => {
    expect(codeOf(await ask('{'))).toEqual([400, 'GRAPHQL_PARSE_FAILED']);
    const unknown = await ask('{ nothing }');
    expect(codeOf(unknown)).toEqual([400, 'GRAPHQL_VALIDATION_FAILED']);
    expect(unknown.body.errors[0].message).toContain('Cannot query field "nothing"');
  });

  it('GET /graphql 200: a query; a mutation is refused', async () => {
    const get = (query: string) =>
      app.rest('GET', `/graphql?query=${encodeURIComponent(query)}`, undefined, { headers: JSON_TYPE });
    expect((await get('{ products { totalCount } }')).body.data.products.totalCount).toBe(0);
    expect((await get('mutation { createProduct(input: { name: "By GET" }) { id } }')).status).toBe(405);
  });

  it('400 BAD_REQUEST with the request id: a persisted query with a wrong hash or version', async () => {
    for (const persistedQuery of [1, { version: 2 }, { version: 1, sha256Hash: 'none' }]) {
      const raw = JSON.stringify({ query: '{ __typename }', extensions: { persistedQuery } });
      const response = await post(raw);
      expect(codeOf(response)).toEqual([400, 'BAD_REQUEST']);
      expect(response.body.errors[0].extensions.request_id).toBe(response.headers['x-request-id']);
    }
  });

  it('405 and 400 BAD_REQUEST with the request id, before there is an operation', async () => {
    for (const [method, raw] of [
      ['PUT', '{"query":"{ __typename }"}'],
      ['POST', '{"query":"{ __typename }","variables":"{}"}'],
      ['POST', '{"query":"{ __typename }","operationName":1}'],
    ] as const) {
      const response = await app.rest(method, '/graphql', undefined, { raw, headers: JSON_TYPE });
      expect(codeOf(response)).toEqual([method === 'PUT' ? 405 : 400, 'BAD_REQUEST']);
      expect(response.body.errors[0].extensions.request_id).toBe(response.headers['x-request-id']);
    }
  });

  it('400 OPERATION_RESOLUTION_FAILURE: a subscription, and a name that no operation has', async () => {
    const subscription = await ask('subscription { jobChanged { __typename } }');
    expect(codeOf(subscription)).toEqual([400, 'OPERATION_RESOLUTION_FAILURE']);
    expect(subscription.body.errors[0].message).toContain('/graphql/stream');
    const unnamed = await post('{"query":"query A { __typename }","operationName":"B"}');
    expect(codeOf(unnamed)).toEqual([400, 'OPERATION_RESOLUTION_FAILURE']);
  });

  it('answers who accepts no JSON as well: it was done', async () => {
    const raw = '{"query":"mutation { createCustomer(input: { name: \\"Done\\" }) { name } }"}';
    const response = await post(raw, { ...JSON_TYPE, accept: 'text/html' });
    expect([response.status, response.body.data.createCustomer.name]).toEqual([200, 'Done']);
  });

  it('OPTIONS /graphql 204 with Allow', async () => {
    for (const path of ['/graphql', '/graphql/stream']) {
      const { status, headers } = await app.anonymous('OPTIONS', path);
      expect([status, headers.allow]).toEqual([204, 'GET, POST, OPTIONS']);
    }
  });
});

describe('POST /graphql, the variables', () => {
  const create = 'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }';

  it('422: every problem with its pointer', async () => {
    const response = await ask(create, { input: { name: 5, sessionTtl: 'a', foo: 1, addons: ['a', null] } });
    expect(response.status).toBe(422);
    const [error] = response.body.errors;
    expect(error.extensions.code).toBe('INVALID_FIELD');
    const problems = error.extensions.errors as { pointer: string; code: string }[];
    expect(problems.map(({ pointer, code }) => [pointer, code]).sort()).toEqual([
      ['/variables/input/addons/1', 'INVALID_FIELD'],
      ['/variables/input/foo', 'UNKNOWN_FIELD'],
      ['/variables/input/name', 'INVALID_FIELD'],
      ['/variables/input/sessionTtl', 'INVALID_FIELD'],
    ]);
  });

  it('422 UNKNOWN_FIELD: an unknown input field alone, __proto__ too', async () => {
    expect(codeOf(await ask(create, { input: { name: 'a', foo: 1 } }))).toEqual([422, 'UNKNOWN_FIELD']);
    const raw = `{"query":${JSON.stringify(create)},"variables":{"input":{"name":"a","__proto__":{"x":1}}}}`;
    expect(codeOf(await post(raw))).toEqual([422, 'UNKNOWN_FIELD']);
  });

  it('422 INVALID_FIELD: missing altogether', async () => {
    const response = await ask(create);
    expect(codeOf(response)).toEqual([422, 'INVALID_FIELD']);
    expect(response.body.errors[0].extensions.errors[0].pointer).toBe('/variables/input');
  });
});

describe('POST /graphql, the caller', () => {
  const anonymous = (query: string) => graphqlClient(app.url, undefined)(query);
  const codes = ({ errors }: { errors: readonly { extensions: Record<string, unknown> }[] }) =>
    errors.map((error) => error.extensions['code']);

  it('API_KEY_MISSING without a key, INSUFFICIENT_SCOPE with a foreign one', async () => {
    expect(codes(await anonymous('{ products { totalCount } }'))).toEqual(['API_KEY_MISSING']);
    const foreign = await app.restAs('bot:read');
    const response = await foreign('POST', '/graphql', { query: '{ products { totalCount } }' });
    expect(codes(response.body as { errors: [] })).toEqual(['INSUFFICIENT_SCOPE']);
  });

  it('401 API_KEY_INVALID with WWW-Authenticate for a key that is none', async () => {
    const response = await restClient(app.url, 'nobody')('POST', '/graphql', { query: '{ __typename }' });
    expect(codeOf(response)).toEqual([401, 'API_KEY_INVALID']);
    expect(response.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    expect(response.body.errors[0].extensions.request_id).toBe(response.headers['x-request-id']);
  });

  it('a public field is open to all; beside a guarded one, that one alone is refused', async () => {
    const verdict = 'validateLicense(input: { key: "none" }) { code }';
    const response = await anonymous(`mutation { ${verdict} createProduct(input: { name: "x" }) { id } }`);
    expect(codes(response)).toEqual(['API_KEY_MISSING']);
    expect((await anonymous(`mutation { ${verdict} }`)).data.validateLicense.code).toBe('NOT_FOUND');
    expect(await app.sql("select 1 from product where name = 'x'")).toEqual([]);
  });

  it('who may not change anything opens no transaction', async () => {
    const statements = await recordStatements(app.orm);
    const sent = await statements.during(() =>
      anonymous('mutation { createProduct(input: { name: "x" }) { id } }'),
    );
    expect(sent).toEqual([]);
  });

  it.each([
    '{ __schema { queryType { name } } }',
    '{ __type(name: "License") { name } }',
    '{ ...F } fragment F on Query { __schema { queryType { name } } }',
    '{ ... on Query { innocent: __schema { queryType { name } } } }',
  ])('introspection only with a key: %s', async (query) => {
    const refused = await anonymous(query);
    expect([refused.status, ...codes(refused)]).toEqual([401, 'API_KEY_MISSING']);
    expect((await app.graphql(query)).errors).toEqual([]);
  });
});

describe('POST /graphql, the limits', () => {
  /** The schema has no circle, so it takes fields that don't exist to be deep; they are counted all the same. */
  const levels = (depth: number) => `${'a { '.repeat(depth - 1)}a${' }'.repeat(depth - 1)}`;

  it('400 QUERY_TOO_COMPLEX DEPTH: 13 levels; fragments of any kind are no levels', async () => {
    const tooDeep = ['QUERY_TOO_COMPLEX', 'DEPTH'];
    expect((await ask(`{ ${levels(13)} }`)).status).toBe(400);
    expect(codesOfAll(await ask(`{ ${levels(13)} }`))).toContainEqual(tooDeep);
    expect(codesOfAll(await ask(`{ ${levels(12)} }`))).not.toContainEqual(tooDeep);
    const inline = (depth: number) => `{ ${'... { '.repeat(20)} ${levels(depth)} ${'} '.repeat(20)} }`;
    expect(codesOfAll(await ask(inline(13)))).toContainEqual(tooDeep);
    expect(codesOfAll(await ask(inline(12)))).not.toContainEqual(tooDeep);
    const named = (depth: number) => `{ a { ...F } } fragment F on Query { ${levels(depth)} }`;
    expect(codesOfAll(await ask(named(12)))).toContainEqual(tooDeep);
    expect(codesOfAll(await ask(named(11)))).not.toContainEqual(tooDeep);
  });

  const aliases = (count: number, prefix = 'a') =>
    Array.from({ length: count }, (_, index) => `${prefix}${index}: products { totalCount }`).join(' ');

  it('400 QUERY_TOO_COMPLEX ALIASES: 21 of one field, however they are put together', async () => {
    expect((await ask(`{ ${aliases(20)} }`)).status).toBe(200);
    const refused = [400, 'QUERY_TOO_COMPLEX', 'ALIASES'];
    expect(codeOf(await ask(`{ ${aliases(21)} }`))).toEqual(refused);
    expect(codeOf(await ask(`{ ${aliases(11)} ... { ${aliases(10, 'b')} } }`))).toEqual(refused);
    expect(
      codeOf(
        await ask(
          `{ ...A ...B } fragment A on Query { ${aliases(11)} } fragment B on Query { ${aliases(10, 'b')} }`,
        ),
      ),
    ).toEqual(refused);
  });

  it('400: more than 4000 tokens', async () => {
    const response = await ask(`{ ${'__typename '.repeat(4_001)} }`);
    expect(codeOf(response)).toEqual([400, 'GRAPHQL_PARSE_FAILED']);
    expect(response.body.errors[0].message).toContain('4000 tokens');
  });

  it('400 QUERY_TOO_COMPLEX SELECTIONS: fragments that double each other, refused at once', async () => {
    const doubling = Array.from({ length: 300 }, (_, index) => {
      const next = index < 299 ? `...F${index + 1} ...F${index + 1}` : '__typename';
      return `fragment F${index} on Query { ${next} }`;
    });
    const response = await ask(`{ ...F0 } ${doubling.join(' ')}`);
    expect(codesOfAll(response)).toContainEqual(['QUERY_TOO_COMPLEX', 'SELECTIONS']);
  });

  it('400: fragments that spread themselves', async () => {
    const response = await ask('{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }');
    expect(codeOf(response)).toEqual([400, 'GRAPHQL_VALIDATION_FAILED']);
  });

  const rows = (first: number) =>
    `licenses(first: ${first}) { nodes { id key product { id name } addons { id name } } }`;

  it('400 QUERY_TOO_COMPLEX COMPLEXITY: rows cost, and a negative count pays for nothing', async () => {
    expect((await ask(`{ ${rows(500)} }`)).status).toBe(200);
    const many = Array.from({ length: 20 }, (_, index) => `a${index}: ${rows(500)}`).join(' ');
    const refused = [400, 'QUERY_TOO_COMPLEX', 'COMPLEXITY'];
    expect(codeOf(await ask(`{ ${many} }`))).toEqual(refused);
    expect(codeOf(await ask(`{ products(first: -1000000) { nodes { id } } ${many} }`))).toEqual(refused);
  });

  function codesOfAll({ body }: RestResponse) {
    const { errors = [] } = body as { errors?: { extensions: { code: string; limit?: string } }[] };
    return errors.map(({ extensions }) => [extensions.code, extensions.limit]);
  }
});
