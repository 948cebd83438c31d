import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { NameScalar } from '../../platform/graphql/scalars.js';
import type { ApiKey } from './api-key.entity.js';

@ObjectType('ApiKey', { simpleResolvers: true })
export class ApiKeyObject {
  @Field(() => Int)
  id!: number;

  @Field(() => String, { description: "The key's public part; 'env' for the one the configuration gives." })
  keyId!: string;

  @Field(() => String)
  name!: string;

  @Field(() => [String])
  scopes!: string[];

  @Field(() => Date, { nullable: true, description: 'Null: never.' })
  expiresAt!: Date | null;

  @Field(() => Date, { nullable: true, description: 'Exact to a minute.' })
  lastUsedAt!: Date | null;

  @Field(() => Date, { nullable: true })
  revokedAt!: Date | null;

  @Field(() => Date)
  createdAt!: Date;
}

@ObjectType('IssuedApiKey', { simpleResolvers: true })
export class IssuedApiKeyObject {
  @Field(() => ApiKeyObject)
  record!: ApiKey;

  @Field(() => String, { description: 'The whole key. It is shown this once and stored nowhere.' })
  plain!: string;
}

@InputType()
export class CreateApiKeyInput {
  @Field(() => NameScalar)
  name!: string;

  @Field(() => [String], { description: "E.g. licensing:read; '*' is all." })
  scopes!: string[];

  @Field(() => Date, { nullable: true, description: 'Null: never.' })
  expiresAt?: Date | null;
}
