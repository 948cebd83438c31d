import type { EntityManager } from '@mikro-orm/postgresql';
import DataLoader from 'dataloader';
import { byId } from '../../platform/db/by-id.js';
import { bodiesOf } from './webhook-delivery.repository.js';
import { Webhook } from './webhook.entity.js';

export const webhookById = byId(Webhook);

export const bodyByEvent = ({ em }: { readonly em: EntityManager }) =>
  new DataLoader<string, string | null>(async (ids) => {
    const bodies = await bodiesOf(em, ids);
    return ids.map((id) => bodies.get(id) ?? null);
  });
