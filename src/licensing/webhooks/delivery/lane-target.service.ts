import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../../platform/context.js';
import { signingKeyOf } from '../webhook-secret.rules.js';
import { headersOf, secretOf, signingSecretsOf } from '../webhook-secrets.service.js';
import { Webhook } from '../webhook.entity.js';
import type { LaneTarget } from './delivery-lane.js';

/** Targets as their lanes need them, by id; those whose secrets can't be unsealed are missing. */
export async function loadTargets(
  em: EntityManager,
  ctx: ActionContext,
  ids: readonly number[],
): Promise<Map<number, LaneTarget>> {
  const webhooks = await em.find(Webhook, { id: { $in: [...ids] } });
  const targets = new Map<number, LaneTarget>();
  for (const webhook of webhooks) {
    try {
      targets.set(webhook.id, targetOf(webhook, ctx));
    } catch (error) {
      // One of them must not keep the others from being sent to.
      ctx.log.error({ err: error, webhook: webhook.name }, 'the secrets of a webhook can not be read');
    }
  }
  return targets;
}

function targetOf(webhook: Webhook, ctx: ActionContext): LaneTarget {
  const present = signingKeyOf(secretOf(webhook, ctx));
  const all = signingSecretsOf(webhook, ctx).map(signingKeyOf);
  const until = webhook.oldSecretUntil;
  return {
    version: webhook.version,
    url: new URL(webhook.url ?? ''),
    headers: headersOf(webhook, ctx),
    keysAt: (now) => (until !== null && now < until ? all : [present]),
  };
}
