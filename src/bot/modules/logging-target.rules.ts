import { pointer, show } from '../../platform/errors.js';
import type { FieldProblem } from '../../platform/errors.js';
import type { StoredEventTarget } from './logging-target.entity.js';
import type { ModuleEvent } from './module-manifest.rules.js';

/** What the bot itself tells, as the pseudo-module `core`. */
export const CORE_EVENTS: readonly ModuleEvent[] = [
  event('bot.started', 'The bot has connected'),
  event('bot.stopped', 'The bot was stopped'),
  event('bot.failed', 'The bot has failed'),
  { ...event('command.used', 'A command was used'), default: false },
  { ...event('command.denied', 'A command was refused'), default: false },
  event('command.error', 'A command has failed'),
  event('module.error', 'A module has failed'),
];

/** Where the events of a module go: its own settings, over what it declares. */
export interface TargetSettings {
  readonly enabled: boolean;
  readonly channel: string | null;
  readonly events: Readonly<Record<string, StoredEventTarget>>;
}

/** Until an operator sets anything: on, and without a channel, so that nothing is sent. */
export const NO_TARGET: TargetSettings = { enabled: true, channel: null, events: {} };

export interface ShownEvent extends ModuleEvent {
  readonly enabled: boolean;
  /** Null: the module's. */
  readonly channel: string | null;
}

/** A module's events as they stand. */
export function shownEvents(declared: readonly ModuleEvent[], { events }: TargetSettings): ShownEvent[] {
  return declared.map((each) => {
    const stored = Object.hasOwn(events, each.key) ? events[each.key] : undefined;
    return { ...each, enabled: stored?.enabled ?? each.default, channel: stored?.channel ?? null };
  });
}

/** The channel that an event goes to; undefined: nowhere. */
export function channelFor(
  declared: readonly ModuleEvent[],
  target: TargetSettings,
  key: string,
): string | undefined {
  const shown = shownEvents(declared, target).find((each) => each.key === key);
  if (!target.enabled || !shown?.enabled) return undefined;
  return shown.channel ?? target.channel ?? undefined;
}

/** What a write makes of the stored events: `true`, `false` or `{enabled, channel}` by key; null: as declared. */
export function readEventTargets(
  declared: readonly ModuleEvent[],
  stored: Readonly<Record<string, StoredEventTarget>>,
  given: Readonly<Record<string, unknown>>,
): { readonly events: Record<string, StoredEventTarget>; readonly problems: readonly FieldProblem[] } {
  const events = new Map(Object.entries(stored));
  const problems: FieldProblem[] = [];
  for (const [key, raw] of Object.entries(given)) {
    if (!declared.some((each) => each.key === key)) {
      const allowed = declared.map((each) => each.key).join(', ') || 'none';
      const detail = `events.${key} is not a known event; allowed: ${allowed}`;
      problems.push({ pointer: pointer('events', key), code: 'UNKNOWN_FIELD', detail });
    } else if (raw === null) {
      events.delete(key);
    } else {
      const before = events.get(key) ?? { enabled: null, channel: null };
      const read = readEventTarget(before, raw);
      if (read) events.set(key, read);
      else {
        const allowed = 'must be true, false or {"enabled": true or false, "channel": "an id" or null}';
        const detail = `events.${key} ${allowed}; got ${show(raw)}`;
        problems.push({ pointer: pointer('events', key), code: 'INVALID_FIELD', detail });
      }
    }
  }
  return { events: Object.fromEntries(events), problems };
}

export function isChannelId(raw: unknown): raw is string {
  return typeof raw === 'string' && /^\d{17,20}$/.test(raw);
}

function readEventTarget(before: StoredEventTarget, raw: unknown): StoredEventTarget | undefined {
  if (typeof raw === 'boolean') return { ...before, enabled: raw };
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return undefined;
  const { enabled = before.enabled, channel = before.channel, ...others } = raw as Record<string, unknown>;
  if (Object.keys(others).length > 0) return undefined;
  if (enabled !== null && typeof enabled !== 'boolean') return undefined;
  return channel === null || isChannelId(channel) ? { enabled, channel } : undefined;
}

function event(key: string, label: string): ModuleEvent {
  return { key, label, description: '', default: true };
}
