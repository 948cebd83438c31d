import { Field, InputType, Int, ObjectType } from 'type-graphql';
import {
  JsonObjectScalar,
  NameScalar,
  NonceScalar,
  PresentedScalar,
} from '../../../platform/graphql/scalars.js';

@InputType()
export class ValidateLicenseInput {
  @Field(() => PresentedScalar)
  key!: string;

  @Field(() => PresentedScalar, { nullable: true, description: 'The product the client says it is.' })
  product?: string | null;

  @Field(() => PresentedScalar, { nullable: true, description: 'The version the client says it is.' })
  version?: string | null;

  @Field(() => NameScalar, {
    nullable: true,
    description:
      "Names the seat; the first enforced whitelist's value when absent, else the client's address.",
  })
  identifier?: string | null;

  @Field(() => NonceScalar, {
    nullable: true,
    description: 'Echoed; over REST it also asks for a signature.',
  })
  nonce?: string | null;

  @Field(() => JsonObjectScalar, { nullable: true, description: 'What whitelists of the type field read.' })
  fields?: Record<string, unknown> | null;
}

@ObjectType('VerdictSession', { simpleResolvers: true })
export class VerdictSessionObject {
  @Field(() => String)
  token!: string;
}

@ObjectType('Verdict', { simpleResolvers: true, description: 'The answer to "may this run?"' })
export class VerdictObject {
  @Field(() => Boolean)
  valid!: boolean;

  @Field(() => String, { description: 'The first check that failed, or VALID.' })
  code!: string;

  @Field(() => String)
  message!: string;

  @Field(() => String, { nullable: true })
  product!: string | null;

  @Field(() => String, { nullable: true })
  customer!: string | null;

  @Field(() => String, { description: "The license's own state." })
  status!: string;

  @Field(() => Date, { nullable: true })
  expiresAt!: Date | null;

  @Field(() => [String])
  addons!: string[];

  @Field(() => JsonObjectScalar)
  variables!: Record<string, unknown>;

  @Field(() => JsonObjectScalar)
  userVariables!: Record<string, unknown>;

  @Field(() => Int, { description: 'Unix seconds.' })
  timestamp!: number;

  @Field(() => VerdictSessionObject, { nullable: true })
  session!: VerdictSessionObject | null;

  @Field(() => [String], { description: 'What warning rules say about a valid license.' })
  warnings!: string[];

  @Field(() => String, { nullable: true, description: "The request's." })
  nonce!: string | null;
}
