import type { Command } from 'commander';
import { answer } from './answer.js';
import { ask } from './ask.js';
import { CliBotModulesDocument, CliToggleBotModuleDocument } from './bot.generated.js';
import { table } from './table.js';

const NOTHING = '–';

/** `bot modules [list] | enable | disable`. */
export function addBotModulesCommands(bot: Command): void {
  const modules = bot.command('modules').description("The bot's modules: look, enable, disable");
  modules
    .command('list', { isDefault: true })
    .description('Every module that is there, and what is wrong with those that failed')
    .action(list);
  for (const [name, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    modules
      .command(name)
      .description(
        enabled ? 'Enable a module, now and from now on' : 'Disable a module, and undo what it does',
      )
      .argument('<id>', 'as list shows it')
      .action((id: string, _options: unknown, command: Command) => toggle(command, { id, enabled }));
  }
}

async function list(_options: unknown, command: Command): Promise<void> {
  const { modules } = (await ask(command, CliBotModulesDocument, {})).bot;
  const rows = modules.map(({ id, name, version, state, error }) => [
    id,
    name,
    version,
    state,
    error ?? NOTHING,
  ]);
  answer(command, { json: modules, text: table(['ID', 'NAME', 'VERSION', 'STATE', 'ERROR'], rows) });
}

async function toggle(
  command: Command,
  wanted: { readonly id: string; readonly enabled: boolean },
): Promise<void> {
  const { module } = await ask(command, CliToggleBotModuleDocument, wanted);
  const { id, enabled, changed, applied } = module;
  const state = enabled ? 'enabled' : 'disabled';
  const done = `The module ${id} ${changed ? 'is' : 'was'} ${state}${changed ? '' : ' already'}.`;
  const later = applied ? '' : ' No process runs the bot now: the next one that does goes by it.';
  answer(command, { json: module, text: done + later });
}
