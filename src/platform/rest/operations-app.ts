import express from 'express';
import type { ErrorRequestHandler, Express } from 'express';
import { failure } from '../errors.js';
import { exposeError } from '../graphql/mask.js';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import { COMMON_HEADERS } from './common-headers.js';
import { healthRoutes } from './health.js';
import type { Readiness } from './health.js';
import { metricsRoutes } from './metrics.js';
import { sendProblem } from './problem.js';
import { requestIdOf } from './request-id.js';

interface OperationsOptions {
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly log: Logger;
}

/** What `METRICS.PORT` serves, in every role and without a credential: metrics and health. */
export function operationsApp({ metrics, readiness, log }: OperationsOptions): Express {
  const http = express();
  http.disable('x-powered-by').set('etag', false);
  http.use((_req, res, next) => {
    res.set(COMMON_HEADERS);
    next();
  });
  http.use(healthRoutes(readiness));
  http.use(metricsRoutes(metrics));
  http.use((req) => {
    throw failure('NOT_FOUND', `There is nothing at ${req.path}; /metrics and /health are here`);
  });
  const lastResort: ErrorRequestHandler = (error: unknown, req, res, _next) => {
    const requestId = requestIdOf(req);
    sendProblem(res, exposeError(error, log, requestId), req.path, requestId);
  };
  http.use(lastResort);
  return http;
}
