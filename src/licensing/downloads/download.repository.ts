import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { findIdPage } from '../../platform/db/id-page.js';
import type { Page, PageRequest } from '../../platform/db/page.js';
import type { StoredAsset } from '../files/store/file-store.js';
import { lookupOf } from '../licenses/license-key.rules.js';

/** A build, as administrators see it: with the names its records have now, or had last if they are gone. */
export interface DownloadBuild {
  readonly id: number;
  readonly buildId: string;
  readonly fileName: string;
  readonly licenseId: number;
  readonly licenseKey: string;
  readonly customerName: string | null;
  readonly productName: string;
  readonly addonName: string | null;
  /** The release's tag. */
  readonly version: string;
  readonly maxUses: number;
  readonly uses: number;
  readonly expiresAt: Date;
  /** First complete transfer. */
  readonly deliveredAt: Date | null;
  readonly revoked: boolean;
  readonly createdAt: Date;
}

/** All that is given must hold. Each means the name that a build shows. */
export interface DownloadFilter {
  readonly buildId?: string | null;
  /** A license key, however it is typed. */
  readonly license?: string | null;
  readonly customer?: string | null;
  readonly product?: string | null;
  readonly file?: string | null;
}

export function findDownloads(
  em: EntityManager,
  filter: DownloadFilter,
  request: Pick<PageRequest, 'first' | 'after'>,
): Promise<Page<DownloadBuild>> {
  const where = conditionOf(filter);
  return findIdPage(request, {
    find: ({ after = 0, limit }) =>
      select(em, sql`d.id > ${after} and ${where}`, sql`order by d.id limit ${limit}`),
    async count() {
      const { rows } = await sql<{ count: number }>`
        select count(*)::integer as count from download d where ${where}`.execute(em.getKysely());
      return rows[0]?.count ?? 0;
    },
  });
}

/** Builds by id; one statement for any number. */
export async function buildsById(
  em: EntityManager,
  ids: readonly number[],
): Promise<Map<number, DownloadBuild>> {
  return new Map((await select(em, sql`d.id = any(${ids})`)).map((build) => [build.id, build]));
}

/** Locked until the transaction ends. */
export async function findBuildForUpdate(
  em: EntityManager,
  buildId: string,
): Promise<DownloadBuild | undefined> {
  if (buildId.includes('\u0000')) return undefined;
  const [build] = await select(em, sql`d.build_id = ${buildId}`, sql`for update of d`);
  return build;
}

export async function markRevoked(em: EntityManager, id: number): Promise<void> {
  await sql`update download set revoked = true where id = ${id}`.execute(em.getKysely());
}

/** Its transfers go with it, and break off. */
export async function removeBuild(em: EntityManager, id: number): Promise<void> {
  await sql`delete from download where id = ${id}`.execute(em.getKysely());
}

