import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { InvalidField, show } from '../../platform/errors.js';
import type { PubSub } from '../../platform/pubsub/pubsub.js';
import { LINE_LEVELS } from './log-line.rules.js';
import type { LineLevel } from './log-line.rules.js';
import { LineTail } from './line-tail.js';
import { deleteOldLines, findLines, lastLineId } from './log.repository.js';
import type { LogLine } from './log.repository.js';

export interface LogQuery {
  readonly after?: number | null | undefined;
  /** 1–500. */
  readonly limit?: number | null | undefined;
  /** The least severe level; all when absent. */
  readonly level?: string | null | undefined;
}

export interface LogPage {
  readonly entries: readonly LogLine[];
  /** What to send as `after` for what comes next. */
  readonly next: number;
  /** There is more already: ask again at once. */
  readonly truncated: boolean;
}

const LATEST_DEFAULT = 100;
const LIMIT_MAX = 500;

/** Lines after an id, ascending; the latest ones when none is named. */
export async function listLines(em: EntityManager, query: LogQuery): Promise<LogPage> {
  const after = query.after ?? undefined;
  const limit = query.limit ?? (after === undefined ? LATEST_DEFAULT : LIMIT_MAX);
  if (limit < 1 || limit > LIMIT_MAX) {
    throw new InvalidField('limit', `must be between 1 and ${LIMIT_MAX}; got ${limit}`);
  }
  const level = levelOf(query.level);
  if (after === undefined) {
    const entries = await findLines(em, { after, level, limit });
    return { entries, next: entries.at(-1)?.id ?? (await lastLineId(em)), truncated: false };
  }
  const found = await findLines(em, { after, level, limit: limit + 1 });
  const entries = found.slice(0, limit);
  return { entries, next: entries.at(-1)?.id ?? after, truncated: found.length > limit };
}

/** Lines as they come, after an id or from now on. */
export async function followLines(
  em: EntityManager,
  pubsub: PubSub,
  query: LogQuery,
): Promise<AsyncIterableIterator<LogLine>> {
  const level = levelOf(query.level);
  return LineTail.open(em, pubsub, { level, after: query.after ?? undefined });
}

/** Deletes lines past their retention: all but the latest 10 000 of the last 7 days. */
export async function pruneLines(em: EntityManager, ctx: ActionContext): Promise<number> {
  return deleteOldLines(em, ctx.clock.now());
}

function levelOf(level: string | null | undefined): LineLevel {
  const found = LINE_LEVELS.find((name) => name === (level ?? LINE_LEVELS[0]));
  if (found === undefined)
    throw new InvalidField('level', `must be one of ${LINE_LEVELS.join(', ')}; got ${show(level)}`);
  return found;
}
