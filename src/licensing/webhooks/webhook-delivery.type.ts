import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { connectionOf, orderOf } from '../../platform/graphql/connection.js';
import { SafeIntScalar } from '../../platform/graphql/scalars.js';
import type { AttemptEntry, DeliveryStatus } from './webhook-delivery.entity.js';

export enum WebhookDeliveryStatusEnum {
  pending = 'pending',
  delivering = 'delivering',
  delivered = 'delivered',
  retrying = 'retrying',
  failed = 'failed',
  skipped = 'skipped',
}
registerEnumType(WebhookDeliveryStatusEnum, {
  name: 'WebhookDeliveryStatus',
  description:
    'retrying: an attempt failed, another follows. failed: attempts are used up. skipped: the target was disabled or deleted.',
});

@ObjectType('WebhookAttempt', { simpleResolvers: true })
export class WebhookAttemptObject {
  @Field(() => Date, { description: 'When it ended.' })
  at!: Date;

  @Field(() => Int)
  durationMs!: number;

  @Field(() => Int, { nullable: true, description: 'The HTTP status; null when there was no answer.' })
  code!: number | null;

  @Field(() => String, { nullable: true, description: 'Why it failed; null when it did not.' })
  error!: string | null;

  @Field(() => String, { nullable: true, description: "The first 2 KiB of the answer's body." })
  answer!: string | null;
}

@ObjectType('WebhookDelivery', {
  simpleResolvers: true,
  description: 'One event on its way to one target.',
})
export class WebhookDeliveryObject {
  @Field(() => SafeIntScalar)
  id!: number;

  @Field(() => String, { description: 'The header webhook-id, the same for every attempt.' })
  eventId!: string;

  @Field(() => String)
  event!: string;

  @Field(() => WebhookDeliveryStatusEnum)
  status!: DeliveryStatus;

  @Field(() => Int, { description: 'Since it was made, or last sent again.' })
  attempts!: number;

  @Field(() => Boolean, { description: 'Somebody asked for it by a test.' })
  isTest!: boolean;

  @Field(() => Int, { nullable: true, description: 'The HTTP status of the last attempt.' })
  code!: number | null;

  @Field(() => String, { nullable: true, description: 'Why the last attempt failed.' })
  error!: string | null;

  @Field(() => [WebhookAttemptObject], { description: 'The latest 50 attempts, oldest first.' })
  attemptLog!: readonly AttemptEntry[];

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  updatedAt!: Date;
}

@ObjectType()
export class WebhookDeliveryConnection extends connectionOf('WebhookDelivery', () => WebhookDeliveryObject) {}

@ObjectType('RetriedDeliveries', { simpleResolvers: true })
export class RetriedDeliveriesObject {
  @Field(() => Int, { description: 'How many are sent again; at most 1000 a call.' })
  retried!: number;
}

@InputType('WebhookDeliveryFilter')
export class WebhookDeliveryFilterInput {
  @Field(() => [SafeIntScalar], { nullable: true })
  ids?: number[] | null;

  @Field(() => String, { nullable: true, description: "Name of a target, a deleted one's too." })
  webhook?: string | null;

  @Field(() => String, { nullable: true })
  event?: string | null;

  @Field(() => String, { nullable: true, description: 'The header webhook-id.' })
  eventId?: string | null;

  @Field(() => WebhookDeliveryStatusEnum, { nullable: true })
  status?: DeliveryStatus | null;

  @Field(() => Int, { nullable: true, description: 'The HTTP status of the last attempt.' })
  code?: number | null;

  @Field(() => Date, { nullable: true })
  createdAfter?: Date | null;

  @Field(() => Date, { nullable: true })
  createdBefore?: Date | null;
}

enum WebhookDeliveryOrderField {
  id = 'id',
  createdAt = 'createdAt',
  updatedAt = 'updatedAt',
}

@InputType('WebhookDeliveryOrder')
export class WebhookDeliveryOrderInput extends orderOf('WebhookDelivery', WebhookDeliveryOrderField) {}
