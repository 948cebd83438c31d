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
  /** The member of the root field's value that is the response, where that field is only a door: `bot { status }`. */
  readonly member?: string;
  /** Most bytes of the body; what the API allows when absent. */
  readonly bodyBytesMax?: number;
  /** Success status; 200 when absent. */
  readonly status?: 200 | 201;
  /** The Boolean member of the result that says whether the record is new: 201 if so, else 200. It isn't sent. */
  readonly isNew?: string;
  /**
   * `empty`: 204. `list`: the operation is a connection with variables `limit` and `cursor`; answers a bare array,
   * page after page, or one page with a `Link` header when the caller pages. `content`: the file that the operation
   * left in its context. `events`: the operation is a subscription, whose results are server-sent events, each with its
   * `id`; the header `Last-Event-ID` is its variable `last_event_id`. A function sends the result itself.
   */
  readonly response?: 'empty' | 'list' | 'content' | 'events' | CustomResponse<Result>;
  /** The variable that gathers all body members which are no variables themselves (custom fields). */
  readonly gather?: string;
  /** The member of the result whose members are put beside the others (custom fields). */
  readonly flatten?: string;
  /** Unknown members are ignored instead of refused: products in the field must not break. */
  readonly lenient?: true;
  /** Mounted ahead of everything it doesn't need: see `hotRoutes`. */
  readonly hot?: true;
  /** For callers with a message of their own, such as somebody else's webhooks. */
  readonly inbound?: Inbound;
  /** Members beside {@link READ_ONLY_MEMBERS} that a record shows and a request may send back; they are ignored. */
  readonly readOnly?: readonly string[];
}

/**
 * A row whose body is not ours to define: JSON or a form, whole in the variable `payload` and, as it was sent, in `raw`.
 * Its operation takes the credential from there: `Authorization` is no API key here.
 */
export interface Inbound {
  readonly bytesMax: number;
  /** Further variables, and the headers that they are read from. */
  readonly headers: Readonly<Record<string, string>>;
  /** A failure is never a 5xx. */
  readonly onlyClientErrors?: true;
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