export interface NewDownload {
  readonly buildId: string;
  readonly tokenDigest: Buffer;
  readonly licenseId: number;
  readonly fileId: number;
  readonly repo: string;
  readonly asset: StoredAsset;
  readonly stamp: boolean;
  readonly maxUses: number;
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

/**
 * Stores a link with the names of this moment. Undefined when license or file are gone, or no longer of one product:
 * they may have changed since they were looked at.
 */
export async function insertDownload(
  em: EntityManager,
  download: NewDownload,
): Promise<DownloadBuild | undefined> {
  const { asset } = download;
  const { rows } = await sql<{ id: number }>`
    insert into download (build_id, token_digest, license_id, license_key, license_lookup, customer_id, customer_name,
                          product_id, product_name, addon_id, addon_name, file_id, file_name, version, repo, asset,
                          bytes, stamp, max_uses, expires_at, created_at)
    select ${download.buildId}, ${download.tokenDigest}, l.id, l.key, l.lookup, c.id, c.name, p.id, p.name, a.id, a.name,
           f.id, f.name, ${asset.version}, ${download.repo}, ${JSON.stringify(asset)}::jsonb, ${asset.bytes}::bigint,
           ${download.stamp}, ${download.maxUses}, ${download.expiresAt}, ${download.createdAt}
      from license l join product p on p.id = l.product_id join file f on f.product_id = p.id
           left join customer c on c.id = l.customer_id left join addon a on a.id = f.addon_id
     where l.id = ${download.licenseId} and f.id = ${download.fileId}
    returning id`.execute(em.getKysely());
  const [row] = rows;
  return row && (await buildsById(em, [row.id])).get(row.id);
}

/** Closes up to `limit` links whose time is over and that nobody else is just closing or using. */
export async function closeExpired(
  em: EntityManager,
  now: Date,
  limit: number,
): Promise<{ readonly id: number; readonly wasUsable: boolean }[]> {
  const { rows } = await sql<{ id: number; wasUsable: boolean }>`
    with due as (
      select id from download where closed_at is null and expires_at <= ${now} order by expires_at limit ${limit}
      for update skip locked
    )
    update download d set closed_at = ${now} from due where due.id = d.id
    returning d.id, not d.revoked and d.uses < d.max_uses as "wasUsable"`.execute(em.getKysely());
  return rows;
}

type Row = Omit<DownloadBuild, 'expiresAt' | 'deliveredAt' | 'createdAt'> & {
  readonly expiresAt: string;
  readonly deliveredAt: string | null;
  readonly createdAt: string;
};

async function select(
  em: EntityManager,
  where: RawBuilder<unknown>,
  rest: RawBuilder<unknown> = sql``,
): Promise<DownloadBuild[]> {
  const { rows } = await sql<Row>`
    select d.id, d.build_id as "buildId", coalesce(f.name, d.file_name) as "fileName",
           d.license_id as "licenseId", coalesce(l.key, d.license_key) as "licenseKey",
           coalesce(c.name, d.customer_name) as "customerName", coalesce(p.name, d.product_name) as "productName",
           coalesce(a.name, d.addon_name) as "addonName", d.version, d.max_uses as "maxUses", d.uses,
           d.expires_at as "expiresAt", d.delivered_at as "deliveredAt", d.revoked, d.created_at as "createdAt"
      from download d left join file f on f.id = d.file_id left join license l on l.id = d.license_id
           left join customer c on c.id = d.customer_id left join product p on p.id = d.product_id
           left join addon a on a.id = d.addon_id
     where ${where} ${rest}`.execute(em.getKysely());
  return rows.map((row) => ({
    ...row,
    expiresAt: new Date(row.expiresAt),
    deliveredAt: row.deliveredAt === null ? null : new Date(row.deliveredAt),
    createdAt: new Date(row.createdAt),
  }));
}

function conditionOf({ buildId, license, customer, product, file }: DownloadFilter): RawBuilder<unknown> {
  const all = [sql`true`];
  if (buildId != null) all.push(sql`d.build_id = ${text(buildId)}`);
  if (license != null) {
    const lookup = text(lookupOf(license));
    all.push(sql`(d.license_id = (select id from license where lookup = ${lookup})
               or d.license_lookup = ${lookup} and not exists (select from license l where l.id = d.license_id))`);
  }
  for (const [table, name] of [
    ['customer', customer],
    ['product', product],
    ['file', file],
  ] as const) {
    if (name != null) all.push(isNamed(table, text(name)));
  }
  return sql.join(all, sql` and `);
}

/** The record is called so, or was when the link was issued and is gone. */
function isNamed(table: 'customer' | 'product' | 'file', name: string | null): RawBuilder<unknown> {
  const [id, snapshot] = [sql.ref(`d.${table}_id`), sql.ref(`d.${table}_name`)];
  return sql`(${id} = (select id from ${sql.table(table)} where name = ${name})
           or ${snapshot} = ${name} and not exists (select from ${sql.table(table)} r where r.id = ${id}))`;
}

/** Postgres text can't hold U+0000, so no name has one: null equals none. */
function text(name: string): string | null {
  return name.includes('\u0000') ? null : name;
}
