import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { StoredAsset } from '../files/store/file-store.js';
import type { LicenseStanding } from '../licenses/license-standing.rules.js';
import type { LinkState } from './download.rules.js';

/** A link as its token finds it, with all that decides whether it leads to anything. */
export interface Link extends LinkState {
  readonly id: number;
  readonly buildId: string;
  readonly repo: string;
  readonly asset: StoredAsset;
  readonly stamp: boolean;
  readonly createdAt: Date;
  /** As they were when the link was issued. */
  readonly licenseKey: string;
  readonly productName: string;
  readonly customerName: string | null;
  /** Undefined: the license is gone. */
  readonly standing: LicenseStanding | undefined;
  /** Whether the definition of the file is still there. */
  readonly hasFile: boolean;
  /** Whether a use is taken by a transfer that has not ended, and may come back. */
  readonly isOpen: boolean;
}

type LinkRow = Omit<Link, 'standing' | 'expiresAt' | 'createdAt'> & {
  readonly expiresAt: string;
  readonly createdAt: string;
  readonly licenseId: number | null;
  readonly status: LicenseStanding['status'];
  readonly userStatus: LicenseStanding['userStatus'];
  readonly until: string | null;
};

export async function findLink(em: EntityManager, tokenDigest: Buffer): Promise<Link | undefined> {
  const { rows } = await sql<LinkRow>`
    select d.id, d.build_id as "buildId", d.repo, d.asset, d.stamp, d.created_at as "createdAt", d.revoked,
           d.expires_at as "expiresAt", d.uses, d.max_uses as "maxUses", d.license_key as "licenseKey",
           d.product_name as "productName", d.customer_name as "customerName",
           l.id as "licenseId", l.status, l.expires_at as until, u.status as "userStatus",
           exists (select from file f where f.id = d.file_id) as "hasFile",
           exists (select from download_transfer t where t.download_id = d.id) as "isOpen"
      from download d left join license l on l.id = d.license_id left join app_user u on u.id = l.user_id
     where d.token_digest = ${tokenDigest}`.execute(em.getKysely());
  const [row] = rows;
  if (!row) return undefined;
  const { licenseId, status, userStatus, until, expiresAt, createdAt, ...link } = row;
  return {
    ...link,
    expiresAt: new Date(expiresAt),
    createdAt: new Date(createdAt),
    standing:
      licenseId === null
        ? undefined
        : { licenseId, status, userStatus, expiresAt: until === null ? null : new Date(until) },
  };
}

/** Undefined: the link was deleted. */
export async function findLinkState(em: EntityManager, id: number): Promise<LinkState | undefined> {
  const { rows } = await sql<Omit<LinkState, 'expiresAt'> & { expiresAt: string }>`
    select revoked, expires_at as "expiresAt", uses, max_uses as "maxUses" from download where id = ${id}`.execute(
    em.getKysely(),
  );
  const [row] = rows;
  return row && { ...row, expiresAt: new Date(row.expiresAt) };
}

