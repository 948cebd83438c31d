import { run } from '../src/run.js';
import { startWorker } from './worker.js';

/** The worker alone, whatever ROLES says. */
await run(startWorker, { adjust: (config) => ({ ...config, roles: new Set(['worker'] as const) }) });
