/**
 * A validation by the product's own service, asked by a bare node:http server: what is left when GraphQL, the facade, the
 * request log, the metrics of requests and the limits are taken away. The difference is what they cost.
 */
import 'reflect-metadata';
import { createServer } from 'node:http';
import { pino } from 'pino';
import { licensingEntities } from '../../dist/src/licensing/entities.js';
import { validateLicense } from '../../dist/src/licensing/licenses/validation/validation.service.js';
import { createOrm } from '../../dist/src/platform/db/orm.js';
import { createMetrics } from '../../dist/src/platform/metrics.js';

const log = pino({ level: 'warn' });
const orm = createOrm({
  ...{ url: process.env.DATABASE_URL, poolMax: 10, entities: licensingEntities, migrations: [], log },
});
const ctx = {
  caller: { name: 'anonymous', id: 'anonymous', scopes: new Set(), authenticated: false },
  ...{ source: 'rest', requestId: 'bench', clock: { now: () => new Date() }, log, metrics: createMetrics() },
  settings: { sessions: { ttlSeconds: 600 }, validation: { cacheMebibytes: 64 } },
};

createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', async () => {
    const { license_key: key } = JSON.parse(Buffer.concat(chunks).toString());
    const client = {
      ip: req.socket.remoteAddress,
      agent: req.headers['user-agent'] ?? '',
      header: () => undefined,
    };
    const { verdict } = await validateLicense(orm.em, ctx, { key, ...client });
    const { expiresAt, userVariables, ...others } = verdict;
    const text = JSON.stringify({ ...others, expires_at: expiresAt, user_variables: userVariables });
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    res.end(text);
  });
}).listen(Number(process.env.PORT), '127.0.0.1', () => {
  console.log('ready');
});
