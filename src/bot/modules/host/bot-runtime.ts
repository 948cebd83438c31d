import type { Client, Interaction, Message } from 'discord.js';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../../platform/context.js';
import { DomainError } from '../../../platform/errors.js';
import type { PubSub } from '../../../platform/pubsub/pubsub.js';
import type { ClientChange } from '../../client/client-snapshot.js';
import type { Connection } from '../../client/connection.js';
import { CommandDispatcher } from '../../commands/command-dispatcher.js';
import type { Refusal } from '../../commands/command-access.rules.js';
import { registerChangedCommands, registerCommands } from '../../commands/command-sync.service.js';
import type { CommandsSynced } from '../../commands/command-sync.service.js';
import type { Invocation } from '../../commands/invocation.js';
import type { BotLog } from '../../logs/bot-log.js';
import { checkMessage, isSnowflake, messageBody } from '../../messages/outgoing-message.js';
import type { OutgoingMessage } from '../../messages/outgoing-message.js';
import type { CommandHint, GraphqlDocument, ModuleDefinition } from '../define-module.js';
import { noteDelivery } from '../logging-target.service.js';
import { LogDelivery } from '../logging/log-delivery.js';
import type { Pace } from '../logging/pace.rules.js';
import { CORE } from '../module-manifest.rules.js';
import { reasonOf } from './bounded.js';
import { ChangeListener } from './change-listener.js';
import { Standing } from './standing.js';
import { HOST_LIMITS, ModuleHost } from './module-host.js';
import type { HostLimits } from './module-host.js';

export interface BotRuntimeOptions {
  readonly orm: MikroORM;
  readonly pubsub: PubSub;
  /** In whose name the bot itself acts. */
  readonly ctx: ActionContext;
  readonly console: BotLog;
  /** Throws `BOT_NOT_RUNNING`. */
  readonly connection: () => Connection;
  /** Runs an operation of the server's schema in the name of a module. */
  readonly graphql: <Result>(
    module: string,
    operation: string | GraphqlDocument<Result>,
    variables: object,
  ) => Promise<Result[keyof Result]>;
  readonly shipped: readonly ModuleDefinition[];
  /** Told after each change: how many modules are there, and how many failed. */
  readonly onCounts: (counts: { readonly loaded: number; readonly failed: number }) => Promise<void>;
  readonly limits?: Partial<RuntimeLimits>;
}

export interface RuntimeLimits extends HostLimits {
  /** Of messages to one logging channel. */
  readonly pace: Pace | undefined;
}

const SEND_MS = 10_000;

/**
 * What the bot does, beside being connected: modules, commands and logging targets, in the process that runs it. Works
 * while the bot is stopped too, so that a module can be enabled then.
 */
export class BotRuntime {
  readonly #options: BotRuntimeOptions;
  readonly #standing: Standing;
  readonly #delivery: LogDelivery;
  readonly #dispatcher: CommandDispatcher;
  readonly #host: ModuleHost;
  readonly #changes: ChangeListener;
  /** One sync at a time, so that the last one is what the platform has. */
  #syncs: Promise<unknown> = Promise.resolve();

