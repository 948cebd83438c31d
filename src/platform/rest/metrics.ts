import { Router } from 'express';
import type { Request } from 'express';
import { failure } from '../errors.js';
import type { Metrics } from '../metrics.js';

/** `GET /metrics`: the Prometheus text. `authorize` throws for whoever may not read it. */
export function metricsRoutes(
  metrics: Metrics,
  authorize: (req: Request) => Promise<void> = () => Promise.resolve(),
): Router {
  const router = Router();
  router.get('/metrics', async (req, res) => {
    await authorize(req);
    res.type(metrics.registry.contentType).send(await metrics.text());
  });
  router.all('/metrics', (req) => {
    const headers = { Allow: 'GET, HEAD' };
    throw failure('METHOD_NOT_ALLOWED', `${req.method} is not allowed here; allowed: GET, HEAD`, { headers });
  });
  return router;
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);

/** One request that has been answered. `route` is the pattern that took it; a path must not become a label. */
export function observeRequest(
  { httpDuration }: Metrics,
  { method, route, status, seconds }: { method: string; route: string; status: number; seconds: number },
): void {
  // What a client may make up must not become a label either.
  httpDuration.observe({ method: METHODS.has(method) ? method : 'other', route, code: status }, seconds);
}

/** The pattern that matched, e.g. `/download/:token`. */
export function routeOf(req: Request): string {
  const { path } = (req.route ?? {}) as { path?: unknown };
  if (typeof path === 'string') return path;
  return req.originalUrl.startsWith('/graphql') ? '/graphql' : 'none';
}
