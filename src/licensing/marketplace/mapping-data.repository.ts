import type { EntityManager } from '@mikro-orm/postgresql';
import { addonNamesOf } from './mapping.repository.js';
import type { Mapping } from './mapping.entity.js';

/** What a mapping says, as the activity log compares it. */
export async function mappingView(em: EntityManager, mapping: Mapping): Promise<Record<string, unknown>> {
  const { id, marketplace, resourceId, addonId, durationDays, seats, renewalDays } = mapping;
  const { name } = await mapping.product.loadOrFail();
  return {
    ...{ marketplace, resource_id: resourceId, addon_id: addonId, product: name },
    addons: (await addonNamesOf(em, [id])).get(id) ?? [],
    ...{ duration_days: durationDays, seats, renewal_days: renewalDays },
  };
}

/** A mapping as events show it. */
export async function mappingData(em: EntityManager, mapping: Mapping): Promise<Record<string, unknown>> {
  const { id, createdAt, updatedAt } = mapping;
  return { id, ...(await mappingView(em, mapping)), createdAt, updatedAt };
}

/** How events name a mapping: by what it maps. */
export function refOfMapping({ marketplace, resourceId, addonId }: Mapping) {
  const id = [marketplace ?? '*', resourceId, ...(addonId === null ? [] : [addonId])].join(':');
  return { type: 'marketplace_mapping', id };
}
