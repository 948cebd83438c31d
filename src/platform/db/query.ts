import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import type { Pool } from 'pg';

/** A statement that is sent so often that connections keep its plan, under its name. */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/** Sends a statement, wherever that may be, and resolves to its rows. */
export type Query = <Row extends object>(statement: NamedStatement) => Promise<Row[]>;

/** A pool whose connections are lent by the transaction: what one has prepared, the next doesn't know. */
const withoutNames = new WeakSet<Pool>();

/** Statements on this pool go without their names from now on, and are planned each time. */
export function dontNameStatements(pool: Pool): void {
  withoutNames.add(pool);
}

/** Each statement on whichever connection is free. */
export function onPool(pool: () => Promise<Pool>): Query {
  return async <Row extends object>({ name, ...statement }: NamedStatement) => {
    const to = await pool();
    return (await to.query<Row>(withoutNames.has(to) ? statement : { name, ...statement })).rows;
  };
}

/** On the connection of the entity manager's transaction, and part of it. */
export function withinTransaction(em: EntityManager): Query {
  return async <Row extends object>({ text, values }: NamedStatement) =>
    (await em.getKysely().executeQuery<Row>(CompiledQuery.raw(text, values))).rows;
}
