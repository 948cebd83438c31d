import type { Client, ClientEvents } from 'discord.js';
import type { OutgoingMessage } from '../../messages/outgoing-message.js';
import { fillPlaceholders } from '../../messages/placeholders.rules.js';
import type { PlaceholderValues } from '../../messages/placeholders.rules.js';
import type { Invocation } from '../../commands/invocation.js';
import type {
  ActivityEvent,
  CommandHint,
  GraphqlDocument,
  ModuleContext,
  ModuleLog,
} from '../define-module.js';
import type { ModuleManifest } from '../module-manifest.rules.js';
import type { SettingValue } from '../setting.rules.js';
import { bounded } from './bounded.js';
import type { ClientListeners } from './client-listeners.js';

export type ModuleConfig = Readonly<Record<string, Readonly<Record<string, SettingValue>>>>;

/** What the host does for a module. */
export interface ModuleServices {
  readonly listeners: ClientListeners;
  readonly log: ModuleLog;
  /** How long a hook of a module may take. */
  readonly hookMs: number;
  now(): Date;
  /** Something of the module failed: told to operators. */
  report(what: string, error: unknown): void;
  onReady(listener: (client: Client<true>) => void): () => void;
  onEvent(pattern: string, listener: (entry: ActivityEvent) => Promise<void>): () => void;
  tell(event: string, text: string): void;
  send(channel: string, message: OutgoingMessage): Promise<{ readonly messageId: string }>;
  template(id: string): Promise<OutgoingMessage | undefined>;
  graphql<Result>(
    operation: string | GraphqlDocument<Result>,
    variables: object,
  ): Promise<Result[keyof Result]>;
  commandsFor(call: Invocation): readonly CommandHint[];
}

type Hook<Args extends unknown[]> = (...args: Args) => void | Promise<void>;

/**
 * What an enabled module holds: everything that it has registered, to be undone at once. Each hook is contained: what it
 * throws, rejects with, or takes too long for is reported, and nobody else notices.
 */
export class ModuleScope implements ModuleContext {
  readonly module: ModuleContext['module'];
  readonly #services: ModuleServices;
  readonly #ending = new AbortController();
  readonly #undo: (() => void)[] = [];
  readonly #onDisable: Hook<[]>[] = [];
  readonly #onConfig: Hook<[]>[] = [];
  #config: ModuleConfig;

  constructor(manifest: ModuleManifest, config: ModuleConfig, services: ModuleServices) {
    const { id, name, version } = manifest;
    this.module = { id, name, version };
    this.#config = config;
    this.#services = services;
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  get log(): ModuleLog {
    return this.#services.log;
  }

  get client(): Client<true> | undefined {
    return this.#services.listeners.client;
  }

  setting(group: string, key: string): SettingValue {
    const value = this.#config[group]?.[key];
    if (value === undefined) throw new Error(`The module declares no setting ${group}.${key}`);
    return value;
  }

  /** The settings have changed. */
  configure(config: ModuleConfig): void {
    if (JSON.stringify(config) === JSON.stringify(this.#config)) return;
    this.#config = config;
    for (const listener of this.#onConfig) void this.#hook('onConfig', listener);
  }

  onConfig(listener: Hook<[]>): void {
    this.#assertEnabled();
    this.#onConfig.push(listener);
  }

  on<Event extends keyof ClientEvents>(event: Event, listener: Hook<ClientEvents[Event]>): void {
    this.#assertEnabled();
    const contained = (...args: ClientEvents[Event]) =>
      void this.#hook(`the listener for ${event}`, () => listener(...args));
    this.#undo.push(this.#services.listeners.add(event, contained));
  }

  onReady(listener: Hook<[Client<true>]>): void {
    this.#assertEnabled();
    const contained = (client: Client<true>) => void this.#hook('onReady', () => listener(client));
    this.#undo.push(this.#services.onReady(contained));
  }

  every(seconds: number, task: Hook<[]>): void {
    this.#assertEnabled();
    if (!(seconds >= 1)) throw new Error(`ctx.every wants at least 1 second; got ${seconds}`);
    let isRunning = false;
    const timer = setInterval(() => {
      if (isRunning) return;
      isRunning = true;
      void this.#contain('a timer', task).then(() => {
        isRunning = false;
      });
    }, seconds * 1000);
    this.#undo.push(() => {
      clearInterval(timer);
    });
  }

  onDisable(undo: Hook<[]>): void {
    this.#assertEnabled();
    this.#onDisable.push(undo);
  }

  onEvent(pattern: string, listener: Hook<[ActivityEvent]>): void {
    this.#assertEnabled();
    const contained = (entry: ActivityEvent) =>
      this.#hook(`the listener for ${pattern}`, () => listener(entry));
    this.#undo.push(this.#services.onEvent(pattern, contained));
  }

  tell(event: string, text: string): void {
    if (!this.signal.aborted) this.#services.tell(event, text);
  }

  send(channel: string, message: OutgoingMessage): Promise<{ readonly messageId: string }> {
    this.#assertEnabled();
    return this.#services.send(channel, message);
  }

  fill(message: OutgoingMessage, values: PlaceholderValues): OutgoingMessage {
    return fillPlaceholders(message, values);
  }

  now(): Date {
    return this.#services.now();
  }

  template(id: string): Promise<OutgoingMessage | undefined> {
    return this.#services.template(id);
  }

  async graphql<Result>(
    operation: string | GraphqlDocument<Result>,
    variables: object = {},
  ): Promise<Result[keyof Result]> {
    this.#assertEnabled();
    return this.#services.graphql(operation, variables);
  }

  commandsFor(call: Invocation): readonly CommandHint[] {
    return this.#services.commandsFor(call);
  }

  /** Undoes all of it. Never throws: what a module's own hooks do wrong is reported. */
  async end(): Promise<void> {
    this.#ending.abort();
    for (const undo of this.#undo.splice(0).reverse()) undo();
    this.#onConfig.length = 0;
    const hooks = this.#onDisable.splice(0).reverse();
    await this.#hook('onDisable', async () => {
      for (const hook of hooks) await this.#hook('onDisable', hook);
    });
  }

  #hook(what: string, work: Hook<[]>): Promise<void> {
    return this.#contain(what, () => bounded(this.#services.hookMs, work));
  }

  async #contain(what: string, work: Hook<[]>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#services.report(what, error);
    }
  }

  /** A hook that goes on after the module was disabled must not register what nobody would undo. */
  #assertEnabled(): void {
    if (this.signal.aborted) throw new Error(`The module ${this.module.id} was disabled`);
  }
}
