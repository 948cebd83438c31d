import { Field, InputType, ObjectType } from 'type-graphql';

@ObjectType('BotProfileSet', { simpleResolvers: true })
export class BotProfileSetObject {
  @Field(() => Boolean)
  success!: boolean;

  @Field(() => String)
  username!: string;

  @Field(() => String, { nullable: true, description: "The platform's hash of the image." })
  avatar!: string | null;
}

@InputType()
export class BotProfileInput {
  @Field(() => String, { nullable: true, description: '2–32 characters.' })
  username?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'A data URI of a png, jpeg, gif or webp image of at most 8 MiB; null clears it.',
  })
  avatar?: string | null;
}