/** Takes a use and opens a transfer from the byte `start` on; undefined when no use can be taken now. */
export async function takeUse(
  em: EntityManager,
  id: number,
  start: number,
  { now, leaseUntil }: { readonly now: Date; readonly leaseUntil: Date },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    with taken as (
      update download set uses = uses + 1
       where id = ${id} and uses < max_uses and not revoked and expires_at > ${now} returning id
    )
    insert into download_transfer (download_id, first_byte, lease_until)
      select id, ${start}::bigint, ${leaseUntil}::timestamptz from taken returning id`.execute(
    em.getKysely(),
  );
  return rows[0]?.id;
}

/** Asks open transfers that may be what is resumed at the byte `start` to end if they have stalled. False: there is none. */
export async function askToYield(em: EntityManager, id: number, start: number): Promise<boolean> {
  const { rows } = await sql`
    update download_transfer set yield_asked = true where download_id = ${id} and first_byte <= ${start}
    returning id`.execute(em.getKysely());
  return rows.length > 0;
}

/** Keeps a transfer's use for its gateway; undefined when it was given back or its link deleted meanwhile. */
export async function renewLease(
  em: EntityManager,
  transferId: string,
  { sent, leaseUntil }: { readonly sent: number; readonly leaseUntil: Date },
): Promise<{ readonly revoked: boolean; readonly yieldAsked: boolean } | undefined> {
  const { rows } = await sql<{ revoked: boolean; yieldAsked: boolean }>`
    update download_transfer t set sent = ${sent}::bigint, lease_until = ${leaseUntil}
      from download d where t.id = ${transferId} and d.id = t.download_id
    returning d.revoked, t.yield_asked as "yieldAsked"`.execute(em.getKysely());
  return rows[0];
}

/** What a complete transfer changed, for taking it back. */
export interface Completion {
  readonly downloadId: number;
  /** Bytes of broken transfers that it made up for. */
  readonly credited: number;
  readonly wasFirst: boolean;
}

/**
 * Ends a transfer that reached the end of the file: its use is spent, and pays for what broken transfers had delivered
 * of the bytes ahead of its first. Undefined when the use was given back meanwhile.
 */
export async function completeTransfer(
  em: EntityManager,
  transferId: string,
  now: Date,
): Promise<Completion | undefined> {
  const { rows } = await sql<{ downloadId: number; credited: number; wasFirst: boolean }>`
    with before as (
      select d.id, t.id as transfer_id, least(t.first_byte, d.broken_bytes) as credited,
             d.delivered_at is null as was_first
        from download_transfer t join download d on d.id = t.download_id
       where t.id = ${transferId} for update of d
    ), ended as (
      delete from download_transfer t using before where t.id = before.transfer_id returning t.id
    )
    update download d
       set delivered_at = coalesce(d.delivered_at, ${now}), broken_bytes = d.broken_bytes - before.credited
      from before, ended where d.id = before.id
    returning d.id as "downloadId", before.credited::float8 as credited, before.was_first as "wasFirst"`.execute(
    em.getKysely(),
  );
  return rows[0];
}

/** Ends a transfer that broke off after so many bytes, and gives its use back; nothing if it has ended already. */
export async function giveBack(em: EntityManager, transferId: string, sent: number): Promise<void> {
  await sql`
    with link as (
      select d.id from download_transfer t join download d on d.id = t.download_id
       where t.id = ${transferId} for update of d
    ), ended as (
      delete from download_transfer t using link where t.id = ${transferId} and t.download_id = link.id
      returning t.download_id, ${sent}::bigint as sent
    )
    ${returned()}`.execute(em.getKysely());
}

/** Gives the use of a transfer back that was taken for complete, and was not. */
export async function takeBackCompletion(
  em: EntityManager,
  { downloadId, credited, wasFirst }: Completion,
  sent: number,
): Promise<void> {
  const deliveredAt = sql`case when ${wasFirst} and d.uses = 1 then null else d.delivered_at end`;
  await sql`
    with ended as (select ${downloadId}::integer as download_id, ${sent + credited}::bigint as sent)
    ${returned({ deliveredAt })}`.execute(em.getKysely());
}

/**
 * Gives the uses of up to `limit` links back whose gateways are gone, of one link if it is named. Resolves to how many
 * links there were.
 */
export async function giveBackLost(
  em: EntityManager,
  now: Date,
  { limit, downloadId }: { readonly limit: number; readonly downloadId?: number },
): Promise<number> {
  const { rows } = await sql`
    with link as (
      select d.id from download d
       where exists (select from download_transfer t where t.download_id = d.id and t.lease_until <= ${now})
         and ${downloadId === undefined ? sql`true` : sql`d.id = ${downloadId}`}
       order by d.id limit ${limit} for update ${downloadId === undefined ? sql`skip locked` : sql``}
    ), ended as (
      delete from download_transfer t using link where t.download_id = link.id and t.lease_until <= ${now}
      returning t.download_id, t.sent
    )
    ${returned()}`.execute(em.getKysely());
  return rows.length;
}

/**
 * Gives back the uses of the transfers that a statement calls `ended`; their links are locked. What broken transfers
 * delivered is added up, and each time that it comes to a whole file, a use stays spent: by hanging up before the end
 * nobody gets more than one file beyond the uses.
 */
function returned({ deliveredAt = sql`d.delivered_at` } = {}): RawBuilder<unknown> {
  const spent = sql`least(e.transfers, (d.broken_bytes + e.sent) / greatest(d.bytes, 1))`;
  return sql`
    update download d
       set uses = d.uses - e.transfers + ${spent}, delivered_at = ${deliveredAt},
           broken_bytes = d.broken_bytes + e.sent - ${spent} * greatest(d.bytes, 1)
      from (select download_id, count(*) as transfers, sum(sent)::bigint as sent from ended group by download_id) e
     where d.id = e.download_id returning d.id`;
}
