import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ActionContext } from '../../platform/context.js';
import { createApiKey, hasApiKeys, setConfiguredKey } from './api-key.service.js';

/**
 * Sees to it that there is a key: the configured one, or at the very first start a new one, which is returned so that
 * it can be shown once. Ten gateways may start at once; one of them makes it.
 */
export async function firstKey(
  em: EntityManager,
  ctx: ActionContext,
  configured: string | undefined,
): Promise<string | undefined> {
  return em.transactional(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('first_api_key'))`.execute(tx.getKysely());
    if (configured !== undefined) {
      await setConfiguredKey(tx, configured, ctx.clock.now());
      return undefined;
    }
    if (await hasApiKeys(tx)) return undefined;
    const { plain } = await createApiKey(tx, ctx, { name: 'first', scopes: ['*'] });
    return plain;
  });
}
