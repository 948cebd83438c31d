/** Columns that hold sealed texts: as their whole value, or (`jsonb`) somewhere in it. */
export interface SealedPlace {
  readonly table: string;
  /** Of the primary key. */
  readonly key: readonly [string, ...string[]];
  readonly columns: readonly { readonly name: string; readonly type: 'text' | 'jsonb' }[];
}
