import type { JsonSchema } from './notes.js';
import { headersOf } from './problems.js';

/** `GET /health/live` and `GET /health/ready`, as `healthRoutes` serves them on every port. */
export function healthOperations(tag: string): Readonly<Record<string, JsonSchema>> {
  const status = (value: string): JsonSchema => ({
    type: 'object',
    required: ['status'],
    properties: { status: { type: 'string', const: value } },
  });
  const answer = (description: string, schema: JsonSchema, example: JsonSchema, headers: string[] = []) => ({
    description,
    headers: headersOf(...headers),
    content: { 'application/json': { schema, example } },
  });
  const away = {
    ...status('unavailable'),
    properties: { status: { const: 'unavailable' }, reason: { type: 'string' } },
  };
  return {
    'GET /health/live': {
      tags: [tag],
      operationId: 'live',
      summary: 'Does the process run?',
      responses: { 200: answer('It does', status('live'), { status: 'live' }) },
      security: [],
    },
    'GET /health/ready': {
      tags: [tag],
      operationId: 'ready',
      summary: 'Can the process do its work?',
      responses: {
        200: answer('It can', status('ready'), { status: 'ready' }),
        503: answer(
          'It can not, now',
          away,
          { status: 'unavailable', reason: 'the database does not answer' },
          ['Retry-After'],
        ),
      },
      security: [],
    },
  };
}

/** `GET /metrics`, with the scope that its key needs. */
export function metricsOperation(tag: string, keyScheme: string, scope: string): JsonSchema {
  const refusal = (description: string) => ({
    description,
    headers: headersOf(),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  });
  return {
    tags: [tag],
    operationId: 'metrics',
    summary: 'Get the metrics, for Prometheus',
    description: 'Without a key on `METRICS.PORT`, if that is set.',
    responses: {
      200: {
        description: 'The Prometheus text format',
        headers: headersOf(),
        content: {
          'text/plain': { schema: { type: 'string' }, example: '# TYPE process_cpu_seconds_total counter\n' },
        },
      },
      401: refusal('No API key, or not a good one'),
      403: refusal(`The API key lacks the scope \`${scope}\``),
    },
    security: [{ [keyScheme]: [scope] }],
  };
}
