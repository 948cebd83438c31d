import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ActionContext } from '../../platform/context.js';
import { InvalidField, NotFound, invalidFields, show } from '../../platform/errors.js';
import { diff } from '../../platform/events/emit.js';
import { publish } from '../../platform/pubsub/publish.js';
import { emit } from '../events.js';
import { actingFor } from './actor.js';
import type { Actor } from './actor.js';
import { LoggingTarget } from './logging-target.entity.js';
import {
  CORE_EVENTS,
  NO_TARGET,
  isChannelId,
  readEventTargets,
  shownEvents,
} from './logging-target.rules.js';
import type { ShownEvent, TargetSettings } from './logging-target.rules.js';
import { MODULES_TOPIC } from './module-changes.js';
import { CORE } from './module-manifest.rules.js';
import type { ModuleEvent } from './module-manifest.rules.js';
import { findModules } from './module.repository.js';

export interface LoggingTargetView {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly channel: string | null;
  readonly events: readonly ShownEvent[];
  /** Of the last delivery, if it failed. */
  readonly lastError: { readonly message: string; readonly at: Date } | null;
}

/** What tells events: a module, or the bot itself. */
interface Teller {
  readonly id: string;
  readonly name: string;
  readonly events: readonly ModuleEvent[];
}

/** The bot itself, and each module that tells something. */
export async function listLoggingTargets(em: EntityManager): Promise<LoggingTargetView[]> {
  const targets = new Map((await em.find(LoggingTarget, {})).map((target) => [target.id, target]));
  return (await tellers(em)).map((teller) => viewOf(teller, targets.get(teller.id)));
}

export interface LoggingWrite extends Actor {
  readonly id: string;
  readonly enabled?: boolean | null;
  /** Null: none. */
  readonly channel?: string | null;
  readonly events?: Readonly<Record<string, unknown>> | null;
}

/** Sets what is given, all or nothing. Throws `MODULE_NOT_FOUND`, or 422 with everything that is wrong. */
export async function writeLoggingTarget(
  em: EntityManager,
  ctx: ActionContext,
  { id, enabled, channel, events, ...actor }: LoggingWrite,
): Promise<LoggingTargetView> {
  const teller = (await tellers(em)).find((each) => each.id === id);
  if (!teller) throw new NotFound('module', id);
  if (channel != null && !isChannelId(channel)) {
    throw new InvalidField('channel', `must be a channel's id, 17–20 digits; got ${show(channel)}`);
  }
  const target = await targetForUpdate(em, id, ctx.clock.now());
  const before = settingsOf(target);
  const read = readEventTargets(teller.events, target.events, events ?? {});
  const [first, ...others] = read.problems;
  if (first) throw invalidFields([first, ...others]);
  if (enabled != null) target.enabled = enabled;
  if (channel !== undefined) target.channel = channel;
  target.events = read.events;
  const changes = diff({ ...before }, { ...settingsOf(target) });
  if (Object.keys(changes).length === 0) return viewOf(teller, target);
  target.updatedAt = ctx.clock.now();
  await em.flush();
  await emit(em, actingFor(ctx, actor), 'bot.logging.updated', {
    ...{ resource: { type: 'bot_logging', id }, changes },
    data: { ...viewOf(teller, target) },
  });
  await publish(em, [MODULES_TOPIC], {});
  return viewOf(teller, target);
}

/** Where everything goes, by the teller's id: for whoever delivers. */
export async function loggingSettings(em: EntityManager): Promise<ReadonlyMap<string, TargetSettings>> {
  return new Map((await em.find(LoggingTarget, {})).map((target) => [target.id, settingsOf(target)]));
}

/** Notes how the last delivery went: why it failed, or (null) that it didn't. */
export async function noteDelivery(
  em: EntityManager,
  id: string,
  error: { readonly message: string; readonly at: Date } | null,
): Promise<void> {
  const stored = error && JSON.stringify({ message: error.message, at: error.at.toISOString() });
  await sql`
    update bot_logging_target set last_error = ${stored}::jsonb
     where id = ${id} and last_error is distinct from ${stored}::jsonb`.execute(em.getKysely());
}

/** Makes the row first, so that two first writes at once wait for each other. */
async function targetForUpdate(em: EntityManager, id: string, now: Date): Promise<LoggingTarget> {
  await sql`
    insert into bot_logging_target (id, enabled, updated_at) values (${id}, ${NO_TARGET.enabled}, ${now})
      on conflict do nothing`.execute(em.getKysely());
  return em.findOneOrFail(LoggingTarget, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

async function tellers(em: EntityManager): Promise<Teller[]> {
  const modules = (await findModules(em)).map(({ id, manifest: { name, events } }) => ({ id, name, events }));
  return [
    { id: CORE, name: 'Core', events: CORE_EVENTS },
    ...modules.filter(({ events }) => events.length > 0),
  ];
}

function settingsOf({ enabled, channel, events }: TargetSettings): TargetSettings {
  return { enabled, channel, events };
}

function viewOf({ id, name, events }: Teller, target: LoggingTarget | undefined): LoggingTargetView {
  const settings = target ?? NO_TARGET;
  const lastError = target?.lastError ?? null;
  return {
    ...{ id, name, enabled: settings.enabled, channel: settings.channel },
    events: shownEvents(events, settings),
    lastError: lastError && { message: lastError.message, at: new Date(lastError.at) },
  };
}
