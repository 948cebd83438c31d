import { defineEntity, p } from '@mikro-orm/core';
import { Webhook } from './webhook.entity.js';

/** What each means, and what may follow, says webhook-delivery.states.ts. */
export type DeliveryStatus = 'pending' | 'delivering' | 'delivered' | 'retrying' | 'failed' | 'skipped';

/** One attempt at a delivery. */
export interface AttemptEntry {
  /** ISO 8601: when it ended. */
  readonly at: string;
  readonly durationMs: number;
  /** The HTTP status; null when there was no answer. */
  readonly code: number | null;
  /** Why it failed; null when it didn't. */
  readonly error: string | null;
  /** The first 2 KiB of the answer's body; null when there was none. */
  readonly answer: string | null;
}

const WebhookDeliverySchema = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_delivery',
  properties: {
    id: p.bigint('number').primary(),
    webhook: () => p.manyToOne(Webhook).ref(),
    /** The header `webhook-id`, the same for every attempt and every target. */
    eventId: p.text(),
    /** The event's name, e.g. `license.created`. */
    event: p.text(),
    status: p.text().$type<DeliveryStatus>(),
    /** Attempts since it was created or last sent again. */
    attempts: p.integer(),
    isTest: p.boolean(),
    /** When it is next tried; while it is being delivered, when the worker must be done. Null: it has ended. */
    dueAt: p.datetime().nullable().strictNullable(),
    /** Of the last attempt. */
    code: p.integer().nullable().strictNullable(),
    error: p.text().nullable().strictNullable(),
    /** The latest attempts, oldest first. */
    attemptLog: p.json<readonly AttemptEntry[]>(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** One event on its way to one target. Written by SQL alone. */
export class WebhookDelivery extends WebhookDeliverySchema.class {}

WebhookDeliverySchema.setClass(WebhookDelivery);
