import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { emitMany } from '../events.js';
import { maskKey } from '../licenses/license-key.rules.js';
import { removeExpiredSessions } from './session.repository.js';

const BATCH = 500;

/**
 * Removes one batch of expired sessions and announces each, in one transaction. Resolves to how many there were, so
 * that the caller goes on until a batch is not full. Safe to run twice and on two workers.
 */
export async function expireSessions(
  em: EntityManager,
  ctx: ActionContext,
): Promise<{ expired: number; isFull: boolean }> {
  return em.transactional(async (tx) => {
    const expired = await removeExpiredSessions(tx, ctx.clock.now(), BATCH);
    await emitMany(
      tx,
      ctx,
      'session.expired',
      expired.map(({ identifier, licenseKey }) => ({
        resource: { type: 'session', id: identifier },
        changes: { license: [licenseKey === null ? null : maskKey(licenseKey), null] },
      })),
    );
    return { expired: expired.length, isFull: expired.length === BATCH };
  });
}
