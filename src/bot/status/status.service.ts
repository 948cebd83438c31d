import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { PRODUCT } from '../../platform/product.js';
import type { ClientState } from '../client/client.states.js';
import { findBot } from './bot.repository.js';
import type { BotRecord } from './bot.repository.js';

export interface BotStatus {
  readonly product: string;
  readonly version: string;
  /** Connected now. */
  readonly running: boolean;
  readonly license: { readonly activated: boolean; readonly message: string | null };
  readonly modules: { readonly loaded: number; readonly failed: number };
  /** The last one known. */
  readonly bot: { readonly id: string | null; readonly username: string | null; readonly tag: string | null };
  readonly server: { readonly id: string | null; readonly name: string | null };
  readonly state: ClientState;
  readonly since: Date;
  readonly lastError: { readonly code: string; readonly at: Date } | null;
  /** Milliseconds. */
  readonly ping: number | null;
  /** Seconds; null unless it runs. */
  readonly uptime: number | null;
  readonly shards: number;
}

/** How the bot is, whichever process runs it. */
export async function botStatus(em: EntityManager, ctx: ActionContext): Promise<BotStatus> {
  const bot = await findBot(em);
  // What a process wrote that has ended without a word is no longer so.
  const state = bot.isHeld ? bot.state : 'stopped';
  const running = state === 'running';
  return {
    ...{ product: PRODUCT.name, version: PRODUCT.version, running, state, since: bot.since },
    license: licenseOf(bot),
    modules: { loaded: bot.modulesLoaded, failed: bot.modulesFailed },
    bot: { id: bot.botId, username: bot.username, tag: bot.tag },
    server: { id: bot.serverId, name: bot.serverName },
    lastError:
      bot.lastErrorCode !== null && bot.lastErrorAt !== null
        ? { code: bot.lastErrorCode, at: bot.lastErrorAt }
        : null,
    ping: running ? bot.ping : null,
    uptime: running ? secondsSince(bot.readyAt, ctx.clock.now()) : null,
    shards: running ? bot.shards : 0,
  };
}

function licenseOf({ isHeld, licenseActivated, licenseMessage }: BotRecord): BotStatus['license'] {
  if (isHeld || !licenseActivated) return { activated: licenseActivated, message: licenseMessage };
  return { activated: false, message: 'Not checked now: no process runs the bot' };
}

function secondsSince(from: Date | null, now: Date): number | null {
  return from === null ? null : Math.max(0, Math.floor((now.getTime() - from.getTime()) / 1000));
}
