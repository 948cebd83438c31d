import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  defaultTextMapGetter,
  defaultTextMapSetter,
  trace,
} from '@opentelemetry/api';
import type { Context, Span, Tracer as OtelSpans } from '@opentelemetry/api';
import { W3CTraceContextPropagator, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Pool } from 'pg';
import { routeOf } from '../rest/metrics.js';
import { requestIdOf } from '../rest/request-id.js';
import { PRODUCT } from '../product.js';
import type { TracingOptions } from './start-tracing.js';
import { watchStatements } from './statement-spans.js';
import { withoutValues } from './without-values.js';
import type { SpanFacts, SpanOptions, Tracer } from './tracing.js';

const KINDS = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };
const EXPORT_MS = 5_000;
const CLOSE_MS = 6_000;
const VALUE_LENGTH_MAX = 2_000;
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);

/**
 * Spans by OpenTelemetry, sent in batches to an OTLP/HTTP receiver. One that is away costs spans, and a line in the
 * log; never a request. Holds its own context rather than the API's global one, which several could not share.
 */
export class OtelTracer implements Tracer {
  readonly #provider: TracerProvider;
  readonly #spans: OtelSpans;
  readonly #context = new AsyncLocalStorage<Context>();
  readonly #w3c = new W3CTraceContextPropagator();

  constructor({ endpoint, headers, serviceName, share, log }: TracingOptions) {
    setGlobalErrorHandler((error) => {
      log.warn({ err: error }, 'spans could not be handed over');
    });
    const exporter = new OTLPTraceExporter({
      url: `${endpoint}/v1/traces`,
      headers: { ...headers },
      timeoutMillis: EXPORT_MS,
    });
    this.#provider = new TracerProvider({
      resource: defaultResource().merge(
        resourceFromAttributes({ 'service.name': serviceName, 'service.version': PRODUCT.version }),
      ),
      // Whoever called us has decided already whether the whole of his trace is kept.
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
      spanLimits: { attributeValueLengthLimit: VALUE_LENGTH_MAX },
      spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_MS })],
    });
    this.#spans = this.#provider.getTracer(PRODUCT.name, PRODUCT.version);
  }

  async span<T>({ name, kind, facts = {} }: SpanOptions, work: () => Promise<T>): Promise<T> {
    const parent = this.#here();
    const span = this.#spans.startSpan(name, { kind: KINDS[kind], attributes: facts }, parent);
    try {
      return await this.#context.run(trace.setSpan(parent, span), work);
    } catch (error) {
      failed(span, error);
      throw error;
    } finally {
      span.end();
    }
  }

  note(name: string, facts: SpanFacts): void {
    trace.getSpan(this.#here())?.updateName(name).setAttributes(facts);
  }

  headers(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {};
    this.#w3c.inject(this.#here(), headers, defaultTextMapSetter);
    return headers;
  }

  watchServer(server: Server): void {
    const emit = server.emit.bind(server) as (event: string, ...args: unknown[]) => boolean;
    server.emit = (event: string, ...args: unknown[]) => {
      if (event !== 'request') return emit(event, ...args);
      const [req, res] = args as [IncomingMessage, ServerResponse];
      return this.#context.run(this.#requestSpan(req, res), () => emit(event, ...args));
    };
  }

  watchPool(pool: Pool): void {
    watchStatements(pool, ({ text, name, operation }) => {
      const parent = this.#here();
      // Statements of nobody's, such as a check of health, would each be a trace of their own.
      if (trace.getSpan(parent) === undefined) return undefined;
      const attributes = {
        'db.system.name': 'postgresql',
        'db.operation.name': operation,
        'db.query.text': withoutValues(text),
        ...(name === undefined ? {} : { 'db.query.summary': name }),
      };
      const span = this.#spans.startSpan(name ?? operation, { kind: SpanKind.CLIENT, attributes }, parent);
      return (error) => {
        if (error) failed(span, error);
        span.end();
      };
    });
  }

  /** Sends what is still here. Waits for a receiver that is away only so long. */
  async close(): Promise<void> {
    await Promise.race([this.#provider.shutdown(), delay(CLOSE_MS, undefined, { ref: false })]);
  }

  #here(): Context {
    return this.#context.getStore() ?? ROOT_CONTEXT;
  }

  #requestSpan(req: IncomingMessage, res: ServerResponse): Context {
    const from = this.#w3c.extract(ROOT_CONTEXT, req.headers, defaultTextMapGetter);
    const method = METHODS.has(req.method ?? '') ? (req.method ?? '') : '_OTHER';
    const span = this.#spans.startSpan(method, { kind: SpanKind.SERVER }, from);
    // Whatever answers takes it from there: so it is the id that the caller gets, and the log has.
    const requestId = (req.headers['x-request-id'] = requestIdOf(req));
    res.once('close', () => {
      const route = takenBy(req);
      const { statusCode } = res;
      span.updateName(`${method} ${route}`).setAttributes({
        'http.request.method': method,
        // The pattern: a path may hold the token of a download, and a query a license key.
        'http.route': route,
        'http.response.status_code': statusCode,
        'request.id': requestId,
      });
      if (!res.writableFinished) span.setStatus({ code: SpanStatusCode.ERROR, message: 'hung up' });
      else if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    return trace.setSpan(from, span);
  }
}

/** The pattern of its route. What express has never seen took the hot way, whose paths are their own patterns. */
function takenBy(req: IncomingMessage): string {
  return 'app' in req ? routeOf(req as Parameters<typeof routeOf>[0]) : (req.url ?? '');
}

/** The name of an error and its code are fixed; its message may hold what a caller sent. */
function failed(span: Span, error: unknown): void {
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  const type = [name, code].filter((part) => typeof part === 'string').join(' ');
  span.setAttribute('error.type', type === '' ? 'unknown' : type).setStatus({ code: SpanStatusCode.ERROR });
}
