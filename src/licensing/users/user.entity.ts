import { defineEntity, p } from '@mikro-orm/core';

/** `merged` is a tombstone: `mergedInto` is who the user is now. */
export const USER_STATUSES = ['active', 'banned', 'merged'] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

const UserSchema = defineEntity({
  name: 'User',
  tableName: 'app_user',
  properties: {
    id: p.integer().primary(),
    /** The public name, e.g. `usr_…` or the seller's own. */
    userId: p.text(),
    email: p.text().nullable().strictNullable(),
    displayName: p.text().nullable().strictNullable(),
    status: p.text().$type<UserStatus>(),
    mergedInto: () => p.manyToOne(User).ref().nullable().strictNullable().fieldName('merged_into'),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export class User extends UserSchema.class {}

UserSchema.setClass(User);
