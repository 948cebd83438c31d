import { Field, InputType } from 'type-graphql';

@InputType()
export class EmbedAuthorInput {
  @Field(() => String)
  name!: string;

  @Field(() => String, { nullable: true })
  url?: string | null;

  @Field(() => String, { nullable: true })
  iconUrl?: string | null;
}

@InputType()
export class EmbedFooterInput {
  @Field(() => String)
  text!: string;

  @Field(() => String, { nullable: true })
  iconUrl?: string | null;
}

@InputType()
export class EmbedImageInput {
  @Field(() => String)
  url!: string;
}

@InputType()
export class EmbedFieldInput {
  @Field(() => String)
  name!: string;

  @Field(() => String)
  value!: string;

  @Field(() => Boolean, { nullable: true, description: 'Beside its neighbours.' })
  inline?: boolean | null;
}

@InputType({ description: 'At most 6000 characters in all.' })
export class EmbedInput {
  @Field(() => String, { nullable: true })
  title?: string | null;

  @Field(() => String, { nullable: true })
  description?: string | null;

  @Field(() => String, { nullable: true, description: '#RRGGBB' })
  color?: string | null;

  @Field(() => String, { nullable: true })
  url?: string | null;

  @Field(() => Date, { nullable: true })
  timestamp?: Date | null;

  @Field(() => EmbedAuthorInput, { nullable: true })
  author?: EmbedAuthorInput | null;

  @Field(() => EmbedFooterInput, { nullable: true })
  footer?: EmbedFooterInput | null;

  @Field(() => EmbedImageInput, { nullable: true })
  thumbnail?: EmbedImageInput | null;

  @Field(() => EmbedImageInput, { nullable: true })
  image?: EmbedImageInput | null;

  @Field(() => [EmbedFieldInput], { nullable: true })
  fields?: EmbedFieldInput[] | null;
}

@InputType()
export class ButtonInput {
  @Field(() => String)
  label!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Primary, Secondary, Success, Danger or Link, the default.',
  })
  style?: string | null;

  @Field(() => String, { nullable: true, description: "A link's." })
  url?: string | null;

  @Field(() => String, { nullable: true, description: "Any other's: by it, its clicks are known." })
  id?: string | null;
}

@InputType({ description: 'Who may be pinged.' })
export class AllowedMentionsInput {
  @Field(() => [String], { nullable: true, description: 'Any of users, roles, everyone.' })
  parse?: string[] | null;

  @Field(() => [String], { nullable: true })
  users?: string[] | null;

  @Field(() => [String], { nullable: true })
  roles?: string[] | null;
}
