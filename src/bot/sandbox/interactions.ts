import { randomUUID } from 'node:crypto';
import type { Json } from './form.rules.js';
import { checkMessage } from './form.rules.js';
import { notFound, unknownInteraction } from './platform-error.js';
import type { SandboxGateway } from './sandbox-gateway.js';
import type { World, WorldMember, WorldMessage } from './world.js';

/** What a user did, and what came of it. */
export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly channelId: string;
  /** The first answer: its type (4 a message, 5 deferred, 6 acknowledged, 7 an update) and data; undefined so far. */
  callback: { readonly type: number; readonly data: Json } | undefined;
  /** The message that answers it, once there is one. */
  message: WorldMessage | undefined;
}

/** A slash command's option, as a client sends it: 3 text, 4 integer, 5 boolean, 6 user, 7 channel, 8 role, 10 number. */
export interface CommandOption {
  readonly name: string;
  readonly type: number;
  readonly value?: unknown;
  readonly options?: readonly CommandOption[];
}

const KEPT_MAX = 1000;

/** What users do with the bot: type messages, run slash commands, press buttons. And the bot's answers to it. */
export class Interactions {
  readonly #byToken = new Map<string, Interaction>();

  constructor(
    private readonly world: World,
    private readonly gateway: SandboxGateway,
  ) {}

  /** A member writes a message. Channels and members go by name or id. */
  say(member: string, channel: string, content: string): WorldMessage {
    const { user, ...rest } = this.world.memberPayload(this.world.member(member));
    const { id } = this.world.channel(channel);
    const message = this.world.addMessage(id, this.world.member(member).user, { content });
    this.gateway.dispatch('MESSAGE_CREATE', {
      ...message,
      ...{ guild_id: this.world.guild.id, author: user, member: rest },
    });
    return message;
  }

  /** A member runs a slash command. */
  slash(member: string, channel: string, name: string, options: readonly CommandOption[] = []): Interaction {
    const registered = [...this.world.commands.values()].flat().find((command) => command['name'] === name);
    const id = registered?.['id'] ?? this.world.snowflake();
    return this.#send(this.world.member(member), channel, 2, { id, name, type: 1, options });
  }

  /** A member presses a button of a message. */
  press(member: string, message: WorldMessage, customId: string): Interaction {
    const data = { component_type: 2, custom_id: customId };
    return this.#send(this.world.member(member), message.channel_id, 3, data, message);
  }

  /** `POST /interactions/:id/:token/callback` */
  callback(token: string, body: Json): WorldMessage | undefined {
    const interaction = this.#find(token);
    const data = (body['data'] ?? {}) as Json;
    const type = Number(body['type']);
    if (type === 4) {
      checkMessage(data);
      interaction.message = this.world.addMessage(interaction.channelId, this.world.bot, data);
    }
    interaction.callback = { type, data };
    return interaction.message;
  }

  /** `PATCH /webhooks/:application/:token/messages/@original` */
  edit(token: string, body: Json): WorldMessage {
    const interaction = this.#find(token);
    if (!interaction.callback) throw notFound();
    checkMessage(body);
    if (!interaction.message) {
      interaction.message = this.world.addMessage(interaction.channelId, this.world.bot, body);
    } else {
      Object.assign(interaction.message, body);
    }
    return interaction.message;
  }

  /** `POST /webhooks/:application/:token` */
  followUp(token: string, body: Json): WorldMessage {
    checkMessage(body);
    return this.world.addMessage(this.#find(token).channelId, this.world.bot, body);
  }

  original(token: string): WorldMessage {
    const { message } = this.#find(token);
    if (!message) throw notFound();
    return message;
  }

  #send(member: WorldMember, channel: string, type: number, data: Json, message?: WorldMessage): Interaction {
    const { id: channelId } = this.world.channel(channel);
    const interaction: Interaction = {
      ...{ id: this.world.snowflake(), token: randomUUID(), channelId },
      ...{ callback: undefined, message: undefined },
    };
    this.#byToken.set(interaction.token, interaction);
    if (this.#byToken.size > KEPT_MAX) this.#byToken.delete([...this.#byToken.keys()][0] ?? '');
    const permissions = String((1n << 50n) - 1n);
    this.gateway.dispatch('INTERACTION_CREATE', {
      ...{ id: interaction.id, token: interaction.token, type, data, version: 1 },
      ...{ application_id: this.world.application.id, guild_id: this.world.guild.id, channel_id: channelId },
      channel: this.world.channelPayload(this.world.channel(channelId)),
      member: { ...this.world.memberPayload(member), permissions },
      ...{ app_permissions: permissions, locale: 'en-US', guild_locale: 'en-US' },
      ...{ entitlements: [], authorizing_integration_owners: {}, context: 0 },
      ...(message ? { message } : {}),
    });
    return interaction;
  }

  #find(token: string): Interaction {
    const interaction = this.#byToken.get(token);
    if (!interaction) throw unknownInteraction();
    return interaction;
  }
}
