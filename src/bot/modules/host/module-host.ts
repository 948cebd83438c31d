import type { Client } from 'discord.js';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../../platform/context.js';
import type { Invocation } from '../../commands/invocation.js';
import type { StandingCommand } from '../../commands/command.repository.js';
import { subcommandPath } from '../../commands/command.rules.js';
import type { BotLog } from '../../logs/bot-log.js';
import type { OutgoingMessage } from '../../messages/outgoing-message.js';
import { findTemplate } from '../../messages/message-template.service.js';
import type { CommandHandler, CommandHint, ModuleDefinition } from '../define-module.js';
import type { GraphqlDocument } from '../define-module.js';
import { missingSetting } from '../module-config.rules.js';
import { effectiveConfig } from '../module-config.service.js';
import { CORE } from '../module-manifest.rules.js';
import { recordModuleFailure } from '../module.service.js';
import { findModule, findModules, storeFoundModules, storeModuleState } from '../module.repository.js';
import type { PresentModule } from '../module.repository.js';
import { ActivityFeed } from './activity-feed.js';
import { bounded, reasonOf } from './bounded.js';
import { ClientListeners } from './client-listeners.js';
import { loadModules, shippedModules } from './load-modules.js';
import type { LoadedModule } from './load-modules.js';
import { ModuleScope } from './module-scope.js';

export interface ModuleHostOptions {
  readonly orm: MikroORM;
  /** In whose name the bot itself acts. */
  readonly ctx: ActionContext;
  readonly log: BotLog;
  readonly shipped: readonly ModuleDefinition[];
  /** `BOT.MODULES_DIR` */
  readonly directory: string | undefined;
  readonly limits: HostLimits;
  readonly tell: (teller: string, event: string, text: string) => void;
  readonly send: (channel: string, message: OutgoingMessage) => Promise<{ readonly messageId: string }>;
  /** Runs an operation of the server's schema in the name of a module. */
  readonly graphql: <Result>(
    module: string,
    operation: string | GraphqlDocument<Result>,
    variables: object,
  ) => Promise<Result[keyof Result]>;
  readonly commandsFor: (call: Invocation) => readonly CommandHint[];
}

export interface HostLimits {
  /** How long a hook of a module may take. */
  readonly hookMs: number;
  /** How long a command may take. */
  readonly commandMs: number;
  /** How often modules that listen to events hear of new ones. */
  readonly pollMs: number;
}

export const HOST_LIMITS: HostLimits = { hookMs: 10_000, commandMs: 60_000, pollMs: 2_000 };

/**
 * The modules of the process that runs the bot: loads their code once, and keeps those enabled that operators want.
 *
 *   disabled ──apply: wanted──► setup ──done──► enabled
 *                                 └──throws, or takes too long──► failed; what it had registered is undone
 *   enabled  ──apply: not wanted──► disabled, whatever its own hooks do
 *   enabled  ──refresh──► its settings are those of now
 */
export class ModuleHost {
  readonly #options: ModuleHostOptions;
  readonly #listeners = new ClientListeners();
  readonly #onReady = new Set<(client: Client<true>) => void>();
  readonly #feed: ActivityFeed;
  readonly #loaded = new Map<string, LoadedModule>();
  readonly #enabled = new Map<string, ModuleScope>();
  /** One change of a module at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ModuleHostOptions) {
    this.#options = options;
    const { orm, limits, ctx } = options;
    this.#feed = new ActivityFeed({ orm, log: ctx.log, pollMs: limits.pollMs });
  }

  /** Loads all code, and enables what is wanted. One that fails doesn't keep the others from it. */
  async start(): Promise<void> {
    const { orm, ctx } = this.#options;
    const found = await this.#load();
    for (const module of found) {
      this.#loaded.set(module.manifest.id, module);
      if (module.error !== null) this.#report(module.manifest.id, 'load', module.error);
    }
    await orm.em.fork().transactional((em) => storeFoundModules(em, found, ctx.clock.now()));
    for (const module of await findModules(orm.em.fork())) {
      if (module.enabled) await this.#inTurn(() => this.#apply(module.id, { giveUp: false }));
    }
  }

  /** Disables all of them; what operators want stays as it is. */
  async stop(): Promise<void> {
    await this.#inTurn(async () => {
      // Together, since whoever takes over is waiting.
      await Promise.all([...this.#enabled.values()].map((scope) => scope.end()));
      this.#enabled.clear();
    });
    await this.#feed.close();
    this.#listeners.use(undefined);
  }

  /** The client that is connected now, or that none is. */
  useClient(client: Client<true> | undefined): void {
    const isNew = client !== undefined && client !== this.#listeners.client;
    this.#listeners.use(client);
    if (isNew) for (const listener of this.#onReady) listener(client);
  }

  /** Makes one module what operators want. One that they have just asked for and that fails is given up. */
  apply(id: string): Promise<void> {
    return this.#inTurn(() => this.#apply(id, { giveUp: true }));
  }

  /** Gives an enabled module its settings as they are now. */
  refresh(id: string): Promise<void> {
    return this.#inTurn(async () => {
      const module = await findModule(this.#options.orm.em.fork(), id);
      this.#enabled.get(id)?.configure(this.#configOf(module));
    });
  }

