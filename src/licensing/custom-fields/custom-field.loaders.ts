import type { EntityManager } from '@mikro-orm/postgresql';
import DataLoader from 'dataloader';
import type { CustomField } from './custom-field.entity.js';
import { listCustomFields } from './custom-field.service.js';
import type { RecordKind } from './named-record.entity.js';

/** The definitions for a kind of record, once a request however many records are shown. */
export const customFieldsByRecord = ({ em }: { readonly em: EntityManager }) =>
  new DataLoader<RecordKind, CustomField[]>(async (kinds) =>
    Promise.all(kinds.map((kind) => listCustomFields(em, kind))),
  );
