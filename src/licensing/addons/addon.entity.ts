import { defineEntity } from '@mikro-orm/core';
import { namedRecordProperties } from '../custom-fields/named-record.entity.js';

const AddonSchema = defineEntity({
  name: 'Addon',
  tableName: 'addon',
  properties: namedRecordProperties,
});

export class Addon extends AddonSchema.class {}

AddonSchema.setClass(Addon);
