import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { Request, Response } from 'express';

/** Whose credential an endpoint takes. `apiKey` is checked ahead of everything else, the body included. */
export type RouteAccess = 'apiKey' | 'public';

/** Sends a result that is not plain JSON, e.g. a file. */
export type CustomResponse<Result> = (result: Result, req: Request, res: Response) => void | Promise<void>;

/** One endpoint: access, the operation it runs, and how the result is sent. */
export interface Route<Result = unknown> {
  readonly access: RouteAccess;
  /**
   * The operation. Its variables are the request mapping (path, then query, then body, by name), its aliases the
   * response mapping. It selects exactly one root field, whose value is the response.
   */
  readonly operation: TypedDocumentNode<Result, never>;
  /** Success status; 200 when absent. */
  readonly status?: 200 | 201;
  /** The Boolean member of the result that says whether the record is new: 201 if so, else 200. It isn't sent. */
  readonly isNew?: string;
  /**
   * `empty`: 204. `list`: the operation is a connection with variables `limit` and `cursor`; answers a bare array,
   * page after page, or one page with a `Link` header when the caller pages. A function sends the result itself.
   */
  readonly response?: 'empty' | 'list' | CustomResponse<Result>;
  /** The variable that gathers all body members which are no variables themselves (custom fields). */
  readonly gather?: string;
  /** The member of the result whose members are put beside the others (custom fields). */
  readonly flatten?: string;
  /** Unknown members are ignored instead of refused: products in the field must not break. */
  readonly lenient?: true;
  /** Members beside {@link READ_ONLY_MEMBERS} that a record shows and a request may send back; they are ignored. */
  readonly readOnly?: readonly string[];
}

/** `'POST /products': { … }` */
export type RouteKey = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`;
export type RouteTable = Readonly<Record<RouteKey, Route>>;

// A row's result type is its document's; erased in the table, since the facade handles every row alike.
type Rows = Record<
  RouteKey,
  Omit<Route, 'operation' | 'response'> & { operation: object; response?: unknown }
>;

/** One slice's endpoints. */
export function defineRoutes(routes: Rows): RouteTable {
  return routes as unknown as RouteTable;
}

/** Members of a record that was read may be sent back; they are ignored. */
export const READ_ONLY_MEMBERS: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt']);
