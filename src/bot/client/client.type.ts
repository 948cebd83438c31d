import { Field, ObjectType } from 'type-graphql';

@ObjectType('BotMoved', { simpleResolvers: true, description: 'What came of a start, stop or restart.' })
export class BotMovedObject {
  @Field(() => Boolean)
  success!: boolean;

  @Field(() => Boolean, { description: "False: the move didn't apply, and changed nothing." })
  changed!: boolean;
}
