import { once } from 'node:events';
import type { Request, Response } from 'express';
import type { RequestContext } from '../graphql/request-context.js';
import type { CompiledOperation } from './operation.js';
import { runOperation } from './outcome.js';
import type { RequestVariables } from './variables.js';

/** The value of a list operation's root field: a Relay connection, reduced to what a list needs. */
interface ConnectionValue {
  readonly nodes: readonly unknown[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

const STREAM_PAGE = 500;

type Shape = (node: unknown) => unknown;

/**
 * Answers a bare array. With `limit` or `cursor`: that page, with a `Link: <…>; rel="next"` header. Without: the
 * complete list, page after page by keyset, in constant memory and at the pace at which the client reads; a client
 * that goes away ends it.
 */
export async function sendList(
  operation: CompiledOperation,
  ctx: RequestContext,
  variables: RequestVariables,
  shape: Shape,
  req: Request,
  res: Response,
): Promise<void> {
  const { limit, cursor } = variables.values;
  if (limit != null || cursor != null) {
    const page = await pageOf(operation, ctx, variables);
    if (page.pageInfo.hasNextPage && page.pageInfo.endCursor !== null) {
      const next = nextUrl(req, variables, page.pageInfo.endCursor);
      res.setHeader('Link', `<${next}>; rel="next"`);
    }
    res.json(page.nodes.map(shape));
    return;
  }
  if (req.method === 'HEAD') {
    // One row tells whether the list can be had; nobody would see the others.
    await pageOf(operation, ctx, { ...variables, values: { ...variables.values, limit: 1 } });
    res.type('application/json').end();
    return;
  }
  await streamAll(operation, ctx, variables, shape, res);
}

async function streamAll(
  operation: CompiledOperation,
  ctx: RequestContext,
  variables: RequestVariables,
  shape: Shape,
  res: Response,
): Promise<void> {
  const gone = new AbortController();
  res.once('close', () => {
    gone.abort();
  });
  let after: string | null = null;
  let isFirst = true;
  do {
    const values: Record<string, unknown> = { ...variables.values, limit: STREAM_PAGE, cursor: after };
    const page = await pageOf(operation, ctx, { ...variables, values });
    // Nothing can be written any more, and neither 'drain' nor 'close' would come.
    if (res.destroyed) return;
    // The first page is loaded before anything is sent, so that an error can still be a problem response.
    if (isFirst) res.type('application/json');
    const rows = page.nodes.map((node) => JSON.stringify(shape(node)));
    const chunk = (isFirst ? '[' : rows.length > 0 ? ',' : '') + rows.join(',');
    if (!res.write(chunk)) await once(res, 'drain', { signal: gone.signal }).catch(() => undefined);
    if (gone.signal.aborted) return;
    isFirst = false;
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    ctx.reset();
  } while (after !== null);
  res.end(']');
}

async function pageOf(operation: CompiledOperation, ctx: RequestContext, variables: RequestVariables) {
  return (await runOperation(operation, ctx, variables)) as ConnectionValue;
}

/** Everything stands in the query, what came in the body too: a link has no body. */
function nextUrl(req: Request, { values }: RequestVariables, cursor: string): string {
  const query = new URLSearchParams(req.query as Record<string, string>);
  for (const [name, value] of Object.entries(values)) {
    if (Object.hasOwn(req.params, name)) continue;
    if (['string', 'number', 'boolean'].includes(typeof value)) query.set(name, String(value));
  }
  query.set('cursor', cursor);
  return `${req.baseUrl}${req.path}?${query.toString()}`;
}
