import { defineRoutes } from '../../platform/rest/routes.js';
import type { CustomResponse } from '../../platform/rest/routes.js';
import { BotStatusDocument } from './status.generated.js';

/** 200 always, so that it can be read; with `?strict=1` a bot that doesn't run is 503, for probes. */
const sendStatus: CustomResponse<{ readonly running: boolean }> = (status, req, res) => {
  const isStrict = req.query['strict'] === '1' || req.query['strict'] === 'true';
  res.status(isStrict && !status.running ? 503 : 200).json(status);
};

export const botStatusRoutes = defineRoutes({
  'GET /api/status': {
    access: 'public',
    operation: BotStatusDocument,
    member: 'status',
    lenient: true,
    response: sendStatus,
  },
});
