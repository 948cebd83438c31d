import { baseUrl, headerPairs, share, text } from './kinds.js';
import type { Option } from './option.js';

/** Where traces go (docs/guides/observability.md). The names are OpenTelemetry's own. */
export const TRACING_OPTIONS = {
  'OTEL.EXPORTER_OTLP_ENDPOINT': {
    schema: baseUrl(),
    defaultNote: 'none: nothing is traced',
    meaning: 'Base URL of what takes traces by OTLP/HTTP; `/v1/traces` is appended.',
  },
  'OTEL.EXPORTER_OTLP_HEADERS': {
    schema: headerPairs(),
    default: '',
    meaning: 'Headers that it wants, as `name=value,name=value`, values percent-encoded.',
    secret: 'text',
  },
  'OTEL.SERVICE_NAME': {
    schema: text(1),
    default: 'licensing-gateway',
    meaning: 'What traces call this process.',
  },
  'OTEL.TRACES_SAMPLER_ARG': {
    schema: share(),
    default: '1',
    meaning: 'Share of the traces that begin here which are kept; who sends a `traceparent` decides himself.',
  },
} as const satisfies Record<string, Option>;
