/**
 * What graphile-worker reaches when one job is one signed delivery: jobs fetched and completed in batches, a pool of
 * kept-alive connections. Nothing is recorded, retried, guarded or shared fairly.
 */
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { run } from 'graphile-worker';
import { Pool } from 'undici';

const target = new URL(process.env.TARGET);
const pool = new Pool(target.origin, { connections: 32 });
const key = createSecretKey(randomBytes(32));

await run({
  connectionString: process.env.DATABASE_URL,
  preset: {
    worker: { concurrentJobs: 24, localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
  },
  noHandleSignals: false,
  taskList: {
    deliver: async ({ id, body }) => {
      const timestamp = Math.floor(Date.now() / 1000);
      const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': `v1,${signature}`,
      };
      const answer = await pool.request({ method: 'POST', path: target.pathname, headers, body });
      await answer.body.dump();
    },
  },
});
console.log('ready');
