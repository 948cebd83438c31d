import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { StoredAsset } from './store/file-store.js';

/** What a provider said it has, and whether that was after the given moment. */
export interface ReleaseList {
  readonly assets: readonly StoredAsset[];
  readonly isFresh: boolean;
}

export async function findReleaseList(
  em: EntityManager,
  provider: string,
  repo: string,
  freshAfter: Date,
): Promise<ReleaseList | undefined> {
  const { rows } = await sql<ReleaseList>`
    select assets, checked_at > ${freshAfter} as "isFresh" from release_list
     where provider = ${provider} and repo = ${repo}`.execute(em.getKysely());
  return rows[0];
}

/** Of two who asked at once, the later answer stays. */
export async function saveReleaseList(
  em: EntityManager,
  provider: string,
  repo: string,
  assets: readonly StoredAsset[],
  checkedAt: Date,
): Promise<void> {
  await sql`
    insert into release_list as list (provider, repo, assets, checked_at)
      values (${provider}, ${repo}, ${JSON.stringify(assets)}::jsonb, ${checkedAt})
      on conflict (provider, repo) do update set assets = excluded.assets, checked_at = excluded.checked_at
      where list.checked_at <= excluded.checked_at`.execute(em.getKysely());
}

/** The repositories that files name; first those about which was asked longest ago. */
export async function repositoriesInUse(em: EntityManager, provider: string): Promise<string[]> {
  const { rows } = await sql<{ repo: string }>`
    select f.repo from (select distinct repo from file where repo is not null) f
      left join release_list list on list.repo = f.repo and list.provider = ${provider}
     order by list.checked_at nulls first, f.repo`.execute(em.getKysely());
  return rows.map(({ repo }) => repo);
}

export async function removeReleaseListsBefore(em: EntityManager, moment: Date): Promise<void> {
  await sql`delete from release_list where checked_at < ${moment}`.execute(em.getKysely());
}
