import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { findPage } from '../../platform/db/page.js';
import type { PageRequest, RowPage } from '../../platform/db/page.js';
import { File } from './file.entity.js';

export interface FileFilter {
  readonly name?: string | null;
  readonly product?: string | null;
  readonly addon?: string | null;
  readonly repo?: string | null;
}

export async function findFiles(
  em: EntityManager,
  filter: FileFilter,
  request: PageRequest,
): Promise<RowPage<File>> {
  const all: FilterQuery<File>[] = [];
  if (filter.name != null) all.push({ name: filter.name });
  if (filter.product != null) all.push({ product: { name: filter.product } });
  if (filter.addon != null) all.push({ addon: { name: filter.addon } });
  if (filter.repo != null) all.push({ repo: filter.repo });
  return findPage(em, File, { $and: all }, request);
}

/** What an administrator sets about a file, by REST's names. */
export interface FileView {
  readonly name: string;
  readonly product: string | null;
  readonly addon: string | null;
  readonly repo: string | null;
  readonly asset: string | null;
  readonly prerelease: boolean;
  readonly stamp: boolean;
}

/** Files by id, as they are stored; one statement for any number. */
export async function fileViews(em: EntityManager, ids: readonly number[]): Promise<Map<number, FileView>> {
  const { rows } = await sql<FileView & { id: number }>`
    select f.id, f.name, p.name as product, a.name as addon, f.repo, f.asset, f.prerelease, f.stamp
      from file f left join product p on p.id = f.product_id left join addon a on a.id = f.addon_id
     where f.id = any(${ids})`.execute(em.getKysely());
  return new Map(rows.map(({ id, ...view }) => [id, view]));
}
