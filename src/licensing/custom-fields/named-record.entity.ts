import { p } from '@mikro-orm/core';

/** The columns that products, customers and addons share: a unique name and the values of custom fields. */
export const namedRecordProperties = {
  id: p.integer().primary(),
  name: p.text(),
  custom: p.json<Record<string, unknown>>(),
  createdAt: p.datetime(),
  updatedAt: p.datetime(),
};

/** The kinds of record that custom fields can be defined for. */
export const RECORD_KINDS = ['product', 'customer', 'addon'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];
