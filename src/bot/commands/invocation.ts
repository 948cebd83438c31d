import type { OutgoingMessage } from '../messages/outgoing-message.js';
import type { Attempt, Trigger } from './command-access.rules.js';
import type { OptionValue } from './command.rules.js';

/** A call of a command, as the module that answers it sees it. */
export interface Invocation {
  readonly trigger: Trigger;
  /** `licenses`, or with its subcommand, `welcome preview`. */
  readonly command: string;
  /** The caller. */
  readonly user: { readonly id: string; readonly tag: string; readonly name: string };
  /** Null in a direct message. */
  readonly guildId: string | null;
  readonly channelId: string;
  /** By name; an option that wasn't given is not there. */
  readonly options: Readonly<Record<string, OptionValue>>;
  /** Who calls and from where, as the rules see it. */
  readonly attempt: Attempt;
  /** Answers, the first time and again. `ephemeral`: to the caller alone. */
  reply(message: OutgoingMessage | string, options?: { readonly ephemeral?: boolean }): Promise<void>;
}
