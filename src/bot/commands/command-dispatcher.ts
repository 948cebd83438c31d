import type { ChatInputCommandInteraction, Message } from 'discord.js';
import type { Clock } from '../../platform/clock.js';
import type { OutgoingMessage } from '../messages/outgoing-message.js';
import { judgeCommand } from './command-access.rules.js';
import type { Attempt, CommandStanding, Refusal, Trigger } from './command-access.rules.js';
import type { StandingCommand } from './command.repository.js';
import { subcommandPath } from './command.rules.js';
import type { EffectiveSubcommand, OptionValue } from './command.rules.js';
import { readCall, readOptions, readSubcommand, usageOf } from './command-text.rules.js';
import { Cooldowns } from './cooldowns.js';
import { attemptOfInteraction, attemptOfMessage, callerOf } from './caller.js';
import type { CallerName } from './caller.js';
import type { Invocation } from './invocation.js';
import { SlashAnswer } from './slash-answer.js';
import { answerText } from './text-answer.js';

/** The commands as they stand now, and what becomes of calls. */
export interface DispatcherOptions {
  readonly clock: Clock;
  readonly owners: ReadonlySet<string>;
  readonly commands: () => readonly StandingCommand[];
  readonly prefix: () => string;
  /** Runs the command's code. Rejects with why it failed. */
  readonly run: (command: StandingCommand, subcommand: string | null, call: Invocation) => Promise<void>;
  readonly onUsed: (call: Invocation) => void;
  readonly onDenied: (call: Invocation, refusal: Refusal) => void;
  readonly onFailed: (call: Invocation, error: unknown) => void;
}

interface Call {
  readonly command: StandingCommand;
  readonly subcommand: EffectiveSubcommand | undefined;
  readonly caller: CallerName;
  readonly attempt: Attempt;
  readonly options: Readonly<Record<string, OptionValue>>;
  readonly send: (message: OutgoingMessage, options: { readonly ephemeral: boolean }) => Promise<void>;
}

const FAILED = 'That went wrong. The operators of this bot have been told.';

/** From a message or a slash call to a command's code and back. Nothing that it does may throw. */
export class CommandDispatcher {
  readonly #options: DispatcherOptions;
  readonly #cooldowns = new Cooldowns();

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** The commands that somebody may call in this way now, leaving cooldowns as they are. */
  allowed(attempt: Attempt): StandingCommand[] {
    return this.#options.commands().filter((command) => {
      const standing = standingOf(command, undefined);
      const triggers: readonly Trigger[] = ['slash', 'prefix', 'mention'];
      return triggers.some((trigger) => !judgeCommand(standing, { ...attempt, trigger }, () => 0));
    });
  }

  async onSlash(interaction: ChatInputCommandInteraction): Promise<void> {
    const command = this.#options.commands().find(({ name }) => name === interaction.commandName);
    const ephemeral = command?.rules.ephemeral ?? true;
    const answer = new SlashAnswer(interaction, { ephemeral });
    if (!command) {
      const message = 'This command is no longer there. The operators of this bot should sync its commands.';
      await answer.send({ content: message }, { ephemeral: true });
      return;
    }
    const called = [interaction.options.getSubcommandGroup(false), interaction.options.getSubcommand(false)];
    const path = called.filter((part) => part !== null).join(' ');
    const subcommand = command.subcommands.find((each) => subcommandPath(each) === path);
    const declared = subcommand?.options ?? command.options;
    const given = declared.flatMap(({ name }) => {
      const value = interaction.options.get(name)?.value;
      return value === undefined ? [] : [[name, value] as const];
    });
    await this.#answer({
      ...{ command, subcommand, caller: callerOf(interaction.user) },
      attempt: attemptOfInteraction(interaction, this.#options.owners),
      options: Object.fromEntries(given),
      send: (message, options) => answer.send(message, options),
    });
    await answer.end().catch(() => undefined);
  }

  async onMessage(message: Message): Promise<void> {
    // Two bots that answer each other would never end.
    if (message.author.bot || message.webhookId !== null || message.system) return;
    const { commands, prefix, owners } = this.#options;
    const call = readCall(message.content, commands(), { botId: message.client.user.id, prefix: prefix() });
    if (!call) return;
    const { command, trigger } = call;
    const attempt = attemptOfMessage(message, trigger, owners);
    const send: Call['send'] = (answer, options) => answerText(message, answer, options);
    const sign =
      trigger === 'mention' ? `@${message.client.user.username} ` : command.customPrefix || prefix();
    const found = readSubcommand(command.subcommands, call.text);
    if (command.subcommands.length > 0 && !found) {
      // Who may not call it needn't know how.
      if (this.#refusalOf(standingOf(command, undefined), attempt)) return;
      const usages = command.subcommands.map((each) =>
        usageOf(sign, `${command.name} ${subcommandPath(each)}`, each.options),
      );
      await send(
        { content: `Use one of:\n${usages.map((usage) => `\`${usage}\``).join('\n')}` },
        { ephemeral: false },
      );
      return;
    }
    const declared = found?.subcommand.options ?? command.options;
    const read = readOptions(declared, found?.text ?? call.text);
    const base = { command, subcommand: found?.subcommand, caller: callerOf(message.author), attempt, send };
    if ('values' in read) {
      await this.#answer({ ...base, options: read.values });
      return;
    }
    if (this.#refusalOf(standingOf(command, found?.subcommand), attempt)) return;
    const path = found ? `${command.name} ${subcommandPath(found.subcommand)}` : command.name;
    await send(
      { content: `${read.problem}\nUsage: \`${usageOf(sign, path, declared)}\`` },
      { ephemeral: false },
    );
  }

  async #answer({ command, subcommand, caller, attempt, options, send }: Call): Promise<void> {
    const path = subcommand ? subcommandPath(subcommand) : null;
    const { ephemeral: isEphemeral } = command.rules;
    const call: Invocation = {
      ...{ trigger: attempt.trigger, options, attempt, user: caller },
      command: path === null ? command.name : `${command.name} ${path}`,
      channelId: attempt.channelIds[0] ?? '',
      guildId: attempt.guildId,
      reply: (message, { ephemeral = isEphemeral } = {}) =>
        send(typeof message === 'string' ? { content: message } : message, { ephemeral }),
    };
    const standing = standingOf(command, subcommand);
    const refusal = judgeCommand(standing, attempt, () =>
      this.#cooldowns.take(
        {
          command: command.name,
          userId: attempt.userId,
          channelId: call.channelId,
          guildId: call.guildId,
        },
        standing.rules.cooldown,
        this.#options.clock.now().getTime(),
      ),
    );
    try {
      if (refusal) {
        this.#options.onDenied(call, refusal);
        await call.reply(refusal.message, { ephemeral: attempt.trigger === 'slash' });
        return;
      }
      this.#options.onUsed(call);
      await this.#options.run(command, path, call);
    } catch (error) {
      this.#options.onFailed(call, error);
      // If even that can't be said, there is nobody left to tell.
      await call.reply(FAILED, { ephemeral: attempt.trigger === 'slash' }).catch(() => undefined);
    }
  }

  #refusalOf(standing: CommandStanding, attempt: Attempt): Refusal | undefined {
    return judgeCommand(standing, attempt, () => 0);
  }
}

function standingOf(command: StandingCommand, subcommand: EffectiveSubcommand | undefined): CommandStanding {
  return { ...command, enabled: command.enabled && (subcommand?.enabled ?? true) };
}
