import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { connectionOf, orderOf } from '../../platform/graphql/connection.js';
import { JsonObjectScalar, NameScalar } from '../../platform/graphql/scalars.js';

@ObjectType('Webhook', { simpleResolvers: true, description: 'Where events are sent.' })
export class WebhookObject {
  @Field(() => Int)
  id!: number;

  @Field(() => String)
  name!: string;

  @Field(() => String, { nullable: true, description: 'Null: not complete yet.' })
  url!: string | null;

  @Field(() => [String], { description: 'Events, kinds of events ("license.*") and everything ("*").' })
  events!: string[];

  @Field(() => Boolean)
  enabled!: boolean;

  @Field(() => Date, { nullable: true, description: 'Until then the replaced secret signs too.' })
  oldSecretUntil!: Date | null;

  @Field(() => Date, { nullable: true, description: 'Since when no attempt has succeeded.' })
  failingSince!: Date | null;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  updatedAt!: Date;
}

@ObjectType()
export class WebhookConnection extends connectionOf('Webhook', () => WebhookObject) {}

@InputType()
abstract class WebhookFieldsInput {
  @Field(() => String, { nullable: true })
  url?: string | null;

  @Field(() => [String], { nullable: true, description: 'Replaced as a whole.' })
  events?: string[] | null;

  @Field(() => String, { nullable: true, description: 'whsec_ and base64 of 24 to 64 bytes.' })
  secret?: string | null;

  @Field(() => Boolean, { nullable: true })
  enabled?: boolean | null;

  @Field(() => JsonObjectScalar, {
    nullable: true,
    description: 'Sent with each delivery; replaced as a whole.',
  })
  headers?: Record<string, unknown> | null;
}

@InputType()
export class CreateWebhookInput extends WebhookFieldsInput {
  @Field(() => NameScalar, { nullable: true, description: 'Generated when absent.' })
  name?: string | null;
}

@InputType()
export class UpdateWebhookInput extends WebhookFieldsInput {
  @Field(() => NameScalar, { nullable: true, description: 'Renames; every reference follows.' })
  newName?: string | null;
}

@InputType('WebhookFilter')
export class WebhookFilterInput {
  @Field(() => String, { nullable: true, description: 'Exactly this name.' })
  name?: string | null;

  @Field(() => Boolean, { nullable: true })
  enabled?: boolean | null;

  @Field(() => String, { nullable: true, description: 'Has this very word in its list.' })
  event?: string | null;
}

enum WebhookOrderField {
  id = 'id',
  name = 'name',
  createdAt = 'createdAt',
  updatedAt = 'updatedAt',
}

@InputType('WebhookOrder')
export class WebhookOrderInput extends orderOf('Webhook', WebhookOrderField) {}
