import { startWorker } from '../jobs/worker.js';
import { run } from './run.js';

await run(startWorker);
