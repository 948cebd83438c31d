import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { MessageTemplate } from './message-template.entity.js';

export function findTemplates(em: EntityManager): Promise<MessageTemplate[]> {
  return em.find(MessageTemplate, {}, { orderBy: { name: 'asc' } });
}

/** By id, else by name: people write names, programs ids. */
export async function findTemplateByIdOrName(
  em: EntityManager,
  text: string,
): Promise<MessageTemplate | null> {
  return (
    (await em.findOne(MessageTemplate, { id: text })) ?? (await em.findOne(MessageTemplate, { name: text }))
  );
}

export async function templateIdByIdOrName(em: EntityManager, text: string): Promise<string | undefined> {
  return (await findTemplateByIdOrName(em, text))?.id;
}

/** The template of an id, or that there is none; until the transaction ends, nobody else makes or changes it. */
export async function lockTemplate(em: EntityManager, id: string): Promise<MessageTemplate | null> {
  await sql`select pg_advisory_xact_lock(hashtextextended('bot_message_template:' || ${id}, 0))`.execute(
    em.getKysely(),
  );
  return em.findOne(MessageTemplate, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}
