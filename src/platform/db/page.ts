import { Cursor } from '@mikro-orm/core';
import type { EntityClass, EntityManager, FilterQuery, QueryOrderMap } from '@mikro-orm/postgresql';
import { InvalidField } from '../errors.js';
import { findRows } from './rows.js';
import type { RowOf, RowOptions } from './rows.js';

/** One page of rows in a total order, with what is needed to ask for the next. */
export interface Page<T> {
  readonly items: T[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** An opaque cursor that stands for a row's place in this order. */
  cursorOf(item: T): string;
  /** All rows that match the filter, on any page. */
  count(): Promise<number>;
}

/** A page of an entity's rows. */
export type RowPage<T> = Page<RowOf<T>>;

export interface PageRequest {
  /** 1–{@link PAGE_MAX}; {@link PAGE_DEFAULT} when absent. */
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  /** `field` is a property that is never null; ties are broken by `id`. Default: by id, ascending. */
  readonly orderBy?: { readonly field: string; readonly direction: 'asc' | 'desc' } | null | undefined;
}

export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 500;

interface Row {
  id: number;
}

/** A page by keyset: as fast on the last page as on the first, whatever was added or deleted meanwhile. */
export async function findPage<T extends object & Row>(
  em: EntityManager,
  entity: EntityClass<T>,
  where: FilterQuery<T>,
  request: PageRequest,
): Promise<RowPage<T>> {
  const first = pageSize(request);
  const { field, direction } = request.orderBy ?? { field: 'id', direction: 'asc' };
  const orderBy: QueryOrderMap<Row>[] =
    field === 'id' ? [{ id: direction }] : [{ [field]: direction }, { id: direction }];
  const meta = em.getMetadata().get<Row>(entity);
  if (request.after != null) {
    const { properties } = meta;
    const types = orderBy.flatMap((each) => Object.keys(each)).map((name) => typeOf(properties, name));
    assertCursor(request.after, types);
  }
  const options = {
    ...{ orderBy, first, overfetch: true, includeCount: false as const },
    ...(request.after == null ? {} : { after: request.after }),
  };
  const rows = await findRows(em, entity, where, options as RowOptions<T>);
  const cursor = new Cursor<Row, never, '*', never, false>(
    rows as unknown as Row[],
    undefined,
    options,
    meta,
  );
  return {
    items: cursor.items as unknown as RowOf<T>[],
    hasNextPage: cursor.hasNextPage,
    hasPreviousPage: cursor.hasPrevPage,
    cursorOf: (item) => cursor.from(item as unknown as Row),
    count: () => em.count(entity, where),
  };
}

/** How many rows a page has at most. */
export function pageSize({ first }: Pick<PageRequest, 'first'>): number {
  const size = first ?? PAGE_DEFAULT;
  if (size < 1 || size > PAGE_MAX) {
    throw new InvalidField('first', `must be between 1 and ${PAGE_MAX}; got ${size}`);
  }
  return size;
}

type CursorType = 'number' | 'string' | 'Date';

function typeOf(properties: Readonly<Record<string, { runtimeType: string }>>, name: string): CursorType {
  const type = properties[name]?.runtimeType;
  if (type === 'number' || type === 'string' || type === 'Date') return type;
  throw new Error(`Rows can't be ordered by ${name}`);
}

const INTEGER_MAX = 2 ** 31 - 1;

/** A cursor comes from the client: it must be what we made, a list of plain values, and never an operator. */
function assertCursor(cursor: string, types: readonly CursorType[]): void {
  let values: unknown;
  try {
    values = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    values = undefined;
  }
  const isOurs =
    Array.isArray(values) &&
    values.length === types.length &&
    types.every((type, index) => isOfType(type, (values as unknown[])[index]));
  if (isOurs) return;
  throw new InvalidField('after', 'must be a cursor of this list in this order, as an earlier page gave it');
}

function isOfType(type: CursorType, value: unknown): boolean {
  if (type === 'number') return Number.isInteger(value) && Math.abs(value as number) <= INTEGER_MAX;
  if (typeof value !== 'string' || value.includes('\u0000')) return false;
  return type === 'string' || (/^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value)));
}
