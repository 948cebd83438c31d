import { Field, Float, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { connectionOf, orderOf } from '../../platform/graphql/connection.js';
import { JsonObjectScalar } from '../../platform/graphql/scalars.js';
import type { PurchaseStatus } from './purchase.entity.js';

export enum PurchaseStatusEnum {
  pending = 'pending',
  claimed = 'claimed',
  refunded = 'refunded',
  chargeback = 'chargeback',
  failed = 'failed',
}
registerEnumType(PurchaseStatusEnum, {
  name: 'PurchaseStatus',
  description:
    'pending: nobody has claimed it. failed: no product is mapped to its resource. refunded, chargeback: taken back, and its license suspended.',
});

@ObjectType('PurchaseNotice', {
  simpleResolvers: true,
  description: 'What a marketplace said about a purchase, as it said it, its secret aside.',
})
export class PurchaseNoticeObject {
  @Field(() => String, { description: 'purchase, refunded or chargeback.' })
  kind!: string;

  @Field(() => JsonObjectScalar)
  payload!: Record<string, unknown>;

  @Field(() => Date)
  receivedAt!: Date;
}

@ObjectType('Purchase', { simpleResolvers: true, description: 'Something bought on a marketplace.' })
export class PurchaseObject {
  @Field(() => Int)
  id!: number;

  @Field(() => String, { description: "The marketplace's own, or one made of what, by whom and when." })
  saleId!: string;

  @Field(() => String)
  marketplace!: string;

  @Field(() => String, { nullable: true })
  resourceId!: string | null;

  @Field(() => String, { nullable: true, description: "The resource's addon that was bought." })
  addonId!: string | null;

  @Field(() => String, { nullable: true })
  purchaserId!: string | null;

  @Field(() => String, { nullable: true })
  username!: string | null;

  @Field(() => String, { nullable: true })
  marketplaceLicenseId!: string | null;

  @Field(() => String, { nullable: true, description: 'By which a user claims its license.' })
  redeem!: string | null;

  @Field(() => PurchaseStatusEnum)
  status!: PurchaseStatus;

  @Field(() => String, { nullable: true, description: 'Why it has no license yet.' })
  problem!: string | null;

  @Field(() => Boolean)
  renewal!: boolean;

  @Field(() => Float, { nullable: true })
  price!: number | null;

  @Field(() => String, { nullable: true })
  currency!: string | null;

  @Field(() => Date, { nullable: true })
  purchaseDate!: Date | null;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  updatedAt!: Date;
}

@ObjectType()
export class PurchaseConnection extends connectionOf('Purchase', () => PurchaseObject) {}

@InputType('PurchaseFilter')
export class PurchaseFilterInput {
  @Field(() => String, { nullable: true })
  saleId?: string | null;

  @Field(() => PurchaseStatusEnum, { nullable: true })
  status?: PurchaseStatus | null;

  @Field(() => String, { nullable: true })
  marketplace?: string | null;

  @Field(() => String, { nullable: true })
  resourceId?: string | null;

  @Field(() => String, { nullable: true })
  purchaserId?: string | null;

  @Field(() => Boolean, { nullable: true })
  renewal?: boolean | null;

  @Field(() => String, { nullable: true, description: 'Name of the product.' })
  product?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Public id of the user who claimed it; a merged one leads to its user.',
  })
  user?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether something is in its way.' })
  hasProblem?: boolean | null;
}

enum PurchaseOrderField {
  id = 'id',
  saleId = 'saleId',
  createdAt = 'createdAt',
  updatedAt = 'updatedAt',
}

@InputType('PurchaseOrder')
export class PurchaseOrderInput extends orderOf('Purchase', PurchaseOrderField) {}

@ObjectType('PurchaseClaim', { simpleResolvers: true })
export class PurchaseClaimObject {
  @Field(() => Boolean)
  success!: boolean;

  @Field(() => String, { description: "The license's key." })
  license!: string;

  @Field(() => String, { description: 'Public id of the user who has it now.' })
  userId!: string;
}

@ObjectType('ReplayedPurchases', { simpleResolvers: true })
export class ReplayedPurchasesObject {
  @Field(() => Int, { description: 'How many purchases jobs are looking at again.' })
  queued!: number;
}

@InputType({ description: 'Without anything given, all that something is in the way of.' })
export class ReplayPurchasesInput {
  @Field(() => [String], { nullable: true, description: 'These, whatever their state.' })
  saleIds?: string[] | null;

  @Field(() => String, { nullable: true, description: 'Only those of this resource.' })
  resourceId?: string | null;
}
