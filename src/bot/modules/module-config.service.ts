import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { InvalidField, invalidFields, pointer, show } from '../../platform/errors.js';
import type { FieldProblem } from '../../platform/errors.js';
import { publish } from '../../platform/pubsub/publish.js';
import { seal, unseal } from '../../platform/seal.js';
import type { Keyring } from '../../platform/seal.js';
import { emit } from '../events.js';
import { templateIdByIdOrName } from '../messages/message-template.repository.js';
import { actingFor } from './actor.js';
import type { Actor } from './actor.js';
import { readConfigChange } from './module-config.rules.js';
import type { ConfigChange } from './module-config.rules.js';
import { MODULES_TOPIC } from './module-changes.js';
import type { ConfigGroup } from './module-manifest.rules.js';
import type { StoredConfig } from './module.entity.js';
import { findModuleForUpdate, findModules } from './module.repository.js';
import type { PresentModule } from './module.repository.js';
import type { Setting, SettingValue } from './setting.rules.js';

/** A setting with its value; a secret's is never shown, only whether there is one. */
export interface SettingView extends Setting {
  readonly value: SettingValue;
  readonly set: boolean;
}

export interface ConfigGroupView extends Omit<ConfigGroup, 'settings'> {
  readonly settings: readonly SettingView[];
}

export interface ModuleConfigView {
  readonly id: string;
  readonly name: string;
  readonly groups: readonly ConfigGroupView[];
}

export async function listModuleConfigs(em: EntityManager): Promise<ModuleConfigView[]> {
  return (await findModules(em)).map(viewOf);
}

export interface ConfigWrite extends Actor {
  readonly id: string;
  readonly group: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Sets what is given, all or nothing; null goes back to the default. Throws `MODULE_NOT_FOUND`, or 422 with everything
 * that is wrong.
 */
export async function writeModuleConfig(
  em: EntityManager,
  ctx: ActionContext,
  { id, group: groupId, values, ...actor }: ConfigWrite,
): Promise<ModuleConfigView> {
  const module = await findModuleForUpdate(em, id);
  const group = module.manifest.groups.find((each) => each.id === groupId);
  if (!group) {
    const allowed = module.manifest.groups.map((each) => each.id).join(', ') || 'none';
    throw new InvalidField('group', `must be a group of ${id}: ${allowed}; got ${show(groupId)}`);
  }
  const { change, problems } = readConfigChange(group, values);
  const [first, ...others] = [...problems, ...(await templateProblems(em, change))];
  if (first) throw invalidFields([first, ...others]);
  const before = module.config[groupId] ?? {};
  const after = await storedAfter(em, ctx, before, change);
  const changes = changesOf(groupId, change, before, after);
  if (Object.keys(changes).length === 0) return viewOf(module);
  module.config = { ...module.config, [groupId]: after };
  module.updatedAt = ctx.clock.now();
  await em.flush();
  await emit(em, actingFor(ctx, actor), 'bot.module.configured', {
    ...{ resource: { type: 'bot_module', id }, changes },
    data: { ...viewOf(module) },
  });
  await publish(em, [MODULES_TOPIC], { module: id });
  return viewOf(module);
}

/** The values that a module works with: what is stored, over the defaults, with secrets in plain. */
export function effectiveConfig(
  groups: readonly ConfigGroup[],
  stored: StoredConfig,
  keys: Keyring,
): Readonly<Record<string, Readonly<Record<string, SettingValue>>>> {
  const plain = ({ key, type, default: fallback }: Setting, groupId: string): SettingValue => {
    const value = stored[groupId]?.[key];
    if (value === undefined) return fallback;
    return type === 'secret' ? unseal(value as string, keys) : (value as SettingValue);
  };
  return Object.fromEntries(
    groups.map(({ id, settings }) => [
      id,
      Object.fromEntries(settings.map((setting) => [setting.key, plain(setting, id)])),
    ]),
  );
}

async function storedAfter(
  em: EntityManager,
  ctx: ActionContext,
  before: Readonly<Record<string, unknown>>,
  change: ConfigChange,
): Promise<Record<string, unknown>> {
  const after = new Map(Object.entries(before));
  for (const [key, { setting, value }] of change) {
    if (value === null) after.delete(key);
    else if (setting.type === 'secret') after.set(key, seal(String(value), ctx.settings));
    else if (setting.type === 'template') after.set(key, await templateIdByIdOrName(em, String(value)));
    else after.set(key, value);
  }
  return Object.fromEntries(after);
}

async function templateProblems(em: EntityManager, change: ConfigChange): Promise<FieldProblem[]> {
  const problems: FieldProblem[] = [];
  for (const [key, { setting, value }] of change) {
    if (setting.type !== 'template' || value === null) continue;
    if ((await templateIdByIdOrName(em, String(value))) !== undefined) continue;
    const detail = `values.${key} must be the id or name of a message template; there is no ${show(value)}`;
    problems.push({ pointer: pointer('values', key), code: 'INVALID_FIELD', detail });
  }
  return problems;
}

/** Secrets only as the fact that there is one. A secret that is set anew always counts as changed. */
function changesOf(
  groupId: string,
  change: ConfigChange,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, [before: unknown, after: unknown]> {
  const entries = [...change].flatMap(([key, { setting }]): [string, [unknown, unknown]][] => {
    const [was, is] = [before[key] ?? null, after[key] ?? null];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    const shown = (value: unknown) => (setting.type === 'secret' && value !== null ? '***' : value);
    return [[`${groupId}.${key}`, [shown(was), shown(is)]]];
  });
  return Object.fromEntries(entries);
}

function viewOf({ id, manifest, config }: PresentModule): ModuleConfigView {
  const settingView = (groupId: string, setting: Setting): SettingView => {
    const stored = config[groupId]?.[setting.key];
    const value = setting.type === 'secret' ? null : ((stored as SettingValue) ?? setting.default);
    // A secret's default stands in the module's code, and is nobody's secret but its author's.
    const fallback = setting.type === 'secret' ? null : setting.default;
    return { ...setting, default: fallback, value, set: stored !== undefined };
  };
  const groups = manifest.groups.map(({ settings, ...group }) => ({
    ...group,
    settings: settings.map((setting) => settingView(group.id, setting)),
  }));
  return { id, name: manifest.name, groups };
}
