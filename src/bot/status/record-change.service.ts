import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import type { ClientChange } from '../client/client-snapshot.js';
import type { ClientState } from '../client/client.states.js';
import { emit } from '../events.js';
import type { BotEvent } from '../events.js';
import { writeSnapshot } from './bot.repository.js';
import { botStatus } from './status.service.js';

/** The states that are announced, when they are reached. */
const EVENTS: Partial<Record<ClientState, BotEvent>> = {
  stopped: 'bot.stopped',
  failed: 'bot.failed',
};

/** Stores a change of the client's state, and announces it. Nothing, once another process runs the bot. */
export async function recordChange(
  em: EntityManager,
  ctx: ActionContext,
  holder: string,
  { from, snapshot }: ClientChange,
): Promise<void> {
  if (!(await writeSnapshot(em, holder, snapshot))) return;
  const { state } = snapshot;
  const event = from === 'starting' && state === 'running' ? 'bot.started' : EVENTS[state];
  if (!event) return;
  const { product, version, bot, server, lastError } = await botStatus(em, ctx);
  await emit(em, ctx, event, {
    resource: { type: 'bot', id: bot.id ?? 'bot' },
    changes: { state: [from, state] },
    data: { product, version, state, bot, server, lastError: state === 'failed' ? lastError : null },
  });
}
