import type { Clock } from '../../platform/clock.js';
import type { Json } from './form.rules.js';
import { unknownChannel, unknownMember, unknownRole } from './platform-error.js';

export interface WorldUser {
  readonly id: string;
  username: string;
  readonly discriminator: '0';
  global_name: string | null;
  avatar: string | null;
  readonly bot: boolean;
}

export interface WorldChannel {
  readonly id: string;
  readonly name: string;
  /** 0: a text channel, 1: direct messages, 2: a voice channel. */
  readonly type: 0 | 1 | 2;
  /** False: the bot may see it, and not write in it. */
  readonly isWritable: boolean;
  /** Of direct messages: with whom. */
  readonly recipient?: WorldUser;
}

export interface WorldRole {
  readonly id: string;
  readonly name: string;
  /** A bit field, as text. */
  readonly permissions: string;
  readonly position: number;
}

export interface WorldMember {
  readonly user: WorldUser;
  roles: string[];
}

/** A message as the REST API shows it. */
export type WorldMessage = Json & { readonly id: string; readonly channel_id: string };

/** 2015-01-01, from which snowflakes count milliseconds. */
const EPOCH = 1_420_070_400_000n;
/** What is there from the beginning has the same ids at every start, so that settings and links that name them last. */
const FOUNDED = Date.UTC(2026, 0, 1);
const ADMINISTRATOR = '8';
const EVERYTHING = (1n << 50n) - 1n;
/** View channels, send messages, embed links, read history, use commands. */
const ORDINARY = String((1n << 10n) | (1n << 11n) | (1n << 14n) | (1n << 16n) | (1n << 31n));

/** What exists on the sandbox's platform: one server with its channels, roles, members and messages, and one bot. */
export class World {
  readonly bot: WorldUser;
  readonly application: { readonly id: string; readonly flags: number };
  readonly guild: { readonly id: string; readonly name: string; readonly ownerId: string };
  readonly channels = new Map<string, WorldChannel>();
  /** Direct messages with the bot, by the id of the member. */
  readonly directs = new Map<string, WorldChannel>();
  readonly roles = new Map<string, WorldRole>();
  readonly members = new Map<string, WorldMember>();
  readonly messages = new Map<string, WorldMessage[]>();
  /** Registered commands by scope: a guild's id, or `global`. */
  readonly commands = new Map<string, Json[]>();
  readonly #clock: Clock;
  readonly #watchers = new Set<() => void>();
  #isFounded = false;
  #count = 0n;
  #renamedAt: number[] = [];

  constructor(
    clock: Clock,
    readonly token: string,
  ) {
    this.#clock = clock;
    const owner = this.#user('ada', { bot: false });
    this.guild = { id: this.snowflake(), name: 'Sandbox', ownerId: owner.id };
    this.roles.set(this.guild.id, {
      id: this.guild.id,
      name: '@everyone',
      permissions: ORDINARY,
      position: 0,
    });
    const botRole = this.addRole('bot', { permissions: ADMINISTRATOR });
    this.members.set(owner.id, {
      user: owner,
      roles: [this.addRole('staff', { permissions: ADMINISTRATOR }).id],
    });
    this.addRole('customer');
    this.addMember('grace');
    this.addChannel('general');
    this.addChannel('announcements', { isWritable: false });
    this.addChannel('voice', { type: 2 });
    this.#isFounded = true;
    // Another one at every start: its commands went with the last world, so that they must be registered again.
    this.bot = this.#user('sandbox-bot', { bot: true });
    this.application = { id: this.bot.id, flags: 0 };
    this.members.set(this.bot.id, { user: this.bot, roles: [botRole.id] });
  }

  /** Calls the listener after every change; answers what ends that. */
  watch(listener: () => void): () => void {
    this.#watchers.add(listener);
    return () => {
      this.#watchers.delete(listener);
    };
  }

