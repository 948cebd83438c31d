import type { ActionContext } from '../../../platform/context.js';
import { attempt } from './delivery-attempt.js';
import type { AttemptResult } from './delivery-attempt.js';
import type { ClaimedDelivery } from './delivery-claim.repository.js';
import type { Lane } from './delivery-lane.js';
import type { Outcome } from './delivery-outcome.repository.js';
import { nextAttemptAt, retryAfterSeconds } from './delivery-schedule.rules.js';
import { signatureHeaders } from './delivery-signature.rules.js';

const GONE = 410;
const USER_AGENT = 'licensing-webhooks/1';

/** One attempt at one delivery, from the signature to what is to be recorded. Never rejects. */
export async function deliverOne(
  ctx: ActionContext,
  { target, pool }: Lane,
  delivery: ClaimedDelivery,
): Promise<Outcome> {
  const { id, webhookId, claim, isTest, eventId, body } = delivery;
  const taken = { id, webhookId, claim, isTest };
  if (body === null) {
    const error = 'The event is past its retention';
    return { ...taken, kind: 'skipped', dueAt: null, entry: null, error };
  }
  const startedAt = ctx.clock.now();
  const timestamp = Math.floor(startedAt.getTime() / 1000);
  const result = await attempt(pool, {
    path: target.url.pathname + target.url.search,
    headers: {
      ...target.headers,
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      ...signatureHeaders({ id: eventId, timestamp, body }, target.keysAt(startedAt)),
    },
    body,
    timeoutMs: ctx.settings.webhooks.timeoutSeconds * 1000,
  });
  const { kind, dueAt } = verdictOf(ctx, delivery, result);
  ctx.metrics.webhookDeliveries.inc({
    outcome: kind === 'delivered' ? 'delivered' : dueAt ? 'retrying' : 'failed',
  });
  const { code, error, answer, durationMs } = result;
  const at = ctx.clock.now().toISOString();
  return { ...taken, kind, dueAt, error, entry: { at, durationMs, code, error, answer } };
}

function verdictOf(
  ctx: ActionContext,
  delivery: ClaimedDelivery,
  { code, error, retryAfter }: AttemptResult,
): Pick<Outcome, 'kind' | 'dueAt'> {
  if (error === null) return { kind: 'delivered', dueAt: null };
  if (code === GONE) return { kind: 'gone', dueAt: null };
  return { kind: 'failed', dueAt: dueAfterFailure(ctx, delivery, retryAfter) };
}

/** What becomes of a delivery that can't even be tried. It may be once the operator has seen to it. */
export function undeliverable(ctx: ActionContext, delivery: ClaimedDelivery): Outcome {
  const { id, webhookId, claim, isTest } = delivery;
  const error = 'The secrets of the webhook can not be read: SECRET_KEY is not the one they were sealed with';
  const entry = { at: ctx.clock.now().toISOString(), durationMs: 0, code: null, error, answer: null };
  return {
    id,
    webhookId,
    claim,
    isTest,
    kind: 'failed',
    dueAt: dueAfterFailure(ctx, delivery),
    entry,
    error,
  };
}

/** A test is tried once. */
function dueAfterFailure(
  ctx: ActionContext,
  { attempts, isTest }: ClaimedDelivery,
  retryAfter?: string,
): Date | null {
  if (isTest) return null;
  const now = ctx.clock.now();
  const dueAt = nextAttemptAt({
    ...{ attempts, now, random: Math.random() },
    scheduleSeconds: ctx.settings.webhooks.scheduleSeconds,
    retryAfterSeconds: retryAfterSeconds(retryAfter, now),
  });
  return dueAt ?? null;
}
