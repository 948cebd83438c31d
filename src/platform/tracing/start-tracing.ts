import type { Logger } from '../logger.js';
import { useTracer } from './tracing.js';

export interface TracingOptions {
  /** Base URL of an OTLP/HTTP receiver; `/v1/traces` is appended. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** How many of the traces that begin here are kept, 0 to 1. */
  readonly share: number;
  readonly log: Logger;
}

/**
 * Has the process trace from now on, and resolves to what ends that and sends what is still here. Only here is
 * OpenTelemetry loaded: a process that doesn't trace shall not pay for it.
 */
export async function startTracing(options: TracingOptions): Promise<() => Promise<void>> {
  const { OtelTracer } = await import('./otel-tracer.js');
  const tracer = new OtelTracer(options);
  useTracer(tracer);
  return async () => {
    useTracer(undefined);
    await tracer.close();
  };
}
