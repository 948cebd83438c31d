import { Router } from 'express';
import type { Request, RequestHandler } from 'express';
import { failure } from '../errors.js';
import type { Metrics } from '../metrics.js';

/** `GET /metrics`: the Prometheus text. `authorize` throws for whoever may not read it. */
export function metricsRoutes(
  { registry }: Metrics,
  authorize: (req: Request) => Promise<void> = () => Promise.resolve(),
): Router {
  const router = Router();
  router.get('/metrics', async (req, res) => {
    await authorize(req);
    res.type(registry.contentType).send(await registry.metrics());
  });
  router.all('/metrics', (req) => {
    const headers = { Allow: 'GET, HEAD' };
    throw failure('METHOD_NOT_ALLOWED', `${req.method} is not allowed here; allowed: GET, HEAD`, { headers });
  });
  return router;
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);

/** Measures every request from here on, by the route that took it. */
export function measureRequests({ httpDuration }: Metrics): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    res.once('close', () => {
      // What a client may make up must not become a label.
      const method = METHODS.has(req.method) ? req.method : 'other';
      const labels = { method, route: routeOf(req), code: res.statusCode };
      httpDuration.observe(labels, (performance.now() - startedAt) / 1000);
    });
    next();
  };
}

/** The pattern that matched, e.g. `/download/:token`. */
function routeOf(req: Request): string {
  const { path } = (req.route ?? {}) as { path?: unknown };
  if (typeof path === 'string') return path;
  return req.originalUrl.startsWith('/graphql') ? '/graphql' : 'none';
}
