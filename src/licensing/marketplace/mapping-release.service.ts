import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ActionContext } from '../../platform/context.js';
import { failure } from '../../platform/errors.js';
import { diff } from '../../platform/events/emit.js';
import { emit } from '../events.js';
import { mappingData, refOfMapping } from './mapping-data.repository.js';
import { Mapping } from './mapping.entity.js';
import { mappingIdsReferringTo } from './mapping.repository.js';

/** A product or addon that is about to be deleted. */
interface Referred {
  readonly kind: 'product' | 'addon';
  readonly id: number;
  readonly name: string;
}

/**
 * Before a product or addon goes: throws `IN_USE` (409) when resources of a marketplace are mapped to it; with `force`
 * the mappings of the product are deleted, and those of the addon lose it.
 */
export async function releaseMappings(
  em: EntityManager,
  ctx: ActionContext,
  referred: Referred,
  options: { readonly force: boolean },
): Promise<void> {
  const ids = await mappingIdsReferringTo(em, referred);
  if (ids.length === 0) return;
  const { kind, id, name } = referred;
  if (!options.force) {
    const effect = kind === 'product' ? 'deletes them' : 'takes it from them';
    throw failure(
      'IN_USE',
      `${ids.length} marketplace mappings refer to the ${kind} "${name}"; "force": true ${effect}`,
    );
  }
  const mappings = await em.find(Mapping, { id: { $in: ids } }, { orderBy: { id: 'asc' }, refresh: true });
  for (const mapping of mappings) {
    const resource = refOfMapping(mapping);
    const before = await mappingData(em, mapping);
    if (kind === 'product') {
      em.remove(mapping);
      await em.flush();
      await emit(em, ctx, 'marketplace_mapping.deleted', { resource, data: before });
      continue;
    }
    await sql`delete from marketplace_mapping_addon where mapping_id = ${mapping.id} and addon_id = ${id}`.execute(
      em.getKysely(),
    );
    mapping.updatedAt = ctx.clock.now();
    await em.flush();
    const data = await mappingData(em, mapping);
    const changes = diff({ addons: before['addons'] }, { addons: data['addons'] });
    await emit(em, ctx, 'marketplace_mapping.updated', { resource, changes, data });
  }
}
