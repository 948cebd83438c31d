import { InvalidField } from '../errors.js';
import { pageSize } from './page.js';
import type { Page, PageRequest } from './page.js';

interface IdPageSource<T> {
  /** Up to `limit` rows beyond the id `after`, in the order of the list. */
  readonly find: (place: { readonly after: number | undefined; readonly limit: number }) => Promise<T[]>;
  readonly count: () => Promise<number>;
}

/** A page of rows that plain SQL finds, in the order of ids too big for an integer column. */
export async function findIdPage<T extends { readonly id: number }>(
  request: Pick<PageRequest, 'first' | 'after'>,
  { find, count }: IdPageSource<T>,
): Promise<Page<T>> {
  const first = pageSize(request);
  const after = request.after == null ? undefined : idOf(request.after);
  const rows = await find({ after, limit: first + 1 });
  return {
    items: rows.slice(0, first),
    hasNextPage: rows.length > first,
    hasPreviousPage: after !== undefined,
    cursorOf: ({ id }) => Buffer.from(JSON.stringify([id])).toString('base64url'),
    count,
  };
}

function idOf(cursor: string): number {
  const [, digits] = /^\[(\d{1,16})\]$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (digits !== undefined && Number.isSafeInteger(Number(digits))) return Number(digits);
  throw new InvalidField('after', 'must be a cursor of this list, as an earlier page gave it');
}
