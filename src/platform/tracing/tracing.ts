import type { Server } from 'node:http';
import type { Pool } from 'pg';

/** What a span says beside its name. It leaves the machine: no key, no token, nothing that a caller made up at length. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** Of few and fixed ones, e.g. `job expire-sessions`. */
  readonly name: string;
  /** `client`: something elsewhere is asked. `consumer`: something that was queued is done. */
  readonly kind: 'internal' | 'client' | 'consumer';
  readonly facts?: SpanFacts;
}

/** Who writes spans down. There is one in a process, or none. */
export interface Tracer {
  /** Does the work in a span beneath the one that is under way, if there is one. */
  span<T>(options: SpanOptions, work: () => Promise<T>): Promise<T>;
  /** Names the span that is under way anew, and adds to what it says. */
  note(name: string, facts: SpanFacts): void;
  /** What tells whoever is asked next which trace the span under way belongs to (W3C Trace Context). */
  headers(): Readonly<Record<string, string>>;
  /** Every request to the server is a span from now on. */
  watchServer(server: Server): void;
  /** Every statement that is sent by this pool within a span is one too, from now on. */
  watchPool(pool: Pool): void;
}

/*
 * Our own seams instead of instrumentation that patches modules while they load: that needs a loader hook with ES
 * modules, knows neither our compiled operations nor our hot path, and costs memory also where nobody traces.
 */
let current: Tracer | undefined;

/** From now on this one is told; undefined: nobody. What was made before it, an app or a pool, is not watched. */
export function useTracer(tracer: Tracer | undefined): void {
  current = tracer;
}

/** Who is told of spans, if anybody is. */
export function tracer(): Tracer | undefined {
  return current;
}

/** Does the work, in a span if there is a tracer. */
export function traced<T>(options: SpanOptions, work: () => Promise<T>): Promise<T> {
  return current ? current.span(options, work) : work();
}

/** `work` in a span each time; `work` itself where there is no tracer, so that it costs nothing there. */
export function withSpan<Args extends unknown[], T>(
  options: SpanOptions,
  work: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  return current ? (...args) => traced(options, () => work(...args)) : work;
}
