/**
 * The exact limit: what a bare Node.js server reaches that asks Postgres about every license and writes every session,
 * and does nothing else. One statement looks licenses up and opens or renews sessions, for all requests of the moment;
 * answers leave after its commit. No rules, whitelists, seats, variables, request log, errors or limits.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';
import { HEARTBEAT, VALIDATE } from './statements.mjs';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 4 });
const IN_FLIGHT = 2;
const BATCH_MAX = 250;

/** Gathers what is asked while two statements are under way. */
function grouped(statement, parameters) {
  let waiting = [];
  let inFlight = 0;
  let leaves = false;
  const leave = () => {
    leaves = false;
    while (waiting.length > 0 && inFlight < IN_FLIGHT) {
      const batch = waiting.splice(0, BATCH_MAX);
      inFlight++;
      pool.query({ ...statement, values: parameters(batch) }).then(({ rows }) => {
        inFlight--;
        for (const row of rows) {
          batch[row.n - 1].resolve(row);
          batch[row.n - 1].done = true;
        }
        for (const one of batch) if (!one.done) one.resolve(undefined);
        leave();
      });
    }
  };
  return (question) =>
    new Promise((resolve) => {
      waiting.push({ question, resolve, done: false });
      if (leaves || inFlight >= IN_FLIGHT) return;
      leaves = true;
      setImmediate(leave);
    });
}

const validate = grouped(VALIDATE, (batch) => [
  batch.map(({ question }) => question.lookup),
  batch.map(() => randomBytes(32).toString('base64url')),
  batch.map(({ question }) => question.ip),
  batch.map(({ question }) => question.agent),
]);
const heartbeat = grouped(HEARTBEAT, (batch) => [batch.map(({ question }) => question)]);

async function answerValidation(body, req) {
  const lookup = String(body.license_key).toUpperCase().replaceAll('-', '');
  const row = await validate({
    lookup,
    ip: req.socket.remoteAddress,
    agent: req.headers['user-agent'] ?? '',
  });
  return {
    valid: row !== undefined,
    code: row ? 'VALID' : 'NOT_FOUND',
    message: 'The license is valid.',
    product: row?.product ?? null,
    customer: row?.customer ?? null,
    status: row?.status ?? 'invalid',
    expires_at: row?.expires_at ?? null,
    addons: [],
    variables: {},
    user_variables: {},
    timestamp: Math.floor(Date.now() / 1000),
    session: row ? { token: row.token } : null,
    warnings: [],
    nonce: null,
  };
}

async function answerHeartbeat(body) {
  const row = await heartbeat(body.token);
  return { token: body.token, last_seen: new Date(), expires_at: row?.expires_at ?? null };
}

createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', async () => {
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const answer = await (req.url === '/sessions/heartbeat'
      ? answerHeartbeat(body)
      : answerValidation(body, req));
    const text = JSON.stringify(answer);
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    res.end(text);
  });
}).listen(Number(process.env.PORT), '127.0.0.1', () => {
  console.log('ready');
});
