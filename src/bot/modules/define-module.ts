import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { Client, ClientEvents } from 'discord.js';
import type { CommandRules } from '../commands/command-access.rules.js';
import type { OptionType } from '../commands/command.rules.js';
import type { Invocation } from '../commands/invocation.js';
import type { OutgoingMessage } from '../messages/outgoing-message.js';
import type { PlaceholderValues } from '../messages/placeholders.rules.js';
import type { SettingType, SettingValue } from './setting.rules.js';

/**
 * Declares a module: what it is, and what it does when it is enabled. A folder in `BOT.MODULES_DIR` exports the same
 * object as its default; this function only gives it its type.
 */
export function defineModule(definition: ModuleDefinition): ModuleDefinition {
  return definition;
}

export interface ModuleDefinition {
  /** The name of its folder: small letters, digits and dashes, at most 32. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly author: string;
  readonly description?: string;
  /** Enabled until an operator says otherwise; false when absent. */
  readonly enabledByDefault?: boolean;
  /** What can be set, by group. */
  readonly config?: readonly ConfigGroupDefinition[];
  /** What it tells on logging targets. */
  readonly events?: readonly EventDefinition[];
  readonly commands?: readonly CommandDefinition[];
  /**
   * Called when it is enabled. What it registers through `ctx` is undone when it is disabled. Takes 10 s at most; when
   * it throws, the module stays disabled.
   */
  readonly setup?: (ctx: ModuleContext) => void | Promise<void>;
}

export interface ConfigGroupDefinition {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly settings: readonly SettingDefinition[];
}

/** See `Setting` for what each member means. */
export interface SettingDefinition {
  readonly key: string;
  readonly label: string;
  readonly type: SettingType;
  readonly description?: string;
  readonly default?: SettingValue;
  readonly required?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly options?: readonly { readonly value: string; readonly label?: string }[];
}

export interface EventDefinition {
  /** `member.joined` */
  readonly key: string;
  readonly label: string;
  readonly description?: string;
  /** Told until an operator says otherwise; true when absent. */
  readonly default?: boolean;
}

/** With `subcommands`, a command has no `run` of its own. */
export interface CommandDefinition {
  readonly name: string;
  readonly description: string;
  readonly options?: readonly CommandOptionDefinition[];
  readonly subcommands?: readonly SubcommandDefinition[];
  /** How it may be called until an operator says otherwise: each true when absent. */
  readonly slash?: boolean;
  readonly prefix?: boolean;
  readonly mention?: boolean;
  /** Who may call it, until an operator says otherwise. */
  readonly rules?: Partial<CommandRules>;
  readonly run?: CommandHandler;
}

export interface SubcommandDefinition {
  readonly name: string;
  readonly group?: string;
  readonly description: string;
  readonly options?: readonly CommandOptionDefinition[];
  readonly run: CommandHandler;
}

export interface CommandOptionDefinition {
  readonly name: string;
  readonly description: string;
  readonly type: OptionType;
  readonly required?: boolean;
  readonly choices?: readonly { readonly name: string; readonly value: string | number }[];
  readonly min?: number;
  readonly max?: number;
}

/** Answers a call. What it throws is reported, and the caller is told that it failed. */
export type CommandHandler = (call: Invocation, ctx: ModuleContext) => void | Promise<void>;

/** What a module sees of the bot while it is enabled. Everything is undone when it is disabled. */
export interface ModuleContext {
  readonly module: { readonly id: string; readonly name: string; readonly version: string };
  /** Aborted when the module is disabled. */
  readonly signal: AbortSignal;
  /** The console of the bot. */
  readonly log: ModuleLog;
  /** The connected client; undefined while the bot is not connected. */
  readonly client: Client<true> | undefined;
  /** A setting as it is now; secrets too. */
  setting(group: string, key: string): SettingValue;
  /** Called after an operator has changed settings. */
  onConfig(listener: () => void | Promise<void>): void;
  /** Listens to the client, also to the one after the next restart. */
  on<Event extends keyof ClientEvents>(
    event: Event,
    listener: (...args: ClientEvents[Event]) => void | Promise<void>,
  ): void;
  /** Called now, if the bot is connected, and each time that it gets connected. */
  onReady(listener: (client: Client<true>) => void | Promise<void>): void;
  /** Called every so many seconds; the next call waits for the last to end. */
  every(seconds: number, task: () => void | Promise<void>): void;
  /** Called when the module is disabled, the last one first; 10 s in all. */
  onDisable(undo: () => void | Promise<void>): void;
  /** Called for the server's events, e.g. `license.*`, as the activity log has them; `*` is all of them. */
  onEvent(pattern: string, listener: (entry: ActivityEvent) => void | Promise<void>): void;
  /** Tells one of its `events` on the logging target, if somebody wants it. Never waits, never throws. */
  tell(event: string, text: string): void;
  /** Sends a message to a channel, checked first. Throws what `POST /api/embeds/send` would answer. */
  send(channel: string, message: OutgoingMessage): Promise<{ readonly messageId: string }>;
  /** Puts values in place of `{user}`, `{server}`, `{channel}` and `{date}`, in every text of a message. */
  fill(message: OutgoingMessage, values: PlaceholderValues): OutgoingMessage;
  /** The server's time. */
  now(): Date;
  /** A saved message template as a message; undefined when there is none. By id. */
  template(id: string): Promise<OutgoingMessage | undefined>;
  /**
   * Runs an operation of the server's GraphQL schema, as `module:<id>` with the scopes to read and write licensing. It
   * selects one root field, whose value is the result. Throws with `code` and `message` when it is refused.
   */
  graphql<Result>(
    operation: string | GraphqlDocument<Result>,
    variables?: object,
  ): Promise<Result[keyof Result]>;
  /** What the caller may run now, for help. */
  commandsFor(call: Invocation): readonly CommandHint[];
}

/** A parsed operation with the type of its result. */
export type GraphqlDocument<Result> = TypedDocumentNode<Result, never>;

export interface ModuleLog {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** An entry of the activity log. */
export interface ActivityEvent {
  readonly id: string;
  readonly event: string;
  readonly actor: string;
  readonly resource: { readonly type: string; readonly id: string };
  readonly changes: Readonly<Record<string, readonly [before: unknown, after: unknown]>> | null;
  readonly createdAt: Date;
}

export interface CommandHint {
  readonly name: string;
  readonly description: string;
  /** How this caller would call it: `/name`, `!name`, `@bot name`. */
  readonly usage: string;
}
