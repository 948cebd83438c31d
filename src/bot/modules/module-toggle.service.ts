import type { EntityManager } from '@mikro-orm/postgresql';
import { DomainError } from '../../platform/errors.js';
import { askBot } from '../control/control.service.js';
import type { ControlContext } from '../control/control.service.js';
import { assertNotFailed, wantModule } from './module.service.js';
import type { Toggle } from './module.service.js';

export interface Toggled {
  readonly id: string;
  readonly enabled: boolean;
  /** False: it was so before. */
  readonly changed: boolean;
  /** False: no process runs the bot now; it is stored, and done when one does. */
  readonly applied: boolean;
}

/**
 * Enables or disables a module: written down first, then done by the process that runs the bot, whether the bot is
 * connected or not. Throws `MODULE_NOT_FOUND`, and `MODULE_ENABLE_FAILED` when its code throws: then it stays disabled.
 * Not for transactions of its own, since the bot must see what was written.
 */
export async function toggleModule(em: EntityManager, ctx: ControlContext, toggle: Toggle): Promise<Toggled> {
  const { id, enabled } = toggle;
  const db = em.fork();
  const { changed, isDone } = await db.transactional((tx) => wantModule(tx, ctx, toggle));
  if (isDone) return { id, enabled, changed, applied: true };
  try {
    await askBot(db, ctx, 'module', { id });
  } catch (error) {
    if (error instanceof DomainError && error.code === 'BOT_UNAVAILABLE')
      return { id, enabled, changed, applied: false };
    throw error;
  }
  if (enabled) await assertNotFailed(em.fork(), id);
  return { id, enabled, changed, applied: true };
}
