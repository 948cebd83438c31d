import type { RequestHandler } from 'express';
import { apiKeyMissing } from '../graphql/access.js';
import type { ContextOf } from './facade.js';
import type { RouteTable } from './routes.js';

/** Checks the credential ahead of the path, but for public rows: who has none learns nothing of what is there. */
export function bearerFirst(tables: readonly RouteTable[], contextOf: ContextOf): RequestHandler {
  const rows = tables.flatMap((table) => Object.entries(table));
  const open = new Set(
    rows.filter(([, { access }]) => access === 'public').map(([key]) => key.split(' ')[1]),
  );
  return async (req, res, next) => {
    if (!open.has(req.path)) {
      const { caller } = await contextOf(req, res, { keyless: false });
      if (!caller.authenticated) throw apiKeyMissing();
    }
    next();
  };
}
