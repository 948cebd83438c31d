import type { MikroORM } from '@mikro-orm/postgresql';
import { commandSettings, findCommands } from '../../commands/command.repository.js';
import type { StandingCommand } from '../../commands/command.repository.js';
import { CORE_EVENTS, NO_TARGET, channelFor } from '../logging-target.rules.js';
import type { TargetSettings } from '../logging-target.rules.js';
import { loggingSettings } from '../logging-target.service.js';
import { CORE } from '../module-manifest.rules.js';
import type { ModuleEvent } from '../module-manifest.rules.js';
import { findModules } from '../module.repository.js';

/** What operators have set, as it was last read: what a call or an event needs to know at once. */
export class Standing {
  readonly #orm: MikroORM;
  #commands: readonly StandingCommand[] = [];
  #prefix = '!';
  #targets: ReadonlyMap<string, TargetSettings> = new Map();
  #events: ReadonlyMap<string, readonly ModuleEvent[]> = new Map();
  #counts = { loaded: 0, failed: 0 };

  constructor(orm: MikroORM) {
    this.#orm = orm;
  }

  get commands(): readonly StandingCommand[] {
    return this.#commands;
  }

  /** The global one. */
  get prefix(): string {
    return this.#prefix;
  }

  get moduleIds(): readonly string[] {
    return [...this.#events.keys()].filter((id) => id !== CORE);
  }

  get counts(): { readonly loaded: number; readonly failed: number } {
    return this.#counts;
  }

  /** Where an event of a module, or of the bot itself, is to be told; undefined: nowhere. */
  channelFor(teller: string, event: string): string | undefined {
    return channelFor(this.#events.get(teller) ?? [], this.#targets.get(teller) ?? NO_TARGET, event);
  }

  async load(): Promise<void> {
    const em = this.#orm.em.fork();
    const modules = await findModules(em);
    this.#commands = await findCommands(em);
    ({ prefix: this.#prefix } = await commandSettings(em));
    this.#targets = await loggingSettings(em);
    this.#events = new Map([
      [CORE, CORE_EVENTS],
      ...modules.map(({ id, manifest }) => [id, manifest.events] as const),
    ]);
    const failed = modules.filter(({ state }) => state === 'failed');
    // One whose code didn't load has no version to show.
    const loaded = modules.filter(({ manifest }) => manifest.version !== '');
    this.#counts = { loaded: loaded.length, failed: failed.length };
  }
}
