import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { DomainError } from '../../platform/errors.js';
import type { PubSub } from '../../platform/pubsub/pubsub.js';
import { botError } from '../bot-error.js';
import { isBotHeld } from '../status/bot.repository.js';
import { answerTopic } from './bot-requests.js';
import type { BotRequests, RequestKind } from './bot-requests.js';
import { WAIT_SECONDS_MAX, deleteRequest, findAnswer, insertRequest } from './request.repository.js';
import type { Answer } from './request.repository.js';

export interface ControlContext extends ActionContext {
  readonly pubsub: PubSub;
}

/** How often it is looked whether the bot's process still lives, and whether the message of an answer got lost. */
const LOOK_MS = 1_000;

/**
 * Asks the process that runs the bot, wherever that is, and waits for the outcome. Throws the outcome's error, and
 * `BOT_UNAVAILABLE` when no process runs the bot, or it ends meanwhile. Not for transactions of its own: the request is
 * written at once, on another connection, since nobody would see it before the commit.
 */
export async function askBot<Kind extends RequestKind>(
  em: EntityManager,
  ctx: ControlContext,
  kind: Kind,
  args: BotRequests[Kind]['args'],
): Promise<BotRequests[Kind]['result']> {
  const db = em.fork();
  if (!(await isBotHeld(db))) throw unavailable();
  const key = randomUUID();
  const answered = await ctx.pubsub.subscribe(answerTopic(key));
  try {
    const { caller, source, requestId } = ctx;
    const askedBy = { name: caller.name, id: caller.id, scopes: [...caller.scopes], source, requestId };
    await db.transactional((tx) => insertRequest(tx, { key, kind, args, askedBy }));
    return resultOf(await waitForAnswer(db, key, answered)) as BotRequests[Kind]['result'];
  } finally {
    await answered.return?.();
    // What is left behind is forgotten later; it must not stand in for the outcome.
    await deleteRequest(db, key).catch(() => undefined);
  }
}

async function waitForAnswer(
  em: EntityManager,
  key: string,
  answered: AsyncIterator<unknown>,
): Promise<Answer> {
  // A subscription that was cut leaves the looks.
  const told = answered.next().catch(() => new Promise(() => undefined));
  for (let waitedMs = 0; waitedMs < WAIT_SECONDS_MAX * 1000; waitedMs += LOOK_MS) {
    const timer = new AbortController();
    const look = delay(LOOK_MS, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([told, look]);
    timer.abort();
    // In this order: the holder may answer, and end.
    const isHeld = await isBotHeld(em);
    const answer = await findAnswer(em, key);
    if (answer) return answer;
    if (!isHeld) break;
  }
  throw unavailable();
}

function resultOf(answer: Answer): unknown {
  if ('result' in answer) return answer.result;
  const { code, status, title, message, problems, headers } = answer.error;
  throw new DomainError(code, status, title, message, { problems, headers });
}

function unavailable(): DomainError {
  return botError('BOT_UNAVAILABLE', 'No process runs the bot now: start one with the role bot', {
    retryAfterSeconds: 5,
  });
}
