import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { DomainError } from '../../platform/errors.js';
import { diff } from '../../platform/events/emit.js';
import { askBot } from '../control/control.service.js';
import type { ControlContext } from '../control/control.service.js';
import { emit } from '../events.js';
import { findPresenceForUpdate, writePresence } from '../status/bot.repository.js';
import { FIRST_PRESENCE, changedPresence } from './presence.rules.js';
import type { Presence, PresenceChange } from './presence.rules.js';

export interface PresenceSet extends Presence {
  /** False: saved, and sent when the bot connects. */
  readonly applied: boolean;
}

/** Saves the presence, and sends it where the bot is connected. Throws 422 for what the platform would not take. */
export async function setPresence(
  em: EntityManager,
  ctx: ControlContext,
  change: PresenceChange,
): Promise<PresenceSet> {
  // Ahead of asking: who is mistaken need not hear that no process runs the bot.
  changedPresence(FIRST_PRESENCE, change);
  try {
    return await askBot(em, ctx, 'presence', change);
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'BOT_UNAVAILABLE')) throw error;
    const saved = await em.fork().transactional((tx) => savePresence(tx, ctx, change));
    return { ...saved, applied: false };
  }
}

/** The presence after the change, stored. */
export async function savePresence(
  em: EntityManager,
  ctx: ActionContext,
  change: PresenceChange,
): Promise<Presence> {
  const before = await findPresenceForUpdate(em);
  const after = changedPresence(before, change);
  const changes = diff({ ...before }, { ...after });
  if (Object.keys(changes).length === 0) return after;
  await writePresence(em, after);
  await emit(em, ctx, 'bot.presence.updated', {
    resource: { type: 'bot', id: 'presence' },
    changes,
    data: { ...after },
  });
  return after;
}