  /** Runs a command of an enabled module. Rejects with why it failed. */
  async run({ module, name }: StandingCommand, subcommand: string | null, call: Invocation): Promise<void> {
    const scope = this.#enabled.get(module);
    const command = this.#loaded.get(module)?.definition?.commands?.find((each) => each.name === name);
    const handler: CommandHandler | undefined =
      subcommand === null
        ? command?.run
        : command?.subcommands?.find((each) => subcommandPath({ group: null, ...each }) === subcommand)?.run;
    if (!scope || !handler) throw new Error(`The module ${module} is not enabled here`);
    await bounded(this.#options.limits.commandMs, () => handler(call, scope));
  }

  async #load(): Promise<LoadedModule[]> {
    const { shipped, directory, log, limits } = this.#options;
    const ours = shippedModules(shipped);
    if (directory === undefined) return ours;
    try {
      return [...ours, ...(await loadModules(directory, ours, limits.hookMs))];
    } catch (error) {
      log.error(`BOT.MODULES_DIR can't be read: ${reasonOf(error)}`);
      return ours;
    }
  }

  async #apply(id: string, { giveUp }: { readonly giveUp: boolean }): Promise<void> {
    const { orm, ctx } = this.#options;
    const module = await findModule(orm.em.fork(), id);
    const scope = this.#enabled.get(id);
    const definition = this.#loaded.get(id)?.definition;
    if (scope && !module.enabled) {
      this.#enabled.delete(id);
      await scope.end();
      await storeModuleState(orm.em.fork(), id, 'disabled');
    } else if (!scope && module.enabled) {
      const error = definition
        ? await this.#enable(module, definition)
        : (this.#loaded.get(id)?.error ?? 'Its code is not here');
      if (error === null) await storeModuleState(orm.em.fork(), id, 'enabled');
      else await orm.em.fork().transactional((em) => recordModuleFailure(em, ctx, id, { error, giveUp }));
    }
  }

  /** Null, or why it failed: then all that it had registered is undone. */
  async #enable(module: PresentModule, definition: ModuleDefinition): Promise<string | null> {
    const { id, manifest, config } = module;
    const missing = missingSetting(manifest.groups, (group, key) => key in (config[group] ?? {}));
    if (missing !== undefined) return `it needs the setting ${missing}`;
    let scope: ModuleScope | undefined;
    try {
      // In here, since a secret that was sealed with another SECRET_KEY can't be had.
      const begun = (scope = new ModuleScope(manifest, this.#configOf(module), this.#servicesOf(id)));
      await bounded(this.#options.limits.hookMs, () => definition.setup?.(begun));
      this.#enabled.set(id, begun);
      this.#options.log.info(`The module ${id} is enabled`);
      return null;
    } catch (error) {
      await scope?.end();
      this.#report(id, 'setup', error);
      return reasonOf(error);
    }
  }

  #servicesOf(id: string) {
    const { ctx, log, limits, tell, send, graphql, commandsFor, orm } = this.#options;
    return {
      listeners: this.#listeners,
      hookMs: limits.hookMs,
      now: () => ctx.clock.now(),
      log: prefixed(log, `[${id}] `),
      report: (what: string, error: unknown) => {
        this.#report(id, what, error);
      },
      onReady: (listener: (client: Client<true>) => void) => {
        this.#onReady.add(listener);
        if (this.#listeners.client) listener(this.#listeners.client);
        return () => {
          this.#onReady.delete(listener);
        };
      },
      onEvent: (...args: Parameters<ActivityFeed['subscribe']>) => this.#feed.subscribe(...args),
      tell: (event: string, text: string) => {
        tell(id, event, text);
      },
      ...{ send, commandsFor },
      template: (templateId: string) => findTemplate(orm.em.fork(), templateId),
      graphql: <Result>(operation: string | GraphqlDocument<Result>, variables: object) =>
        graphql(id, operation, variables),
    };
  }

  #configOf({ manifest, config }: PresentModule) {
    return effectiveConfig(manifest.groups, config, this.#options.ctx.settings);
  }

  /** What failed is told on the console and to whoever listens to the bot's own events. */
  #report(id: string, what: string, error: unknown): void {
    const text = `The module ${id} failed (${what}): ${reasonOf(error)}`;
    this.#options.log.error(text);
    this.#options.tell(CORE, 'module.error', text);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

function prefixed(log: BotLog, prefix: string): BotLog {
  const level = (name: keyof BotLog) => (message: string) => {
    log[name](prefix + message);
  };
  return { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') };
}
