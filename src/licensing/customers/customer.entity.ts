import { defineEntity } from '@mikro-orm/core';
import { namedRecordProperties } from '../custom-fields/named-record.entity.js';

const CustomerSchema = defineEntity({
  name: 'Customer',
  tableName: 'customer',
  properties: namedRecordProperties,
});

export class Customer extends CustomerSchema.class {}

CustomerSchema.setClass(Customer);
