import { beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase } from '../support/database.js';
import { until } from '../support/embedded-postgres-kit.js';
import { startProgram } from '../support/process.js';
import type { Program } from '../support/process.js';
import { restClient } from '../support/rest.js';
import { startReceiver } from '../support/webhook-receiver.js';
import type { WebhookReceiver } from '../support/webhook-receiver.js';

const API_KEY = 'a_configured_key_of_at_least_32_characters';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const traceparent = (trace: string, flags = '01') => ({ traceparent: `00-${trace}-${PARENT}-${flags}` });

/** OTLP as JSON, as far as it is looked at here. */
interface Sent {
  readonly resourceSpans: {
    readonly resource: { readonly attributes: Attribute[] };
    readonly scopeSpans: { readonly spans: (Omit<Span, 'attributes'> & { attributes: Attribute[] })[] }[];
  }[];
}
interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A value stands beneath its type: `{"intValue": 201}`. */
const read = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

let otlp: WebhookReceiver;
let hooks: WebhookReceiver;
let program: Program;
let spans: Span[];
let licenseKey: string;

/** All that the program has to tell comes when it ends, at the latest. */
beforeAll(async () => {
  otlp = await startReceiver();
  otlp.answer = { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' };
  hooks = await startReceiver();
  program = startProgram({
    ...{ DATABASE_URL: await createDatabase(), API_KEY },
    ...{ WEBHOOKS_ALLOW_HTTP: 'true', WEBHOOKS_ALLOWED_NETWORKS: '127.0.0.1' },
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url, OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b' },
    OTEL_SERVICE_NAME: 'licensing-test',
  });
  const url = await program.ready();
  const rest = restClient(url, API_KEY);
  await rest('POST', '/webhooks', { url: hooks.url, events: ['license.created'], enabled: true });
  const traced = (trace: string, flags?: string) => ({ headers: traceparent(trace, flags) });
  await rest('POST', '/products', { name: 'Undisclosed' }, traced(TRACE));
  const license = await rest('POST', '/licenses', { product: 'Undisclosed' });
  licenseKey = license.body.key as string;
  const options = { headers: { 'x-request-id': 'the-id-of-a-validation' } };
  const validate = restClient(url, undefined);
  const verdict = await validate('POST', '/licenses/validate', { license_key: licenseKey }, options);
  expect(verdict.body.valid).toBe(true);
  await rest('GET', '/products', undefined, traced('1'.repeat(32), '00'));
  await rest('GET', `/download/${'t'.repeat(43)}`);
  await rest('POST', '/graphql', { query: 'query Mine { products { nodes { id } } }' });
  await until(() => hooks.calls.length > 0);
  program.child.kill('SIGTERM');
  expect(await program.exit()).toBe(0);
  const sent = otlp.calls.flatMap(({ body }) => (body as Sent).resourceSpans);
  spans = sent
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
    .map((span) => ({ ...span, attributes: read(span.attributes) }));
}, 60_000);

const named = (name: string): Span[] => spans.filter((span) => span.name === name);
const beneath = (parent: Span | undefined) =>
  spans.filter((span) => span.traceId === parent?.traceId && span.parentSpanId === parent.spanId);

describe('with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it('a request continues the trace of its caller, with its operation and its statements beneath', () => {
    const [request] = named('POST /products');
    expect(request).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, kind: 2 });
    expect(request?.attributes).toMatchObject({
      ...{ 'http.request.method': 'POST', 'http.route': '/products', 'http.response.status_code': 201 },
      'request.id': expect.stringMatching(/.{8}/),
    });
    const [operation] = beneath(request).filter(({ name }) => name.startsWith('mutation '));
    expect(operation?.attributes).toMatchObject({ 'graphql.operation.type': 'mutation' });
    const statements = beneath(operation);
    expect(statements.map(({ name }) => name)).toEqual(expect.arrayContaining(['BEGIN', 'INSERT', 'COMMIT']));
    for (const { kind, attributes } of statements) {
      expect(kind).toBe(3);
      expect(attributes).toMatchObject({
        'db.system.name': 'postgresql',
        'db.query.text': expect.any(String),
      });
    }
  });

  it('POST /licenses/validate on its short way has the same spans', () => {
    const [request] = named('POST /licenses/validate');
    expect(request?.attributes).toMatchObject({
      'http.response.status_code': 200,
      'request.id': 'the-id-of-a-validation',
    });
    expect(beneath(request).map(({ name }) => name)).toContainEqual(expect.stringMatching(/^mutation /));
  });

  it('POST /graphql: the operation by its kind, and what its author called it beside', () => {
    const [operation] = named('graphql query');
    expect(operation?.attributes).toEqual({
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'Mine',
    });
    expect(beneath(operation).map(({ name }) => name)).toContain('SELECT');
  });

  it('jobs and deliveries are spans, and a receiver is told which trace it is in', () => {
    expect(named('job deliver-webhooks').length).toBeGreaterThan(0);
    const [delivery] = named('deliver a webhook');
    expect(delivery?.attributes).toMatchObject({ 'http.response.status_code': 204 });
    expect(hooks.calls[0]?.headers['traceparent']).toBe(
      `00-${delivery?.traceId ?? ''}-${delivery?.spanId ?? ''}-01`,
    );
  });

  it('who says in his traceparent that his trace is not kept is not traced', () => {
    expect(spans.filter(({ traceId }) => traceId === '1'.repeat(32))).toEqual([]);
  });

  it('no key, no token and no value of a statement leaves the process', () => {
    expect(named('GET /download/:token')).toHaveLength(1);
    const secrets = [licenseKey, API_KEY, 't'.repeat(43), 'Undisclosed', '127.0.0.1'];
    const telling = spans.filter((span) => secrets.some((secret) => JSON.stringify(span).includes(secret)));
    expect(telling).toEqual([]);
  });

  it('the receiver gets the configured headers, and the name of the service', () => {
    const [call] = otlp.calls;
    expect([call?.path, call?.headers]).toEqual([
      '/hook/v1/traces',
      expect.objectContaining({ 'x-tenant': 'a b', 'content-type': 'application/json' }),
    ]);
    const [resource] = (call?.body as Sent).resourceSpans;
    expect(read(resource?.resource.attributes ?? [])).toMatchObject({ 'service.name': 'licensing-test' });
  });
});
