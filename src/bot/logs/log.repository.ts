import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { LINE_LEVELS } from './log-line.rules.js';
import type { LineLevel } from './log-line.rules.js';

export interface NewLine {
  readonly time: Date;
  readonly level: LineLevel;
  readonly message: string;
}

export interface LogLine extends NewLine {
  /** Of a sequence that never starts over. */
  readonly id: number;
}

export interface LineFilter {
  /** Only lines with a greater id; the latest lines when undefined. */
  readonly after: number | undefined;
  /** The least severe level. */
  readonly level: LineLevel;
  readonly limit: number;
}

/** Told when lines were stored, with the latest id. */
export const LOG_TOPIC = 'bot.log';

const KEPT_LINES = 10_000;
const KEPT_DAYS = 7;

/** Stores lines in their order, and tells who follows the log. */
export async function appendLines(em: EntityManager, lines: readonly NewLine[]): Promise<void> {
  const rows = lines.map(({ time, level, message }) => ({
    ...{ time: time.toISOString(), level: LINE_LEVELS.indexOf(level), message },
  }));
  await sql`select append_bot_log(${JSON.stringify(rows)}::jsonb)`.execute(em.getKysely());
}

/** In ascending order. */
export async function findLines(em: EntityManager, { after, level, limit }: LineFilter): Promise<LogLine[]> {
  const isLatest = after === undefined;
  const { rows } = await sql<{ id: string; time: string; level: number; message: string }>`
    select id, time, level, message from bot_log
     where id > ${after ?? 0} and level >= ${LINE_LEVELS.indexOf(level)}
     order by id ${sql.raw(isLatest ? 'desc' : 'asc')} limit ${limit}`.execute(em.getKysely());
  const lines = rows.map(({ id, time, level: place, message }) => ({
    ...{ id: Number(id), time: new Date(time), level: LINE_LEVELS[place] ?? 'info', message },
  }));
  return isLatest ? lines.reverse() : lines;
}

/** The id of the latest line; 0 when there is none. */
export async function lastLineId(em: EntityManager): Promise<number> {
  const { rows } = await sql<{ id: string | null }>`select max(id) as id from bot_log`.execute(
    em.getKysely(),
  );
  return Number(rows[0]?.id ?? 0);
}

/** Deletes all but the latest 10 000 lines of the last 7 days. Resolves to how many went. */
export async function deleteOldLines(em: EntityManager, now: Date): Promise<number> {
  const oldest = new Date(now.getTime() - KEPT_DAYS * 86_400_000);
  const { numAffectedRows } = await sql`
    delete from bot_log where time < ${oldest}
       or id <= (select id from bot_log order by id desc offset ${KEPT_LINES} limit 1)`.execute(
    em.getKysely(),
  );
  return Number(numAffectedRows ?? 0);
}
