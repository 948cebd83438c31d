import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { ValidateLicenseInput } from '../validation/validation.type.js';

@InputType()
export class CheckoutLicenseInput extends ValidateLicenseInput {
  @Field(() => Int, { nullable: true, description: 'Seconds, 3600–7776000; 30 days when absent.' })
  ttl?: number | null;
}

@ObjectType('OfflineLicense', { simpleResolvers: true })
export class OfflineLicenseObject {
  @Field(() => String, { description: "A JWT signed with EdDSA; its claims are the license's facts." })
  token!: string;

  @Field(() => String)
  kid!: string;

  @Field(() => Date)
  expiresAt!: Date;
}
