import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { DomainError } from '../../platform/errors.js';
import { diff } from '../../platform/events/emit.js';
import { emit } from '../events.js';
import type { Actor } from './actor.js';
import { actingFor } from './actor.js';
import { missingSetting } from './module-config.rules.js';
import { findModule, findModuleForUpdate, findModules } from './module.repository.js';
import type { PresentModule } from './module.repository.js';

/** A module as it is shown. */
export interface ModuleView {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly author: string;
  readonly enabled: boolean;
  readonly state: string;
  readonly error: string | null;
  readonly description: string;
}

export async function listModules(em: EntityManager): Promise<ModuleView[]> {
  return (await findModules(em)).map(viewOf);
}

export interface Toggle extends Actor {
  readonly id: string;
  readonly enabled: boolean;
}

export interface Wanted {
  /** False: it was wanted before. */
  readonly changed: boolean;
  /** Nothing is left to do for the process that runs the bot. */
  readonly isDone: boolean;
}

/**
 * Writes down that a module is to be enabled or disabled; the process that runs the bot is then to do it. Throws
 * `MODULE_NOT_FOUND`, and `MODULE_ENABLE_FAILED` when a setting is missing that it needs.
 */
export async function wantModule(
  em: EntityManager,
  ctx: ActionContext,
  { id, enabled, ...actor }: Toggle,
): Promise<Wanted> {
  const module = await findModuleForUpdate(em, id);
  const before = module.isOn();
  // One that failed at the start is still wanted, until it is disabled.
  if (before === enabled && module.enabled === enabled) {
    return { changed: false, isDone: module.state === (enabled ? 'enabled' : 'disabled') };
  }
  if (enabled) {
    const missing = missingSetting(
      module.manifest.groups,
      (group, key) => key in (module.config[group] ?? {}),
    );
    if (missing !== undefined) throw enableFailed(id, `it needs the setting ${missing}`);
  }
  module.enabled = enabled;
  module.state = 'disabled';
  module.error = null;
  module.updatedAt = ctx.clock.now();
  await em.flush();
  await emit(em, actingFor(ctx, actor), enabled ? 'bot.module.enabled' : 'bot.module.disabled', {
    resource: { type: 'bot_module', id },
    changes: { enabled: [before, enabled] },
    data: { ...viewOf(module) },
  });
  return { changed: before !== enabled, isDone: false };
}

/** Throws `MODULE_ENABLE_FAILED` with the reason when a module's code has thrown. */
export async function assertNotFailed(em: EntityManager, id: string): Promise<void> {
  const module = await findModule(em, id);
  if (module.state === 'failed') throw enableFailed(id, module.error ?? 'no reason was given');
}

/**
 * Writes down why a module's code failed. `giveUp`: operators have just asked for it, and are told; otherwise it is
 * tried again when the bot's process starts.
 */
export async function recordModuleFailure(
  em: EntityManager,
  ctx: ActionContext,
  id: string,
  { error, giveUp }: { readonly error: string; readonly giveUp: boolean },
): Promise<void> {
  const module = await findModuleForUpdate(em, id);
  const before = { state: module.state, error: module.error };
  module.state = 'failed';
  module.error = error;
  if (giveUp) module.enabled = false;
  await em.flush();
  await emit(em, ctx, 'bot.module.failed', {
    resource: { type: 'bot_module', id },
    changes: diff(before, { state: 'failed', error }),
    data: { ...viewOf(module) },
  });
}

function enableFailed(id: string, reason: string): DomainError {
  const message = `The module ${id} can't be enabled: ${reason}`;
  return new DomainError('MODULE_ENABLE_FAILED', 409, 'Module enable failed', message);
}

function viewOf(module: PresentModule): ModuleView {
  const { id, state, error, manifest } = module;
  const { name, version, author, description } = manifest;
  return { id, name, version, author, description, state, error, enabled: module.isOn() };
}
