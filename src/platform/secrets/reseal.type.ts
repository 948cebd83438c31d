import { Field, Int, ObjectType } from 'type-graphql';
import type { Resealed } from './reseal.service.js';

@ObjectType('Resealed', { simpleResolvers: true })
export class ResealedObject implements Resealed {
  @Field(() => Int, { description: 'Secrets that are now sealed with the present SECRET_KEY, and were not.' })
  resealed!: number;

  @Field(() => Int, { description: 'Secrets that neither SECRET_KEY nor SECRET_KEY_PREVIOUS opens.' })
  unreadable!: number;

  @Field(() => Boolean, { description: 'False: there is more; call again.' })
  isDone!: boolean;
}
