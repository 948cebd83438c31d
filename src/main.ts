import 'reflect-metadata';
import cluster from 'node:cluster';
import { startWorker } from '../jobs/worker.js';
import { asGatewayProcess, tellFirstProcess } from './gateway-processes.js';
import { run } from './run.js';

if (cluster.isWorker) await run(startWorker, { adjust: asGatewayProcess, announce: tellFirstProcess });
else await run(startWorker, { arguments: process.argv.slice(2) });
