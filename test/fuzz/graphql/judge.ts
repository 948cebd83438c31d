import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GraphQLSchema } from 'graphql';
import { ROOT } from '../../support/embedded-postgres-kit.js';
import type { FuzzAnswer } from '../ask.js';
import { INSIDE } from '../judge.js';
import type { GraphqlRequest } from './requests.js';
import { misshapen } from './shape.js';

const TYPES = new Set(['application/json', 'application/graphql-response+json']);

/** The codes that docs/api names. `…_NOT_FOUND` stands for one of each record. */
export function documentedCodes(): ReadonlySet<string> {
  const pages = ['licensing', 'bot'].map((page) => readFileSync(join(ROOT, `docs/api/${page}.md`), 'utf8'));
  const tables = pages.flatMap((text) =>
    text.split(/^## /m).filter((section) => /^(Error|Verdict) codes/.test(section)),
  );
  return new Set(
    tables.flatMap((table) => [...table.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, code = '']) => code)),
  );
}

export interface Contract {
  readonly schema: GraphQLSchema;
  /** {@link documentedCodes} */
  readonly codes: ReadonlySet<string>;
}

/** What is wrong with an answer of `/graphql`; undefined: nothing. */
export function judgeGraphql(
  { schema, codes }: Contract,
  asked: GraphqlRequest,
  { status, headers, text }: FuzzAnswer,
): string | undefined {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (status >= 500) return `answers ${status}`;
  if (INSIDE.test(text)) return 'shows its inside';
  if (!headers['x-request-id']) return 'has no X-Request-Id';
  if (asked.method === 'OPTIONS')
    return headers.allow === 'GET, POST, OPTIONS' || status >= 400
      ? undefined
      : `allows ${headers.allow ?? ''}`;
  if (asked.method === 'HEAD' || isNoGraphql(asked, status, type)) return undefined;
  if (!TYPES.has(type)) return `answers ${status} with ${type || 'no type'}`;
  let body: { data?: unknown; errors?: unknown };
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    return `answers ${status} with JSON that is none`;
  }
  const { data, errors, ...others } = body;
  if (Object.keys(others).some((name) => name !== 'extensions'))
    return 'has members that GraphQL does not know';
  if (data === undefined && errors === undefined) return 'has neither data nor errors';
  if (errors === undefined)
    return asked.kind === 'good' ? misshapen(schema, asked.operation, data) : undefined;
  if (!Array.isArray(errors) || errors.length === 0) return 'has errors that are none';
  return errors.map((error) => judgeError(codes, error as ErrorShown)).find((wrong) => wrong !== undefined);
}

interface ErrorShown {
  readonly message?: unknown;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

function judgeError(
  codes: ReadonlySet<string>,
  { message, extensions = {} }: ErrorShown,
): string | undefined {
  const { code, status, request_id: id, ...others } = extensions;
  if (typeof message !== 'string') return 'has an error without a message';
  if (typeof code !== 'string') return `has an error without a code: ${message}`;
  if (typeof id !== 'string') return `has an error without request_id: ${code}`;
  if (typeof status === 'number' && status >= 500) return `has an error ${code}, ${status}`;
  if (!codes.has(code) && !/^[A-Z]+(?:_[A-Z]+)*_NOT_FOUND$/.test(code))
    return `has the undocumented code ${code}`;
  const strange = Object.keys(others).filter((name) => !['errors', 'limit'].includes(name));
  return strange.length > 0 ? `has an error with ${strange.join(', ')}: ${code}` : undefined;
}

/** The page for browsers, an event stream, and the REST facade's word for paths beneath that are none. */
function isNoGraphql({ path }: GraphqlRequest, status: number, type: string): boolean {
  if (type === 'text/event-stream' || type === 'text/html') return status === 200;
  // The page, for who has it already.
  if (status === 204 || status === 304) return true;
  const isBeneath = !/^\/graphql(?:\/stream)?\/?(?:\?|$)/.test(path);
  return isBeneath && type === 'application/problem+json' && status < 500;
}
