import type { EntityManager } from '@mikro-orm/postgresql';
import type { EventData } from '../../platform/events/emit.js';
import { shownCustomValues } from './custom-field.rules.js';
import { listCustomFields } from './custom-field.service.js';
import type { NamedKind, NamedRecord } from './named-record.service.js';

/** A customer or an addon as REST returns it, for events. */
export async function namedRecordData<T extends NamedRecord>(
  em: EntityManager,
  { kind }: NamedKind<T>,
  { id, name, custom, createdAt, updatedAt }: T,
): Promise<EventData> {
  const shown = shownCustomValues(await listCustomFields(em, kind), custom);
  return { id, name, createdAt, updatedAt, ...shown };
}
