import type { Cooldown } from './command-access.rules.js';
import { takeUse } from './cooldown.rules.js';

/** Who calls what and where, as a cooldown counts it. */
export interface CooldownPlace {
  readonly command: string;
  readonly userId: string;
  readonly channelId: string;
  /** Null in a direct message, which then is a place of its own. */
  readonly guildId: string | null;
}

/** Keys kept at most; the one used longest ago is forgotten first. */
const KEYS_MAX = 50_000;

/**
 * The uses of commands within their cooldowns. In memory: one process runs the bot, and after a restart everyone may
 * begin anew.
 */
export class Cooldowns {
  readonly #uses = new Map<string, readonly number[]>();

  /** Takes a use; answers how long to wait, in ms, when there is none: then nothing is taken. */
  take(place: CooldownPlace, cooldown: Cooldown | null, nowMs: number): number {
    if (!cooldown) return 0;
    const key = keyOf(place, cooldown);
    const { uses, waitMs } = takeUse(this.#uses.get(key) ?? [], cooldown, nowMs);
    // Put last again: a Map keeps the order of insertion.
    this.#uses.delete(key);
    this.#uses.set(key, uses);
    if (this.#uses.size > KEYS_MAX) {
      const [oldest] = this.#uses.keys();
      if (oldest !== undefined) this.#uses.delete(oldest);
    }
    return waitMs;
  }
}

function keyOf({ command, userId, channelId, guildId }: CooldownPlace, { scope }: Cooldown): string {
  const where = {
    user: userId,
    channel: channelId,
    guild: guildId ?? channelId,
    global: '',
  }[scope];
  return `${command}\u0000${scope}\u0000${where}`;
}
