import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';

export type LogType = 'requests' | 'activity';

export interface LogQuery {
  /** As entries hold it: the key's last 6 characters. */
  readonly maskedLicense: string | undefined;
  readonly code: string | undefined;
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly to: Date | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** An entry as it is shown; which members it has depends on the log. */
export interface LogEntry {
  readonly id: number;
  readonly type: LogType;
  readonly createdAt: Date;
  readonly [member: string]: unknown;
}

type Row = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly type: LogType;
  readonly createdAt: string;
};

/** What the two logs differ in: their table, their columns, and what the filters `license` and `code` mean. */
const LOGS = {
  requests: {
    table: sql.table('request_log'),
    columns: sql`request_id as "requestId", method, path, status, code, license, product, customer, ip, agent,
      duration_ms as "durationMs"`,
    license: (masked: string) => sql<boolean>`license = ${masked}`,
    code: (code: string) => sql<boolean>`code = ${code}`,
  },
  activity: {
    table: sql.table('activity'),
    columns: sql`event, actor, source, changes, request_id as "requestId",
      jsonb_build_object('type', resource_type, 'id', resource_id) as resource`,
    license: (masked: string) => sql<boolean>`resource_type = 'license' and resource_id = ${masked}`,
    code: (code: string) => sql<boolean>`event = ${code}`,
  },
} as const;

/** One page, newest first. */
export async function findLogEntries(em: EntityManager, type: LogType, query: LogQuery): Promise<LogEntry[]> {
  const { table, columns, license, code } = LOGS[type];
  const all: RawBuilder<boolean>[] = [sql<boolean>`true`];
  if (query.maskedLicense !== undefined) all.push(license(query.maskedLicense));
  if (query.code !== undefined) all.push(code(query.code));
  if (query.from !== undefined) all.push(sql<boolean>`created_at >= ${query.from}`);
  if (query.to !== undefined) all.push(sql<boolean>`created_at < ${query.to}`);
  const { rows } = await sql<Row>`
    select id, ${type}::text as type, created_at as "createdAt", ${columns} from ${table}
     where ${sql.join(all, sql` and `)}
     order by id desc limit ${query.limit} offset ${query.offset}`.execute(em.getKysely());
  return rows.map((row) => ({ ...row, id: Number(row.id), createdAt: new Date(row.createdAt) }));
}

/** Deletes every entry; resolves to how many there were. */
export async function deleteLogEntries(em: EntityManager, type: LogType): Promise<number> {
  const result = await sql`delete from ${LOGS[type].table}`.execute(em.getKysely());
  return Number(result.numAffectedRows ?? 0n);
}
