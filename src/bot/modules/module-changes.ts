/** Told when what operators want of modules, commands or logging targets has changed; payload {@link ModuleChange}. */
export const MODULES_TOPIC = 'bot.modules';

/** What the process that runs the bot should read again: one module, or what all share. */
export interface ModuleChange {
  readonly module?: string;
}
