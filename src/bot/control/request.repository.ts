import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Source } from '../../platform/context.js';
import type { FieldProblem } from '../../platform/errors.js';
import { publish } from '../../platform/pubsub/publish.js';
import { REQUEST_TOPIC, answerTopic } from './bot-requests.js';

/** Who asks, so that the change is theirs also where it is made. */
export interface AskedBy {
  readonly name: string;
  readonly id: string;
  readonly scopes: readonly string[];
  readonly source: Source;
  readonly requestId: string | null;
}

export interface TakenRequest {
  readonly id: number;
  readonly key: string;
  readonly kind: string;
  readonly args: unknown;
  readonly askedBy: AskedBy;
}

export type Answer =
  | { readonly result: unknown }
  | {
      readonly error: {
        readonly code: string;
        readonly status: number;
        readonly title: string;
        readonly message: string;
        readonly problems: readonly FieldProblem[];
        readonly headers: Readonly<Record<string, string>>;
      };
    };

/** Nobody waits longer for an answer. */
export const WAIT_SECONDS_MAX = 60;

export async function insertRequest(
  em: EntityManager,
  request: { readonly key: string; readonly kind: string; readonly args: object; readonly askedBy: AskedBy },
): Promise<void> {
  const { key, kind, args, askedBy } = request;
  await sql`
    insert into bot_request (key, kind, args, asked_by)
    values (${key}, ${kind}, ${JSON.stringify(args)}::jsonb, ${JSON.stringify(askedBy)}::jsonb)`.execute(
    em.getKysely(),
  );
  await publish(em, [REQUEST_TOPIC], {});
}

/** What nobody has taken yet, in the order in which it was asked for; and forgets what nobody waits for any more. */
export async function takeRequests(em: EntityManager, holder: string): Promise<TakenRequest[]> {
  const db = em.getKysely();
  const { rows } = await sql<Omit<TakenRequest, 'id'> & { id: string }>`
    update bot_request set holder = ${holder}
     where id in (select id from bot_request
                   where holder is null and created_at > now() - make_interval(secs => ${WAIT_SECONDS_MAX})
                   order by id for update skip locked)
    returning id, key, kind, args, asked_by as "askedBy"`.execute(db);
  return rows.map((row) => ({ ...row, id: Number(row.id) })).sort((a, b) => a.id - b.id);
}

export async function answerRequest(em: EntityManager, key: string, answer: Answer): Promise<void> {
  await sql`update bot_request set answer = ${JSON.stringify(answer)}::jsonb where key = ${key}`.execute(
    em.getKysely(),
  );
  await publish(em, [answerTopic(key)], {});
}

/** Undefined while there is none. */
export async function findAnswer(em: EntityManager, key: string): Promise<Answer | undefined> {
  const { rows } = await sql<{ answer: Answer | null }>`
    select answer from bot_request where key = ${key}`.execute(em.getKysely());
  return rows[0]?.answer ?? undefined;
}

export async function deleteRequest(em: EntityManager, key: string): Promise<void> {
  await sql`delete from bot_request where key = ${key}`.execute(em.getKysely());
}

/** Forgets requests whose askers have ended without a word. */
export async function deleteOldRequests(em: EntityManager): Promise<void> {
  await sql`
    delete from bot_request where created_at < now() - make_interval(secs => ${2 * WAIT_SECONDS_MAX})`.execute(
    em.getKysely(),
  );
}
