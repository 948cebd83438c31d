import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { flushUnique } from '../../platform/db/flush-unique.js';
import { AlreadyExists, InvalidField } from '../../platform/errors.js';
import { diff } from '../../platform/events/emit.js';
import type { Changes, EventData } from '../../platform/events/emit.js';
import { seal } from '../../platform/seal.js';
import { isUpdated } from '../custom-fields/named-record.service.js';
import { emit } from '../events.js';
import { skipWaiting } from './webhook-delivery.repository.js';
import { checkEvents, checkHeaders, checkSecret, checkUrl } from './webhook-fields.rules.js';
import { maskedHeaders } from './webhook-header.rules.js';
import { generateSecret } from './webhook-secret.rules.js';
import { headersOf, replaceSecret, sealHeaders, secretOf } from './webhook-secrets.service.js';
import { Webhook } from './webhook.entity.js';
import { findWebhookForUpdate, nextWebhookName } from './webhook.repository.js';

interface WebhookFields {
  /** Null takes it away, of a target that is not enabled. */
  readonly url?: string | null;
  /** Replaced as a whole. */
  readonly events?: readonly string[] | null;
  readonly secret?: string | null;
  readonly enabled?: boolean | null;
  /** Replaced as a whole. */
  readonly headers?: Readonly<Record<string, unknown>> | null;
}

export interface WebhookInput extends WebhookFields {
  /** Generated (`webhook-7`) when absent. */
  readonly name?: string | null;
}

export interface WebhookChange extends WebhookFields {
  readonly newName?: string | null;
}

/** Creates a target; `{}` makes one that gets nothing until it is completed. With a URL it is enabled unless told not to. */
export async function createWebhook(
  em: EntityManager,
  ctx: ActionContext,
  input: WebhookInput,
): Promise<Webhook> {
  const url = checkUrl(ctx.settings, input.url ?? null);
  const identity = input.name == null ? await nextWebhookName(em) : { name: input.name };
  const now = ctx.clock.now();
  const webhook = em.create(Webhook, {
    ...identity,
    url,
    events: checkEvents(input.events ?? []),
    enabled: input.enabled ?? url !== null,
    sealedHeaders: sealHeaders(checkHeaders(input.headers ?? {}), ctx),
    sealedSecret: seal(checkSecret(input.secret ?? generateSecret()), ctx.settings),
    ...{ oldSealedSecret: null, oldSecretUntil: null, failingSince: null, deletedAt: null },
    createdAt: now,
    updatedAt: now,
  });
  checkComplete(webhook);
  em.persist(webhook);
  await flushUnique(em, () => new AlreadyExists('webhook', identity.name));
  await emit(em, ctx, 'webhook.created', {
    resource: refOfWebhook(webhook),
    changes: changesOf({}, viewOf(webhook, ctx)),
  });
  return webhook;
}

/** Changes what was sent. What a target that is disabled was still to get is skipped. */
export async function updateWebhook(
  em: EntityManager,
  ctx: ActionContext,
  name: string,
  change: WebhookChange,
): Promise<Webhook> {
  const webhook = await findWebhookForUpdate(em, name);
  const before = viewOf(webhook, ctx);
  assign(webhook, ctx, change);
  checkComplete(webhook);
  await flushUnique(em, () => new AlreadyExists('webhook', webhook.name));
  const changes = changesOf(before, viewOf(webhook, ctx));
  if (await isUpdated(em, ctx, webhook, changes)) {
    if (changes['enabled'] && !webhook.enabled) await skipWaiting(em, webhook.id, ctx.clock.now());
    await emit(em, ctx, 'webhook.updated', {
      resource: refOfWebhook(webhook),
      changes,
    });
  }
  return webhook;
}

/** Deletes the target; its deliveries can still be looked at, and those it was to get are skipped. */
export async function deleteWebhook(em: EntityManager, ctx: ActionContext, name: string): Promise<void> {
  const webhook = await findWebhookForUpdate(em, name);
  await emit(em, ctx, 'webhook.deleted', { resource: refOfWebhook(webhook) });
  const now = ctx.clock.now();
  // The row stays, since deliveries show its name; what is secret of it goes.
  Object.assign(webhook, { enabled: false, deletedAt: now, updatedAt: now, oldSealedSecret: null });
  webhook.sealedSecret = seal(generateSecret(), ctx.settings);
  webhook.sealedHeaders = sealHeaders({}, ctx);
  await em.flush();
  await skipWaiting(em, webhook.id, now);
}

/** A new secret; the old one signs too for another 24 hours. */
export async function rotateWebhookSecret(
  em: EntityManager,
  ctx: ActionContext,
  name: string,
): Promise<Webhook> {
  const webhook = await findWebhookForUpdate(em, name);
  replaceSecret(webhook, ctx, generateSecret());
  webhook.updatedAt = ctx.clock.now();
  await em.flush();
  await emit(em, ctx, 'webhook.rotated', {
    resource: refOfWebhook(webhook),
    changes: { secret: ['…', '…'] },
  });
  return webhook;
}

/** As REST returns it, without what is secret of it. */
export function webhookData(webhook: Webhook, ctx: ActionContext): EventData {
  const { id, name, url, events, enabled, createdAt, updatedAt } = webhook;
  const headers = maskedHeaders(headersOf(webhook, ctx));
  return { id, name, url, events, enabled, headers, createdAt, updatedAt };
}

/** How events name a target. */
export function refOfWebhook({ name }: Webhook) {
  return { type: 'webhook', id: name };
}

function assign(webhook: Webhook, ctx: ActionContext, change: WebhookChange): void {
  const { url, events, secret, enabled, headers, newName } = change;
  if (url !== undefined && url !== webhook.url) webhook.url = checkUrl(ctx.settings, url);
  if (events != null) webhook.events = checkEvents(events);
  if (headers != null && !isDeepStrictEqual(headers, headersOf(webhook, ctx)))
    webhook.sealedHeaders = sealHeaders(checkHeaders(headers), ctx);
  if (secret != null && secret !== secretOf(webhook, ctx)) replaceSecret(webhook, ctx, checkSecret(secret));
  // Whoever enables it has mended it: the days of failures begin anew.
  if (enabled === true && !webhook.enabled) webhook.failingSince = null;
  if (enabled != null) webhook.enabled = enabled;
  if (newName != null) webhook.name = newName;
}

function checkComplete({ enabled, url }: Webhook): void {
  if (enabled && url === null) throw new InvalidField('url', 'is required of a webhook that is enabled');
}

/** Compared in the clear, told without what is secret. */
function changesOf(before: View, after: View): Changes {
  const { secret, headers, ...others } = diff(before, after);
  return {
    ...others,
    ...(headers && {
      headers: [maskedHeaders((headers[0] ?? {}) as Headers), maskedHeaders((headers[1] ?? {}) as Headers)],
    }),
    ...(secret && { secret: [secret[0] === null ? null : '…', '…'] }),
  };
}

type Headers = Readonly<Record<string, string>>;
type View = Readonly<Record<string, unknown>>;

function viewOf(webhook: Webhook, ctx: ActionContext): View {
  const { name, url, events, enabled } = webhook;
  return { name, url, events, enabled, headers: headersOf(webhook, ctx), secret: secretOf(webhook, ctx) };
}
