import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { plainArray } from './array-text.js';

/** Hundreds of ids as one parameter. */
export function idArray(ids: readonly number[]): RawBuilder<number[]> {
  return sql<number[]>`${plainArray(ids)}::integer[]`;
}
