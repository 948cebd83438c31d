import { defineEntity, p } from '@mikro-orm/core';
import type { RecordKind } from './named-record.entity.js';

/** The types a custom field can have. `date` is an ISO 8601 date or date-time, `json` any JSON value. */
export const CUSTOM_FIELD_TYPES = [
  'string',
  'number',
  'boolean',
  'date',
  'url',
  'email',
  'enum',
  'json',
] as const;
export type CustomFieldType = (typeof CUSTOM_FIELD_TYPES)[number];

const CustomFieldSchema = defineEntity({
  name: 'CustomField',
  tableName: 'custom_field',
  properties: {
    id: p.integer().primary(),
    record: p.text().$type<RecordKind>(),
    name: p.text(),
    type: p.text().$type<CustomFieldType>(),
    required: p.boolean(),
    defaultValue: p.json<unknown>().nullable(),
    /** The allowed values of an `enum`. */
    options: p.json<string[] | null>().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export class CustomField extends CustomFieldSchema.class {}

CustomFieldSchema.setClass(CustomField);