  constructor(options: BotRuntimeOptions) {
    this.#options = options;
    const { orm, pubsub, ctx, console, shipped, graphql } = options;
    const { pace, ...hostLimits } = { ...HOST_LIMITS, pace: undefined, ...options.limits };
    this.#standing = new Standing(orm);
    this.#delivery = new LogDelivery({
      send: (channel, text) => this.#send(channel, { content: text }),
      isAway: (error) => error instanceof DomainError && error.code === 'PLATFORM_UNAVAILABLE',
      onOutcome: (tellers, error) => void this.#noteOutcome(tellers, error),
      ...(pace && { pace }),
    });
    this.#dispatcher = new CommandDispatcher({
      clock: ctx.clock,
      owners: new Set(ctx.settings.bot.owners),
      commands: () => this.#standing.commands,
      prefix: () => this.#standing.prefix,
      run: (...args) => this.#host.run(...args),
      onUsed: (call) => {
        this.#tell(CORE, 'command.used', `${callText(call)} was used`);
      },
      onDenied: (call, refusal) => {
        this.#tell(CORE, 'command.denied', deniedText(call, refusal));
      },
      onFailed: (call, error) => {
        this.#onCommandFailed(call, error);
      },
    });
    this.#host = new ModuleHost({
      ...{
        orm,
        ctx,
        shipped,
        graphql,
        log: console,
        limits: hostLimits,
        directory: ctx.settings.bot.modulesDir,
      },
      tell: (...args) => {
        this.#tell(...args);
      },
      send: (channel, message) => this.#send(channel, message),
      commandsFor: (call) => this.#commandsFor(call),
    });
    this.#changes = new ChangeListener({
      ...{ pubsub, log: ctx.log },
      onChange: ({ module }) => this.#onChange(module),
    });
  }

  /** Loads the modules, and enables those that are wanted. */
  async open(): Promise<void> {
    // Before the state is read: what changes from now on is heard of.
    await this.#changes.open();
    await this.#standing.load();
    await this.#host.start();
    await this.#reload();
  }

  async close(): Promise<void> {
    await this.#changes.close();
    this.#delivery.shut();
    await this.#host.stop();
    await this.#syncs;
  }

  /** A new client, before it logs in. */
  onClient(client: Client): void {
    client.on('interactionCreate', (interaction: Interaction) => {
      if (interaction.isChatInputCommand())
        this.#contain('a slash command', this.#dispatcher.onSlash(interaction));
    });
    client.on('messageCreate', (message: Message) => {
      this.#contain('a message', this.#dispatcher.onMessage(message));
    });
  }

  /** The client's state has changed. */
  onState({ from, snapshot: { state, lastError } }: ClientChange): void {
    if (state === 'running') {
      this.#onRunning();
    } else if (state !== 'reconnecting') {
      this.#host.useClient(undefined);
      this.#delivery.shut();
    }
    if (from === 'starting' && state === 'running') this.#tell(CORE, 'bot.started', 'The bot has connected');
    if (state === 'stopped') this.#tell(CORE, 'bot.stopped', 'The bot was stopped');
    if (state === 'failed')
      this.#tell(CORE, 'bot.failed', `The bot has failed: ${lastError?.code ?? 'unknown'}`);
  }

  /** Makes a module what operators want, before it answers. */
  async applyModule(id: string): Promise<void> {
    await this.#host.apply(id);
    await this.#reload();
  }

  /** Gives the platform the slash commands as they are now. */
  sync(ctx: ActionContext): Promise<CommandsSynced> {
    const connection = this.#options.connection();
    return this.#syncInTurn(() => registerCommands(this.#options.orm.em.fork(), ctx, connection));
  }

  #onRunning(): void {
    let connection: Connection;
    try {
      connection = this.#options.connection();
    } catch {
      // It was stopped meanwhile, and that is told next.
      return;
    }
    this.#host.useClient(connection.client as Client<true>);
    this.#delivery.open();
    this.#contain('the sync of commands', this.#syncChanged(connection));
  }

  async #syncChanged(connection: Connection): Promise<void> {
    const { orm, ctx, console } = this.#options;
    const synced = await this.#syncInTurn(() => registerChangedCommands(orm.em.fork(), ctx, connection));
    if (synced) console.info(`${synced.registered} slash commands were registered (${synced.scope})`);
  }

  #syncInTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#syncs.then(work);
    this.#syncs = done.catch(() => undefined);
    return done;
  }

  /** Undefined: of all modules, or it isn't known what. */
  async #onChange(module: string | undefined): Promise<void> {
    for (const id of module === undefined ? this.#standing.moduleIds : [module]) await this.#host.refresh(id);
    await this.#reload();
  }

  async #reload(): Promise<void> {
    await this.#standing.load();
    await this.#options.onCounts(this.#standing.counts);
  }

  #tell(teller: string, event: string, text: string): void {
    const channel = this.#standing.channelFor(teller, event);
    if (channel === undefined) return;
    const seconds = Math.floor(this.#options.ctx.clock.now().getTime() / 1000);
    // The platform shows the time of what has happened, also when it was told later, in each reader's own zone.
    this.#delivery.tell(teller, channel, `<t:${seconds}:T> ${text}`);
  }

  async #send(channel: string, message: OutgoingMessage): Promise<{ readonly messageId: string }> {
    if (!isSnowflake(channel)) throw new Error('A message needs the id of a channel, 17–20 digits');
    checkMessage(message);
    const connection = this.#options.connection();
    try {
      const body = messageBody(message);
      const signal = AbortSignal.timeout(SEND_MS);
      const { id } = (await connection.rest.post(`/channels/${channel}/messages`, { body, signal })) as {
        id: string;
      };
      return { messageId: id };
    } catch (error) {
      throw connection.failureOf(error);
    }
  }

  async #noteOutcome(tellers: ReadonlySet<string>, error: unknown): Promise<void> {
    const { orm, ctx, console } = this.#options;
    const failed = error === undefined ? null : { message: reasonOf(error), at: ctx.clock.now() };
    if (failed) console.warn(`An event can't be posted to its logging target: ${failed.message}`);
    try {
      for (const teller of tellers) await noteDelivery(orm.em.fork(), teller, failed);
    } catch (problem) {
      ctx.log.debug({ err: problem }, 'the outcome of a logging target can not be stored');
    }
  }

  #onCommandFailed(call: Invocation, error: unknown): void {
    const text = `${callText(call)} failed: ${reasonOf(error)}`;
    this.#options.console.error(text);
    this.#tell(CORE, 'command.error', text);
  }

  #commandsFor({ attempt }: Invocation): CommandHint[] {
    const bot = this.#options.connection().client.user?.username ?? 'bot';
    return this.#dispatcher.allowed(attempt).map(({ name, description, slash, prefix, customPrefix }) => {
      const sign = slash ? '/' : prefix ? customPrefix || this.#standing.prefix : `@${bot} `;
      return { name, description, usage: sign + name };
    });
  }

  /** Whatever goes wrong beside the code of modules must not end the process. */
  #contain(what: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      this.#options.console.error(`Something went wrong with ${what}: ${reasonOf(error)}`);
    });
  }
}

function callText({ trigger, command, user, channelId }: Invocation): string {
  return `${trigger === 'slash' ? '/' : ''}${command} by ${user.tag} in <#${channelId}>`;
}

function deniedText(call: Invocation, { code }: Refusal): string {
  return `${callText(call)} was refused: ${code}`;
}
