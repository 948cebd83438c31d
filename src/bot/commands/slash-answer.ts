import type { ChatInputCommandInteraction } from 'discord.js';
import type { OutgoingMessage } from '../messages/outgoing-message.js';
import { platformMessage } from '../messages/platform-message.js';

/** The platform wants a first word within 3 s. */
const DEFER_MS = 1_500;
/** Seen by the caller alone. */
const EPHEMERAL = 'Ephemeral';

/** The answer to one slash call: at once, or after "is thinking …" when the command takes its time. */
export class SlashAnswer {
  readonly #interaction: ChatInputCommandInteraction;
  readonly #isEphemeral: boolean;
  readonly #timer: NodeJS.Timeout;
  #deferral: Promise<unknown> | undefined;
  #hasAnswered = false;

  /** `ephemeral`: what the command's rules say, which the platform wants to know before there is an answer. */
  constructor(interaction: ChatInputCommandInteraction, { ephemeral }: { readonly ephemeral: boolean }) {
    this.#interaction = interaction;
    this.#isEphemeral = ephemeral;
    this.#timer = setTimeout(() => {
      const deferral = interaction.deferReply(ephemeral ? { flags: EPHEMERAL } : {});
      // Whoever answers finds out; if nobody does, nobody needs to.
      deferral.catch(() => undefined);
      this.#deferral = deferral;
    }, DEFER_MS);
  }

  async send(message: OutgoingMessage, { ephemeral = this.#isEphemeral } = {}): Promise<void> {
    clearTimeout(this.#timer);
    const payload = platformMessage(message);
    const flags = ephemeral ? { flags: EPHEMERAL } : {};
    const isFirst = !this.#hasAnswered;
    this.#hasAnswered = true;
    if (!isFirst) await this.#interaction.followUp({ ...payload, ...flags } as never);
    else if (this.#deferral) await this.#afterDeferral(this.#deferral, payload);
    else await this.#interaction.reply({ ...payload, ...flags } as never);
  }

  /** The command is done. One that has said nothing is closed with a word, since the platform would call it failed. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    if (!this.#hasAnswered) await this.send({ content: 'Done.' }, { ephemeral: true });
  }

  async #afterDeferral(deferral: Promise<unknown>, payload: object): Promise<void> {
    await deferral;
    await this.#interaction.editReply(payload);
  }
}
