import type { Request, Response } from 'express';
import { failure, show } from '../errors.js';
import type { DomainError } from '../errors.js';
import { EventStreamWriter } from '../event-stream-writer.js';
import type { Connection, Connections } from '../graphql/subscriptions/connections.js';
import { exposeError } from '../graphql/mask.js';
import type { RequestContext } from '../graphql/request-context.js';
import { bearerOf } from './bearer.js';
import type { CompiledOperation } from './operation.js';
import { outcomeOf } from './outcome.js';
import { problemBody } from './problem.js';
import type { RequestVariables } from './variables.js';

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
  const stream = new EventStreamWriter(res);
  const problem = (error: DomainError) => ({
    event: 'error',
    data: JSON.stringify(problemBody(error, req.path, ctx.requestId)),
  });
  const connection: Connection = {
    transport: 'event-stream',
    presented: bearerOf(req.get('authorization')),
    refuse: (error) => {
      stream.end(problem(error));
    },
    goAway: () => {
      stream.end();
    },
  };
  connections.add(connection);
  try {
    // The client may have hung up meanwhile.
    if (res.destroyed || req.method === 'HEAD') end();
    for await (const result of results) {
      const value = outcomeOf(operation, result, variables) as { readonly id: number };
      await stream.write({ id: value.id, data: JSON.stringify(value) });
    }
    stream.end();
  } catch (error) {
    stream.end(problem(exposeError(error, ctx.log, ctx.requestId)));
  } finally {
    connections.remove(connection);
  }
}

function lastIdOf(req: Request): Record<string, number> {
  const text = req.get('last-event-id');
  if (text === undefined || text === '') return {};
  if (/^\d{1,15}$/.test(text)) return { [LAST_ID]: Number(text) };
  throw failure('BAD_PARAMETER', `The header Last-Event-ID must be a whole number; got ${show(text)}`);
}
