import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import { SealBroken, seal, sealIdOf, unseal } from '../seal.js';
import type { Keyring } from '../seal.js';
import type { SealedPlace } from './sealed-place.js';

export interface Resealed {
  /** Texts that are now sealed with the present key, and weren't. */
  readonly resealed: number;
  /** Texts that no key opens. */
  readonly unreadable: number;
  /** Whether every place was looked through; else call again. */
  readonly isDone: boolean;
}

const ROWS_AT_ONCE = 200;
const RESEALED_MAX = 5_000;

/**
 * Seals what previous keys have sealed with the present one, as much as a request may take. Each value is exchanged by
 * a statement of its own, and only if it still is what was read: it may run beside everything else, twice at once, and
 * be broken off at any moment.
 */
export async function resealBatch(
  em: EntityManager,
  keys: Keyring,
  places: readonly SealedPlace[],
): Promise<Resealed> {
  const db = em.getKysely<never>();
  let [resealed, unreadable] = [0, 0];
  for (const place of places) {
    for (const column of place.columns) {
      let after: readonly string[] | undefined;
      do {
        const rows = await rowsSealedOtherwise(db, keys, place, column.name, after);
        for (const row of rows) {
          const { text, broken } = resealText(row.value, keys);
          unreadable += broken;
          if (text !== row.value && (await exchange(db, place, column, row, text))) resealed++;
        }
        after = rows.length === ROWS_AT_ONCE ? rows.at(-1)?.key : undefined;
        if (resealed >= RESEALED_MAX) return { resealed, unreadable, isDone: false };
      } while (after);
    }
  }
  return { resealed, unreadable, isDone: true };
}

/**
 * How many texts no key opens, by table, of the first few of each place: whether this is the database's `SECRET_KEY` at
 * all. Tables without any are left out.
 */
export async function unreadableTexts(
  em: EntityManager,
  keys: Keyring,
  places: readonly SealedPlace[],
): Promise<Readonly<Record<string, number>>> {
  const unreadable = new Map<string, number>();
  for (const place of places) {
    for (const { name } of place.columns) {
      const rows = await rowsSealedOtherwise(em.getKysely<never>(), keys, place, name, undefined);
      const broken = rows.reduce((sum, { value }) => sum + resealText(value, keys).broken, 0);
      if (broken > 0) unreadable.set(place.table, (unreadable.get(place.table) ?? 0) + broken);
    }
  }
  return Object.fromEntries(unreadable);
}

interface SealedRow {
  /** As text, so that every kind of key is alike. */
  readonly key: readonly string[];
  readonly value: string;
}

async function rowsSealedOtherwise(
  db: Kysely<never>,
  { secretKey }: Keyring,
  { table, key }: SealedPlace,
  column: string,
  after: readonly string[] | undefined,
): Promise<readonly SealedRow[]> {
  const otherwise = `v1\\.|v2\\.(?!${sealIdOf(secretKey)}\\.)`;
  const keyText = keyAsText(key);
  const { rows } = await sql<SealedRow>`
    select array[${keyText}] as key, ${sql.ref(column)}::text as value from ${sql.table(table)}
     where ${sql.ref(column)}::text ~ ${otherwise}
       ${after ? sql`and (${keyText}) > (${sql.join(after)})` : sql``}
     order by ${keyText} limit ${ROWS_AT_ONCE}`.execute(db);
  return rows;
}

function keyAsText(key: readonly string[]): RawBuilder<unknown> {
  return sql.join(key.map((name) => sql`${sql.ref(name)}::text`));
}

async function exchange(
  db: Kysely<never>,
  { table, key }: SealedPlace,
  { name, type }: SealedPlace['columns'][number],
  row: SealedRow,
  text: string,
): Promise<boolean> {
  const column = sql.ref(name);
  const { numAffectedRows = 0n } = await sql`
    update ${sql.table(table)} set ${column} = ${text}::text::${sql.raw(type)}
     where (${keyAsText(key)}) = (${sql.join(row.key)}) and ${column}::text = ${row.value}`.execute(db);
  return numAffectedRows > 0n;
}

/** Sealed texts wherever they stand in a value; base64url has nothing that JSON would escape. */
const SEALED = /\bv(?:1|2\.[\w-]{8})\.[\w-]{16}\.[\w-]{22}\.[\w-]*/g;

function resealText(value: string, keys: Keyring): { readonly text: string; readonly broken: number } {
  let broken = 0;
  const text = value.replace(SEALED, (sealed) => {
    if (sealed.startsWith(`v2.${sealIdOf(keys.secretKey)}.`)) return sealed;
    try {
      return seal(unseal(sealed, keys), keys);
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
      broken++;
      return sealed;
    }
  });
  return { text, broken };
}
