import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { InvalidField } from '../../platform/errors.js';
import { emit } from '../events.js';
import { maskKey } from '../licenses/license-key.rules.js';
import { deleteLogEntries, findLogEntries } from './log.repository.js';
import type { LogEntry, LogType } from './log.repository.js';

export interface LogRequest {
  readonly type: LogType;
  readonly page?: number | null;
  readonly limit?: number | null;
  readonly license?: string | null;
  readonly code?: string | null;
  readonly from?: Date | null;
  readonly to?: Date | null;
}

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 100;
/** Deeper pages cost more and more; whoever looks that far back narrows it down by `from` and `to`. */
const PAGE_MAX = 10_000;

/** A page of a log, newest first. Throws `INVALID_FIELD` for a page or limit out of bounds. */
export async function listLog(em: EntityManager, request: LogRequest): Promise<LogEntry[]> {
  const page = request.page ?? 1;
  const limit = request.limit ?? LIMIT_DEFAULT;
  if (page < 1 || page > PAGE_MAX)
    throw new InvalidField('page', `must be between 1 and ${PAGE_MAX}; got ${page}`);
  if (limit < 1 || limit > LIMIT_MAX) {
    throw new InvalidField('limit', `must be between 1 and ${LIMIT_MAX}; got ${limit}`);
  }
  return findLogEntries(em, request.type, {
    maskedLicense: request.license == null ? undefined : maskKey(request.license.trim().toUpperCase()),
    code: request.code ?? undefined,
    from: request.from ?? undefined,
    to: request.to ?? undefined,
    limit,
    offset: (page - 1) * limit,
  });
}

/** Empties a log. That it was emptied, and by whom, stays in the activity log. */
export async function clearLog(em: EntityManager, ctx: ActionContext, type: LogType): Promise<number> {
  const cleared = await deleteLogEntries(em, type);
  await emit(em, ctx, 'log.cleared', {
    resource: { type: 'log', id: type },
    changes: { entries: [cleared, 0] },
    data: { type, cleared },
  });
  return cleared;
}
