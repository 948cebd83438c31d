import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Identity } from '../client/connection.js';
import type { ClientSnapshot } from '../client/client-snapshot.js';
import type { ClientState } from '../client/client.states.js';
import type { Presence } from '../presence/presence.rules.js';

/** What is known of the bot, as the process that runs it has written it. */
export interface BotRecord {
  /** What operators want; null until one has said. */
  readonly desired: 'running' | 'stopped' | null;
  readonly presence: Presence;
  readonly state: ClientState;
  readonly since: Date;
  readonly readyAt: Date | null;
  readonly lastErrorCode: string | null;
  readonly lastErrorAt: Date | null;
  readonly ping: number | null;
  readonly shards: number;
  readonly botId: string | null;
  readonly username: string | null;
  readonly tag: string | null;
  readonly serverId: string | null;
  readonly serverName: string | null;
  readonly licenseActivated: boolean;
  readonly licenseMessage: string | null;
  readonly modulesLoaded: number;
  readonly modulesFailed: number;
  /** Whether a process runs the bot now: whoever does holds the lease. */
  readonly isHeld: boolean;
}

/** The two halves of the advisory lock that is the lease. */
export const LEASE_LOCK = { space: 0x626f74, key: 1 } as const;

export async function findBot(em: EntityManager): Promise<BotRecord> {
  const { rows } = await sql<RawBot>`
    select desired, presence, state, since, ready_at as "readyAt", last_error_code as "lastErrorCode",
           last_error_at as "lastErrorAt", ping, shards, bot_id as "botId", username, tag,
           server_id as "serverId", server_name as "serverName", license_activated as "licenseActivated",
           license_message as "licenseMessage", modules_loaded as "modulesLoaded",
           modules_failed as "modulesFailed", ${leaseIsHeld} as "isHeld"
      from bot`.execute(em.getKysely());
  const [bot] = rows;
  if (!bot) throw new Error('The table bot has lost its row');
  return {
    ...bot,
    since: new Date(bot.since),
    readyAt: bot.readyAt === null ? null : new Date(bot.readyAt),
    lastErrorAt: bot.lastErrorAt === null ? null : new Date(bot.lastErrorAt),
  };
}

/** The driver leaves points in time as text. */
type RawBot = Omit<BotRecord, 'since' | 'readyAt' | 'lastErrorAt'> & {
  readonly since: string;
  readonly readyAt: string | null;
  readonly lastErrorAt: string | null;
};

/** The lock is the truth, whatever a process that was killed has written before. */
const leaseIsHeld = sql<boolean>`exists (
  select from pg_locks
   where locktype = 'advisory' and granted and objsubid = 2
     and classid = ${LEASE_LOCK.space}::bigint::oid and objid = ${LEASE_LOCK.key}::bigint::oid
     and database = (select oid from pg_database where datname = current_database()))`;

export async function isBotHeld(em: EntityManager): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`select ${leaseIsHeld} as held`.execute(em.getKysely());
  return rows[0]?.held ?? false;
}

/** From now on only this process writes what is known of the bot. */
export async function takeBot(em: EntityManager, holder: string, now: Date): Promise<void> {
  await sql`
    update bot set holder = ${holder}, state = 'stopped', since = ${now}, ready_at = null, ping = null, shards = 0`.execute(
    em.getKysely(),
  );
}

/** False when another process has taken over: then nothing was written. */
export async function writeSnapshot(
  em: EntityManager,
  holder: string,
  { state, since, readyAt, lastError, ping, shards, identity }: ClientSnapshot,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update bot set state = ${state}, since = ${since}, ready_at = ${readyAt}, ping = ${ping}, shards = ${shards},
           last_error_code = coalesce(${lastError?.code ?? null}, last_error_code),
           last_error_at = coalesce(${lastError?.at ?? null}, last_error_at)
     where holder = ${holder}`.execute(em.getKysely());
  if (numAffectedRows !== 1n) return false;
  if (identity) await writeIdentity(em, holder, identity);
  return true;
}

async function writeIdentity(em: EntityManager, holder: string, identity: Identity): Promise<void> {
  const { botId, username, tag, serverId, serverName } = identity;
  await sql`
    update bot set bot_id = ${botId}, username = ${username}, tag = ${tag},
           server_id = coalesce(${serverId}, server_id), server_name = coalesce(${serverName}, server_name)
     where holder = ${holder}`.execute(em.getKysely());
}

/** After the bot was renamed. What tells it from others of that name stays. */
export async function writeUsername(em: EntityManager, holder: string, username: string): Promise<void> {
  await sql`
    update bot set username = ${username}, tag = ${username} || coalesce(substring(tag from '#[0-9]{4}$'), '')
     where holder = ${holder}`.execute(em.getKysely());
}

export async function writePing(em: EntityManager, holder: string, ping: number | null): Promise<void> {
  await sql`update bot set ping = ${ping} where holder = ${holder} and ping is distinct from ${ping}`.execute(
    em.getKysely(),
  );
}

export async function writeDesired(
  em: EntityManager,
  holder: string,
  desired: 'running' | 'stopped',
): Promise<void> {
  await sql`update bot set desired = ${desired} where holder = ${holder}`.execute(em.getKysely());
}

export async function writeLicense(
  em: EntityManager,
  holder: string,
  license: { readonly activated: boolean; readonly message: string | null },
): Promise<void> {
  await sql`
    update bot set license_activated = ${license.activated}, license_message = ${license.message}
     where holder = ${holder}`.execute(em.getKysely());
}

/** For whoever runs modules: how many are there, and how many are there and don't work. */
export async function writeModuleCounts(
  em: EntityManager,
  holder: string,
  { loaded, failed }: { readonly loaded: number; readonly failed: number },
): Promise<void> {
  await sql`
    update bot set modules_loaded = ${loaded}, modules_failed = ${failed} where holder = ${holder}`.execute(
    em.getKysely(),
  );
}

/** The presence, locked for a change. */
export async function findPresenceForUpdate(em: EntityManager): Promise<Presence> {
  const { rows } = await sql<{ presence: Presence }>`select presence from bot for update`.execute(
    em.getKysely(),
  );
  const [bot] = rows;
  if (!bot) throw new Error('The table bot has lost its row');
  return bot.presence;
}

export async function writePresence(em: EntityManager, presence: Presence): Promise<void> {
  await sql`update bot set presence = ${JSON.stringify(presence)}::jsonb`.execute(em.getKysely());
}
