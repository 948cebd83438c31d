import { Router } from 'express';
import { failure } from '../errors.js';

/** Whether this process can do its work now; `reason` says what is missing. */
export type Readiness = () => Promise<{ readonly ready: boolean; readonly reason?: string }>;

/** `GET /health/live`: the process runs. `GET /health/ready`: it can do its work; 503 with the reason otherwise. */
export function healthRoutes(readiness: Readiness): Router {
  const router = Router();
  router.get('/health/live', (_req, res) => {
    res.json({ status: 'live' });
  });
  router.get('/health/ready', async (_req, res) => {
    const { ready, reason } = await readiness();
    if (ready) {
      res.json({ status: 'ready' });
    } else {
      res.setHeader('Retry-After', '2').status(503).json({ status: 'unavailable', reason });
    }
  });
  router.all(/^\/health\/(live|ready)$/, (req) => {
    const headers = { Allow: 'GET, HEAD' };
    throw failure('METHOD_NOT_ALLOWED', `${req.method} is not allowed here; allowed: GET, HEAD`, { headers });
  });
  return router;
}
