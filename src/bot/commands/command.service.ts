import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { InvalidField, invalidFields, pointer, show } from '../../platform/errors.js';
import type { FieldProblem } from '../../platform/errors.js';
import { diff } from '../../platform/events/emit.js';
import { publish } from '../../platform/pubsub/publish.js';
import { emit } from '../events.js';
import { MODULES_TOPIC } from '../modules/module-changes.js';
import { changedOverride, prefixProblem } from './command-change.rules.js';
import type { CommandChange } from './command-change.rules.js';
import { isSyncRequired } from './command-sync.service.js';
import type { EffectiveCommand } from './command.rules.js';
import {
  commandSettings,
  commandSettingsForUpdate,
  declaredCommands,
  findCommands,
  overrideOf,
  overrideRow,
} from './command.repository.js';

export interface CommandsView {
  /** The global one. */
  readonly prefix: string;
  readonly commands: readonly EffectiveCommand[];
}

export interface CommandsWritten extends CommandsView {
  /** The platform doesn't have the slash commands as they are now. */
  readonly syncRequired: boolean;
}

export interface CommandsWrite {
  readonly prefix?: string | null | undefined;
  readonly commands?: readonly CommandChange[] | null | undefined;
}

export async function listCommands(em: EntityManager): Promise<CommandsView> {
  const { prefix } = await commandSettings(em);
  const commands = await findCommands(em);
  return { prefix, commands: commands.map(({ moduleEnabled: _, ...command }) => command) };
}

/** Sets what is given, all or nothing. Throws 422 with everything that is wrong. */
export async function writeCommands(
  em: EntityManager,
  ctx: ActionContext,
  { prefix, commands }: CommandsWrite,
): Promise<CommandsWritten> {
  const settings = await commandSettingsForUpdate(em);
  const before = { prefix: settings.prefix, ...byName(await findCommands(em)) };
  if (prefix != null) {
    const wrong = prefixProblem(prefix);
    if (wrong !== undefined) throw new InvalidField('prefix', wrong);
    settings.prefix = prefix;
  }
  const problems = await applyChanges(em, ctx, commands ?? []);
  const [first, ...others] = problems;
  if (first) throw invalidFields([first, ...others]);
  await em.flush();
  const written = await listCommands(em);
  const changes = diff(before, { prefix: written.prefix, ...byName(written.commands) });
  if (Object.keys(changes).length > 0) {
    await emit(em, ctx, 'bot.commands.updated', {
      ...{ resource: { type: 'bot_commands', id: 'commands' }, changes },
      data: { ...written },
    });
    await publish(em, [MODULES_TOPIC], {});
  }
  return { ...written, syncRequired: await isSyncRequired(em, ctx) };
}

async function applyChanges(
  em: EntityManager,
  ctx: ActionContext,
  changes: readonly CommandChange[],
): Promise<FieldProblem[]> {
  const declared = await declaredCommands(em);
  const problems: FieldProblem[] = [];
  for (const [index, change] of changes.entries()) {
    const command = declared.get(change.name);
    if (!command) {
      const allowed = [...declared.keys()].sort().join(', ') || 'none';
      const detail = `commands.${index}.name must be one of ${allowed}; got ${show(change.name)}`;
      problems.push({ pointer: pointer('commands', index, 'name'), code: 'INVALID_FIELD', detail });
      continue;
    }
    const row = await overrideRow(em, change.name, ctx.clock.now());
    const at = ['commands', index];
    const { override, problems: wrong } = changedOverride(command.manifest, overrideOf(row), change, at);
    problems.push(...wrong);
    Object.assign(row, { ...override, updatedAt: ctx.clock.now() });
  }
  return problems;
}

/** What can be set of each command, for the activity log. */
function byName(commands: readonly EffectiveCommand[]): Record<string, unknown> {
  return Object.fromEntries(
    commands.map(({ name, enabled, slash, prefix, mention, customPrefix, subcommands, rules }) => {
      const off = subcommands.filter((each) => !each.enabled).map((each) => each.name);
      return [`/${name}`, { enabled, slash, prefix, mention, customPrefix, disabledSubcommands: off, rules }];
    }),
  );
}
