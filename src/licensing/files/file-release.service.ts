import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { counted } from '../../platform/counted.js';
import { failure } from '../../platform/errors.js';
import { diff } from '../../platform/events/emit.js';
import { emitMany } from '../events.js';
import { File } from './file.entity.js';
import { fileViews } from './file.repository.js';
import type { FileView } from './file.repository.js';
import { fileData } from './file.service.js';

/** The record that is about to be deleted. */
interface Referred {
  readonly record: 'product' | 'addon';
  readonly id: number;
  readonly name: string;
}

/**
 * Before a product or addon goes: throws `IN_USE` (409) when files refer to it, or with `force` unlinks them from
 * product and addon both, so that they can't be issued until they are completed again. With the addon alone taken away,
 * a file would be open to licenses that never had it.
 */
export async function releaseFiles(
  em: EntityManager,
  ctx: ActionContext,
  { record, id, name }: Referred,
  options: { readonly force: boolean },
): Promise<void> {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } } as const;
  const files = await em.find(File, record === 'product' ? { product: id } : { addon: id }, lock);
  if (files.length === 0) return;
  if (!options.force) {
    const refer = counted(files.length, 'file refers', 'files refer');
    const [them, they] = files.length === 1 ? ['it', 'it'] : ['them', 'they'];
    throw failure(
      'IN_USE',
      `${refer} to the ${record} "${name}"; "force": true unlinks ${them}, and ${they} can't be issued then`,
    );
  }
  const ids = files.map((file) => file.id);
  const before = await fileViews(em, ids);
  for (const file of files) {
    file.product = null;
    file.addon = null;
    file.updatedAt = ctx.clock.now();
  }
  await em.flush();
  const after = await fileViews(em, ids);
  const emissions = files.map((file) => {
    const [was, is] = [viewIn(before, file), viewIn(after, file)];
    return {
      resource: { type: 'file', id: file.name },
      changes: diff({ ...was }, { ...is }),
      data: fileData(file, is),
    };
  });
  await emitMany(em, ctx, 'file.updated', emissions);
}

function viewIn(views: ReadonlyMap<number, FileView>, { id }: File): FileView {
  const view = views.get(id);
  if (!view) throw new Error(`There is no file ${id}`);
  return view;
}