  /** Tells those who watch that something is different now. */
  changed(): void {
    for (const listener of this.#watchers) listener();
  }

  snowflake(): string {
    this.#count += 1n;
    const time = this.#isFounded ? this.#clock.now().getTime() : FOUNDED;
    return String(((BigInt(time) - EPOCH) << 22n) + this.#count);
  }

  now(): string {
    return this.#clock.now().toISOString();
  }

  addChannel(name: string, { type = 0, isWritable = true }: Partial<WorldChannel> = {}): WorldChannel {
    const channel: WorldChannel = { id: this.snowflake(), name, type, isWritable };
    this.channels.set(channel.id, channel);
    return channel;
  }

  /** What an event about something in a channel says of the server: nothing for direct messages. */
  guildOf({ type }: WorldChannel): Json {
    return type === 1 ? {} : { guild_id: this.guild.id };
  }

  addRole(name: string, { permissions = ORDINARY }: Partial<WorldRole> = {}): WorldRole {
    const role: WorldRole = { id: this.snowflake(), name, permissions, position: this.roles.size };
    this.roles.set(role.id, role);
    return role;
  }

  addMember(username: string): WorldMember {
    const member: WorldMember = { user: this.#user(username, { bot: false }), roles: [] };
    this.members.set(member.user.id, member);
    return member;
  }

  /** By id or name, or by the id of direct messages. Throws the platform's 10003. */
  channel(idOrName: string): WorldChannel {
    const found =
      this.channels.get(idOrName) ??
      [...this.channels.values()].find(({ name }) => name === idOrName) ??
      [...this.directs.values()].find(({ id }) => id === idOrName);
    if (!found) throw unknownChannel();
    return found;
  }

  /** By id. Throws the platform's 10011. */
  role(id: string): WorldRole {
    const found = this.roles.get(id);
    if (!found) throw unknownRole();
    return found;
  }

  /** What a member may do, by its roles: a bit field, as text. Whoever may administer may do everything. */
  permissionsOf({ roles }: WorldMember): string {
    const own = [this.guild.id, ...roles].map((id) => BigInt(this.roles.get(id)?.permissions ?? 0));
    const sum = own.reduce((all, each) => all | each, 0n);
    return String((sum & BigInt(ADMINISTRATOR)) === 0n ? sum : EVERYTHING);
  }

  /** The direct messages of a member and the bot. Throws the platform's 10007. */
  direct(idOrName: string): WorldChannel {
    const { user: recipient } = this.member(idOrName);
    const known = this.directs.get(recipient.id);
    if (known) return known;
    const channel: WorldChannel = {
      ...{ id: this.snowflake(), name: recipient.username, type: 1, isWritable: true, recipient },
    };
    this.directs.set(recipient.id, channel);
    return channel;
  }

  /** By id or name. Throws the platform's 10007. */
  member(idOrName: string): WorldMember {
    const found =
      this.members.get(idOrName) ?? [...this.members.values()].find(({ user }) => user.username === idOrName);
    if (!found) throw unknownMember();
    return found;
  }

  /** Stores a message of an author, with the fields every message has. */
  addMessage(channelId: string, author: WorldUser, body: Json): WorldMessage {
    const content = typeof body['content'] === 'string' ? body['content'] : '';
    const mentioned = [...content.matchAll(/<@!?(\d+)>/g)].flatMap(
      ([, id = '']) => this.members.get(id) ?? [],
    );
    const message: WorldMessage = {
      ...{ id: this.snowflake(), channel_id: channelId, author, content },
      ...{ timestamp: this.now(), edited_timestamp: null, type: 0, tts: false, pinned: false },
      ...{ embeds: body['embeds'] ?? [], components: body['components'] ?? [], attachments: [] },
      ...{ mentions: mentioned.map(({ user }) => user), mention_roles: [], mention_everyone: false },
      ...{ flags: body['flags'] ?? 0, nonce: body['nonce'] },
      ...{ message_reference: body['message_reference'], interaction_metadata: body['interaction_metadata'] },
    };
    this.messages.set(channelId, [...(this.messages.get(channelId) ?? []), message]);
    this.changed();
    return message;
  }

  /** The message that was sent under a nonce, so that a repeat makes no second one. */
  messageByNonce(channelId: string, nonce: unknown): WorldMessage | undefined {
    return this.messages.get(channelId)?.find((message) => message['nonce'] === nonce);
  }

  /** Notes a change of the bot's name; false when there were as many within the hour. */
  mayRename(timesAnHour: number): boolean {
    const now = this.#clock.now().getTime();
    this.#renamedAt = this.#renamedAt.filter((at) => at > now - 3_600_000);
    if (this.#renamedAt.length >= timesAnHour) return false;
    this.#renamedAt.push(now);
    return true;
  }

  /** The server as GUILD_CREATE has it. */
  guildPayload(): Json {
    const { id, name, ownerId } = this.guild;
    return {
      ...{ id, name, owner_id: ownerId, icon: null, joined_at: this.now(), large: false, unavailable: false },
      ...{ member_count: this.members.size, voice_states: [], threads: [], presences: [], emojis: [] },
      ...{ stickers: [], features: [], stage_instances: [], guild_scheduled_events: [] },
      ...{
        verification_level: 0,
        explicit_content_filter: 0,
        default_message_notifications: 0,
        mfa_level: 0,
      },
      ...{ premium_tier: 0, nsfw_level: 0, preferred_locale: 'en-US', system_channel_flags: 0 },
      members: [...this.members.values()].map((member) => this.memberPayload(member)),
      channels: [...this.channels.values()].map((channel) => this.channelPayload(channel)),
      roles: [...this.roles.values()].map((role) => this.rolePayload(role)),
    };
  }

  channelPayload({ id, name, type, recipient }: WorldChannel): Json {
    if (recipient) return { id, type, recipients: [recipient], last_message_id: null };
    const position = [...this.channels.keys()].indexOf(id);
    return { id, name, type, guild_id: this.guild.id, position, permission_overwrites: [] };
  }

  rolePayload({ id, name, permissions, position }: WorldRole): Json {
    return {
      ...{ id, name, permissions, position, color: 0, hoist: false, managed: false, mentionable: false },
      ...{ colors: { primary_color: 0, secondary_color: null, tertiary_color: null }, flags: 0 },
    };
  }

  memberPayload({ user, roles }: WorldMember): Json {
    return {
      user,
      roles,
      joined_at: this.now(),
      deaf: false,
      mute: false,
      flags: 0,
      nick: null,
      avatar: null,
    };
  }

  #user(username: string, { bot }: { readonly bot: boolean }): WorldUser {
    return { id: this.snowflake(), username, discriminator: '0', global_name: null, avatar: null, bot };
  }
}
