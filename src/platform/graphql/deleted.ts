import { Field, ObjectType } from 'type-graphql';

@ObjectType('Deleted', { simpleResolvers: true })
export class Deleted {
  @Field(() => Boolean)
  deleted!: boolean;
}

/** What every deletion answers. */
export const DELETED: Deleted = { deleted: true };
