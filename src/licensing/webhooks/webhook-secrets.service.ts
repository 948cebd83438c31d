import type { ActionContext } from '../../platform/context.js';
import { seal, unseal } from '../../platform/seal.js';
import { maskedHeaders } from './webhook-header.rules.js';
import type { Webhook } from './webhook.entity.js';

type Headers = Readonly<Record<string, string>>;

/** How long a secret that was replaced goes on signing beside its successor. */
const OVERLAP_HOURS = 24;

/** The secret that signs, in the clear. */
export function secretOf(webhook: Webhook, { settings }: Pick<ActionContext, 'settings'>): string {
  return unseal(webhook.sealedSecret, settings);
}

/** Every secret that signs now, the present one first. */
export function signingSecretsOf(webhook: Webhook, ctx: Pick<ActionContext, 'settings' | 'clock'>): string[] {
  const { oldSealedSecret, oldSecretUntil } = webhook;
  const isOverlapping =
    oldSealedSecret !== null && oldSecretUntil !== null && oldSecretUntil > ctx.clock.now();
  const old = isOverlapping ? [unseal(oldSealedSecret, ctx.settings)] : [];
  return [secretOf(webhook, ctx), ...old];
}

/** Makes it the secret that signs; the one before goes on for {@link OVERLAP_HOURS}. */
export function replaceSecret(webhook: Webhook, ctx: ActionContext, secret: string): void {
  webhook.oldSealedSecret = webhook.sealedSecret;
  webhook.oldSecretUntil = new Date(ctx.clock.now().getTime() + OVERLAP_HOURS * 3_600_000);
  webhook.sealedSecret = seal(secret, ctx.settings);
}

export function headersOf(webhook: Webhook, { settings }: Pick<ActionContext, 'settings'>): Headers {
  return JSON.parse(unseal(webhook.sealedHeaders, settings)) as Headers;
}

export function sealHeaders(headers: Headers, { settings }: Pick<ActionContext, 'settings'>): string {
  return seal(JSON.stringify(headers), settings);
}

/** Whoever may only look gets no credentials: with these, anyone could write deliveries of their own. */
function mayKnow({ caller }: Pick<ActionContext, 'caller'>): boolean {
  return caller.scopes.has('licensing:write') || caller.scopes.has('*');
}

/** Null for a caller who may not change webhooks. */
export function shownSecret(webhook: Webhook, ctx: ActionContext): string | null {
  return mayKnow(ctx) ? secretOf(webhook, ctx) : null;
}

/** With masked values for a caller who may not change webhooks. */
export function shownHeaders(webhook: Webhook, ctx: ActionContext): Headers {
  const headers = headersOf(webhook, ctx);
  return mayKnow(ctx) ? headers : maskedHeaders(headers);
}
