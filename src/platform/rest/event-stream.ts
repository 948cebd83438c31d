import { once } from 'node:events';
import type { Request, Response } from 'express';
import { failure, show } from '../errors.js';
import type { DomainError } from '../errors.js';
import type { Connection, Connections } from '../graphql/subscriptions/connections.js';
import { exposeError } from '../graphql/mask.js';
import type { RequestContext } from '../graphql/request-context.js';
import { bearerOf } from './bearer.js';
import type { CompiledOperation } from './operation.js';
import { outcomeOf } from './outcome.js';
import { problemBody } from './problem.js';
import type { RequestVariables } from './variables.js';

/** Proxies hang up on a connection that says nothing for a minute. */
const PING_MS = 25_000;
const LAST_ID = 'last_event_id';

/**
 * Answers a subscription's results as server-sent events, each with its `id`, so that a browser that comes back says
 * what it has seen last. What goes wrong before the first is a problem response; afterwards an event named `error`.
 */
export async function sendEvents(
  operation: CompiledOperation,
  ctx: RequestContext,
  variables: RequestVariables,
  connections: Connections,
  req: Request,
  res: Response,
): Promise<void> {
  const values = { ...variables.values, ...lastIdOf(req) };
  connections.assertRoom();
  const results = await operation.subscribe(ctx, values);
  if (!(Symbol.asyncIterator in results)) {
    outcomeOf(operation, results, variables);
    return;
  }
  const end = () => void results.return?.();
  res.once('close', end);
  const connection: Connection = {
    transport: 'event-stream',
    presented: bearerOf(req.get('authorization')),
    refuse: (error) => {
      sendError(res, error, ctx);
    },
    goAway: () => res.end(),
  };
  connections.add(connection);
  const pinger = setInterval(() => {
    ping(res);
  }, PING_MS);
  try {
    // The client may have hung up meanwhile.
    if (res.destroyed || req.method === 'HEAD') end();
    res.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
    res.write(':\n\n');
    for await (const result of results) await send(res, outcomeOf(operation, result, variables));
    res.end();
  } catch (error) {
    sendError(res, exposeError(error, ctx.log, ctx.requestId), ctx);
  } finally {
    clearInterval(pinger);
    connections.remove(connection);
  }
}

function lastIdOf(req: Request): Record<string, number> {
  const text = req.get('last-event-id');
  if (text === undefined || text === '') return {};
  if (/^\d{1,15}$/.test(text)) return { [LAST_ID]: Number(text) };
  throw failure('BAD_PARAMETER', `The header Last-Event-ID must be a whole number; got ${show(text)}`);
}

/** No faster than it is read. */
async function send(res: Response, value: unknown): Promise<void> {
  if (res.writableEnded || res.destroyed) return;
  const { id } = value as { readonly id: number };
  if (res.write(`id: ${id}\ndata: ${JSON.stringify(value)}\n\n`)) return;
  const waiting = new AbortController();
  const { signal } = waiting;
  await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]);
  waiting.abort();
}

function sendError(res: Response, error: DomainError, { requestId }: RequestContext): void {
  if (res.writableEnded || res.destroyed) return;
  const body = problemBody(error, res.req.path, requestId);
  res.end(`event: error\ndata: ${JSON.stringify(body)}\n\n`);
}

/** A client that has not read what was sent since the last ping is gone, or as good as. */
function ping(res: Response): void {
  // Ended, and the results not yet: a write would be an error that nobody catches, and end the process.
  if (res.writableEnded || res.destroyed) return;
  if (res.writableNeedDrain) res.destroy();
  else res.write(':\n\n');
}
