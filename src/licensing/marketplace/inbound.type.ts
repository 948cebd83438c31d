import { Field, InputType, ObjectType } from 'type-graphql';
import { JsonObjectScalar } from '../../platform/graphql/scalars.js';
import type { PurchaseStatus } from './purchase.entity.js';
import { PurchaseStatusEnum } from './purchase.type.js';

@InputType({ description: 'What a marketplace sends, with the secret in one of the places.' })
export class MarketplaceMessageInput {
  @Field(() => JsonObjectScalar, { description: 'The body; its member secret is one of the places.' })
  payload!: Record<string, unknown>;

  @Field(() => String, { nullable: true, description: 'The body exactly as it was sent, for the signature.' })
  raw?: string | null;

  @Field(() => String, { nullable: true })
  secret?: string | null;

  @Field(() => String, { nullable: true, description: 'Bearer and the secret.' })
  authorization?: string | null;

  @Field(() => String, { nullable: true, description: 'Hex HMAC-SHA256 of raw.' })
  signature?: string | null;
}

@ObjectType('PurchaseReceipt', {
  simpleResolvers: true,
  description: 'All null for a message about no purchase, such as a ping.',
})
export class PurchaseReceiptObject {
  @Field(() => Boolean)
  success!: boolean;

  @Field(() => String, { nullable: true })
  saleId!: string | null;

  @Field(() => PurchaseStatusEnum, { nullable: true })
  status!: PurchaseStatus | null;

  @Field(() => String, { nullable: true, description: 'Null while it has no license.' })
  licenseKey!: string | null;

  @Field(() => String, { nullable: true })
  redeem!: string | null;

  @Field(() => Boolean, { description: 'It was heard of before.' })
  duplicate!: boolean;
}

@ObjectType('PlaceholderKey', { simpleResolvers: true })
export class PlaceholderKeyObject {
  @Field(() => String)
  key!: string;

  @Field(() => Boolean, { description: 'The marketplace wants {"value": …} and not plain text.' })
  wantsJson!: boolean;
}
