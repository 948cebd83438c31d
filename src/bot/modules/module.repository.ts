import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { NotFound } from '../../platform/errors.js';
import type { ModuleManifest } from './module-manifest.rules.js';
import { BotModule } from './module.entity.js';
import type { ModuleState } from './module.entity.js';

/** A module whose code is there. */
export type PresentModule = BotModule & { readonly manifest: ModuleManifest };

/** What a process has found in its folders: a manifest, or why there is none. */
export interface FoundModule {
  readonly manifest: ModuleManifest;
  /** Why its code didn't load. */
  readonly error: string | null;
}

/** Every module whose code is there, by id. */
export async function findModules(em: EntityManager): Promise<PresentModule[]> {
  const modules = await em.find(BotModule, { manifest: { $ne: null } }, { orderBy: { id: 'asc' } });
  return modules.map(present);
}

/** Throws `MODULE_NOT_FOUND`. */
export async function findModule(em: EntityManager, id: string): Promise<PresentModule> {
  return presentOr404(await em.findOne(BotModule, { id }), id);
}

/** Throws `MODULE_NOT_FOUND`. Locked, so that two changes at once don't undo each other. */
export async function findModuleForUpdate(em: EntityManager, id: string): Promise<PresentModule> {
  const module = await em.findOne(BotModule, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  return presentOr404(module, id);
}

/**
 * Stores what was found, in one statement: a new module is as it declares itself, a known one keeps what operators have
 * set, and one that isn't there any more is no longer shown.
 */
export async function storeFoundModules(
  em: EntityManager,
  found: readonly FoundModule[],
  now: Date,
): Promise<void> {
  const rows = found.map(({ manifest, error }) => ({
    id: manifest.id,
    manifest,
    error,
    enabled: manifest.enabledByDefault,
    state: error === null ? 'disabled' : 'failed',
  }));
  await sql`
    with found as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as row(id text, manifest jsonb, error text, enabled boolean, state text)
    ), gone as (
      update bot_module set manifest = null, state = 'disabled', error = null
       where manifest is not null and id not in (select id from found)
    )
    insert into bot_module (id, manifest, error, enabled, state, created_at, updated_at)
      select id, manifest, error, enabled, state, ${now}, ${now} from found
      on conflict (id) do update
        set manifest = excluded.manifest, error = excluded.error, state = excluded.state`.execute(
    em.getKysely(),
  );
}

/** What came of enabling or disabling. */
export async function storeModuleState(em: EntityManager, id: string, state: ModuleState): Promise<void> {
  await sql`update bot_module set state = ${state}, error = null where id = ${id}`.execute(em.getKysely());
}

/** What a module is, without its code. */
function present(module: BotModule): PresentModule {
  return module as PresentModule;
}

function presentOr404(module: BotModule | null, id: string): PresentModule {
  if (!module?.manifest) throw new NotFound('module', id);
  return present(module);
}
