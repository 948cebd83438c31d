import { randomUUID } from 'node:crypto';
import type { Json } from './form.rules.js';
import { checkMessage } from './form.rules.js';
import { notFound, unknownInteraction } from './platform-error.js';
import { resolvedOf } from './resolved-options.js';
import type { CommandOption } from './resolved-options.js';
import type { SandboxGateway } from './sandbox-gateway.js';
import type { World, WorldChannel, WorldMember, WorldMessage } from './world.js';

/** What a user did, and what came of it. */
export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly channelId: string;
  readonly member: WorldMember;
  readonly at: Date;
  /** `/ping`, or `the button like`. */
  readonly name: string;
  /** The first answer: its type (4 a message, 5 deferred, 6 acknowledged, 7 an update) and data; undefined so far. */
  callback: { readonly type: number; readonly data: Json } | undefined;
  /** The message that answers it, once there is one. For a button's update, the message with the button. */
  message: WorldMessage | undefined;
  /** The message whose button was pressed. */
  readonly pressed: WorldMessage | undefined;
}

const KEPT_MAX = 1000;
const EPHEMERAL = 64;
/** Types of interactions. */
const COMMAND = 2;
const COMPONENT = 3;

/** What users do with the bot: type messages, run slash commands, press buttons. And the bot's answers to it. */
export class Interactions {
  readonly #byToken = new Map<string, Interaction>();

  constructor(
    private readonly world: World,
    private readonly gateway: SandboxGateway,
  ) {}

  /** All that are kept, oldest first. */
  get all(): readonly Interaction[] {
    return [...this.#byToken.values()];
  }

  /** A member writes a message. Channels and members go by name or id. */
  say(member: string, channel: string, content: string): WorldMessage {
    const { user, ...rest } = this.world.memberPayload(this.world.member(member));
    const place = this.world.channel(channel);
    const message = this.world.addMessage(place.id, this.world.member(member).user, { content });
    this.gateway.dispatch('MESSAGE_CREATE', {
      ...{ ...message, author: user, channel_type: place.type },
      ...this.world.guildOf(place),
      ...(place.type !== 1 && { member: rest }),
    });
    return message;
  }

  /** A member runs a slash command. */
  slash(member: string, channel: string, name: string, options: readonly CommandOption[] = []): Interaction {
    const registered = [...this.world.commands.values()].flat().find((command) => command['name'] === name);
    const id = registered?.['id'] ?? this.world.snowflake();
    const data = { id, name, type: 1, options, resolved: resolvedOf(this.world, options) };
    return this.#send(this.world.member(member), channel, { type: COMMAND, data, name: `/${name}` });
  }

  /** A member presses a button of a message. */
  press(member: string, message: WorldMessage, customId: string): Interaction {
    const data = { component_type: 2, custom_id: customId };
    const pressed = { type: COMPONENT, data, name: `the button ${customId}`, message };
    return this.#send(this.world.member(member), message.channel_id, pressed);
  }

  /** `POST /interactions/:id/:token/callback` */
  callback(token: string, body: Json): WorldMessage | undefined {
    const interaction = this.#find(token);
    const data = (body['data'] ?? {}) as Json;
    const type = Number(body['type']);
    if (type === 4) {
      checkMessage(data);
      interaction.message = this.#addMessage(interaction, data);
    }
    if (type === 7 && interaction.pressed) {
      checkMessage(data);
      interaction.message = Object.assign(interaction.pressed, data, { edited_timestamp: this.world.now() });
    }
    interaction.callback = { type, data };
    return interaction.message;
  }

  /** `PATCH /webhooks/:application/:token/messages/@original` */
  edit(token: string, body: Json): WorldMessage {
    const interaction = this.#find(token);
    if (!interaction.callback) throw notFound();
    checkMessage(body);
    // An acknowledged click has the message with the button as its answer.
    if (interaction.callback.type === 6) interaction.message ??= interaction.pressed;
    if (!interaction.message) {
      // What was deferred for the caller alone stays so.
      const { flags } = interaction.callback.data;
      interaction.message = this.#addMessage(interaction, { ...body, flags: body['flags'] ?? flags });
    } else {
      Object.assign(interaction.message, body);
    }
    return interaction.message;
  }

  /** `POST /webhooks/:application/:token` */
  followUp(token: string, body: Json): WorldMessage {
    checkMessage(body);
    return this.#addMessage(this.#find(token), body);
  }

  original(token: string): WorldMessage {
    const { message } = this.#find(token);
    if (!message) throw notFound();
    return message;
  }

  /** Whether a member sees a message: one for its caller alone is for nobody else. */
  isSeenBy(message: WorldMessage, memberId: string): boolean {
    if ((Number(message['flags']) & EPHEMERAL) === 0) return true;
    const { user } = (message['interaction_metadata'] ?? {}) as { user?: { id: string } };
    return user?.id === memberId;
  }

  #addMessage(interaction: Interaction, body: Json): WorldMessage {
    const { id, name, member } = interaction;
    const type = interaction.pressed ? COMPONENT : COMMAND;
    const metadata = { id, name, type, user: member.user, authorizing_integration_owners: {} };
    const { channelId } = interaction;
    return this.world.addMessage(channelId, this.world.bot, { ...body, interaction_metadata: metadata });
  }

  #send(
    member: WorldMember,
    channel: string,
    sent: {
      readonly type: number;
      readonly data: Json;
      readonly name: string;
      readonly message?: WorldMessage;
    },
  ): Interaction {
    const { type, data, name, message } = sent;
    const place = this.world.channel(channel);
    const interaction: Interaction = {
      ...{ id: this.world.snowflake(), token: randomUUID(), channelId: place.id, member, name },
      at: new Date(this.world.now()),
      ...{ callback: undefined, message: undefined, pressed: message },
    };
    this.#byToken.set(interaction.token, interaction);
    if (this.#byToken.size > KEPT_MAX) this.#byToken.delete([...this.#byToken.keys()][0] ?? '');
    this.gateway.dispatch('INTERACTION_CREATE', {
      ...{ id: interaction.id, token: interaction.token, type, data, version: 1 },
      ...{ application_id: this.world.application.id, channel_id: place.id },
      ...{ channel: this.world.channelPayload(place), ...this.world.guildOf(place) },
      ...this.#whoIn(place, member),
      ...{ locale: 'en-US', guild_locale: 'en-US', entitlements: [], authorizing_integration_owners: {} },
      ...(message ? { message } : {}),
    });
    this.world.changed();
    return interaction;
  }

  /** In direct messages there are users, and on a server members, with their permissions. */
  #whoIn({ type }: WorldChannel, member: WorldMember): Json {
    const { world } = this;
    const app_permissions = world.permissionsOf(world.member(world.bot.id));
    if (type === 1) return { user: member.user, app_permissions, context: 1 };
    const permissions = world.permissionsOf(member);
    return { member: { ...world.memberPayload(member), permissions }, app_permissions, context: 0 };
  }

  #find(token: string): Interaction {
    const interaction = this.#byToken.get(token);
    if (!interaction) throw unknownInteraction();
    return interaction;
  }
}
