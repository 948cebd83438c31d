import { Client, DefaultRestOptions, Events, GatewayIntentBits, Options, Partials } from 'discord.js';
import type { Guild, REST } from 'discord.js';
import type { DomainError } from '../../platform/errors.js';
import { botError } from '../bot-error.js';
import { closeFailure, loginFailure, platformFailure } from '../platform-failure.rules.js';
import { presencePayload } from '../presence/presence.rules.js';
import type { Presence } from '../presence/presence.rules.js';
import type { BotLog } from '../logs/bot-log.js';
import { PromptShards } from './prompt-shards.js';

/** Who the bot is, and where: what is shown of it also while it is stopped. */
export interface Identity {
  readonly botId: string;
  readonly username: string;
  readonly tag: string;
  readonly serverId: string | null;
  readonly serverName: string | null;
}

export interface ConnectionLimits {
  /** How long a login may take. */
  readonly loginMs: number;
  /** How long a request may take; it is tried once more. */
  readonly restMs: number;
}

export interface ConnectionOptions {
  readonly token: string;
  readonly apiUrl: string;
  /** The server that is shown; the one of the lowest id when undefined. */
  readonly guildId: string | undefined;
  readonly presence: Presence;
  readonly limits: ConnectionLimits;
  readonly log: BotLog;
  /** A shard lost its connection, after the login. */
  readonly onDropped: () => void;
  /** Every shard is connected again. */
  readonly onResumed: () => void;
  /** It won't come back by itself, after the login. */
  readonly onRefused: (failure: DomainError) => void;
}

/** Privileged ones among them must be turned on in the developer portal: members and message content. */
const INTENTS = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMembers,
  GatewayIntentBits.GuildModeration,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.MessageContent,
  GatewayIntentBits.DirectMessages,
];
const REST_RETRIES = 1;
/** A longer wait is for the caller to decide on, who would otherwise see a request that never ends. */
const RATE_LIMIT_WAIT_MAX_MS = 5_000;
/** Below the limit of a login, so that a server in an outage doesn't fail it. */
const GUILDS_WAIT_MS = 10_000;
/** How long the gateway may take for a handshake and for its first word, before the next attempt. */
const GATEWAY_WAIT_MS = 15_000;

/**
 * One client of the chat library, from its login to its end. It is of single use: a client that was destroyed can't
 * log in again. Derives what goes on from the shards' events, since the client's own `isReady()` stays true through
 * outages.
 */
export class Connection {
  readonly client: Client;
  readonly #options: ConnectionOptions;
  readonly #opening = Promise.withResolvers<undefined>();
  /** Ends the requests that are under way. */
  readonly #ending = new AbortController();
  readonly #down = new Set<number>();
  #shards: PromptShards | undefined;
  #presence: Presence;
  #refusal: DomainError | undefined;
  #isOpen = false;
  #hasStumbled = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#presence = options.presence;
    this.client = this.#createClient();
    this.#listen();
    // Rejects also where nobody waits any more.
    this.#opening.promise.catch(() => undefined);
  }

  get rest(): REST {
    return this.client.rest;
  }

  /** Milliseconds; null until the first heartbeat was answered. */
  get ping(): number | null {
    const { ping } = this.client.ws;
    return Number.isFinite(ping) && ping >= 0 ? Math.round(ping) : null;
  }

  get shards(): number {
    return this.#shards?.size ?? 0;
  }

  /** Undefined until the platform has said it. */
  get identity(): Identity | undefined {
    const { user } = this.client;
    if (!user) return undefined;
    const { id, username, tag } = user;
    const guild = this.#shownGuild();
    return { botId: id, username, tag, serverId: guild?.id ?? null, serverName: guild?.name ?? null };
  }

  /** Logs in. Throws the reason as one of the bot's errors, `BOT_STOPPED` when it is ended meanwhile. */
  async open(): Promise<void> {
    const { token, limits } = this.#options;
    const timer = setTimeout(() => {
      this.#opening.reject(tooLong(limits.loginMs, this.#hasStumbled));
    }, limits.loginMs);
    // It doesn't settle in every case, so that it isn't what is waited for.
    this.client.login(token).catch((error: unknown) => {
      this.#opening.reject(loginFailure(error));
    });
    try {
      await this.#opening.promise;
      this.#isOpen = true;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Keeps it for every later IDENTIFY and reconnect, and sends it now where there is a connection. */
  setPresence(presence: Presence): void {
    this.#presence = presence;
    this.#shards?.setInitialPresence(presencePayload(presence) as never);
    if (this.#isOpen) this.client.user?.setPresence(presencePayload(presence));
  }

  /** Ends sockets, timers and requests, within 3 s whatever the platform does. */
  async end(): Promise<void> {
    this.#isOpen = false;
    this.client.removeAllListeners().on(Events.Error, () => undefined);
    this.client.rest.removeAllListeners();
    this.#opening.reject(botError('BOT_STOPPED', 'The bot was stopped before this was done'));
    this.#ending.abort();
    await this.#shards?.end();
    await this.client.destroy().catch(() => undefined);
  }

  #createClient(): Client {
    const { apiUrl, limits } = this.#options;
    const { makeRequest } = DefaultRestOptions;
    const client = new Client({
      intents: INTENTS,
      // Without it, a direct message is only heard of where the bot has written first.
      partials: [Partials.Channel],
      shards: 'auto',
      presence: presencePayload(this.#presence),
      allowedMentions: { parse: [], repliedUser: false },
      waitGuildTimeout: GUILDS_WAIT_MS,
      makeCache: Options.cacheWithLimits({
        ...Options.DefaultMakeCacheSettings,
        MessageManager: 50,
        PresenceManager: 0,
      }),
      rest: {
        ...{ api: apiUrl, timeout: limits.restMs, retries: REST_RETRIES },
        rejectOnRateLimit: ({ timeToReset, retryAfter }) =>
          Math.max(timeToReset, retryAfter) > RATE_LIMIT_WAIT_MAX_MS,
        makeRequest: (url, init) => {
          const signals = [this.#ending.signal, ...(init.signal ? [init.signal] : [])];
          return makeRequest(url, { ...init, signal: AbortSignal.any(signals) });
        },
      },
      ws: {
        buildStrategy: (manager) => {
          Object.assign(manager.options, {
            handshakeTimeout: GATEWAY_WAIT_MS,
            helloTimeout: GATEWAY_WAIT_MS,
          });
          return (this.#shards = new PromptShards(manager, (error) => {
            this.#options.log.warn(`A packet of the platform can't be handled: ${String(error)}`);
          }));
        },
      },
    });
    this.#containPackets(client);
    return client;
  }

  /** Packets that came early are handled in turns of the event loop of their own, where an error would end the process. */
  #containPackets(client: Client): void {
    const manager = client.ws as unknown as { handlePacket(...args: unknown[]): boolean };
    const handle = manager.handlePacket.bind(manager);
    manager.handlePacket = (...args) => {
      try {
        return handle(...args);
      } catch (error) {
        this.#options.log.warn(`A packet of the platform can't be handled: ${String(error)}`);
        return false;
      }
    };
  }

  #listen(): void {
    const { log } = this.#options;
    const { client } = this;
    client.on(Events.ClientReady, () => {
      this.#opening.resolve(undefined);
    });
    // Also what an async listener rejects with arrives here; without a listener it would end the process.
    client.on(Events.Error, (error) => {
      log.error(`The client has an error: ${error.message}`);
    });
    client.on(Events.ShardError, (error, id) => {
      log.debug(`Shard ${id} has an error: ${error.message}`);
    });
    client.on(Events.ShardDisconnect, ({ code }) => {
      this.#refuse(closeFailure(code));
    });
    client.on(Events.ShardReconnecting, (id) => {
      this.#hasStumbled = true;
      const wasWhole = this.#down.size === 0;
      this.#down.add(id);
      if (this.#isOpen && wasWhole) this.#options.onDropped();
    });
    const onBack = (id: number) => {
      const wasDown = this.#down.delete(id);
      if (!this.#isOpen || !wasDown) return;
      // What was set meanwhile is lost after a RESUME.
      this.setPresence(this.#presence);
      if (this.#down.size === 0) this.#options.onResumed();
    };
    client.on(Events.ShardReady, onBack);
    client.on(Events.ShardResume, onBack);
    // The library forgets its token at the first 401, and still says that it is ready.
    client.rest.on('response', ({ data }, { status }) => {
      if (status === 401 && data.auth !== false) this.#refuse(loginFailure({ status }));
    });
  }

  /** What a failed request means. One that was cut off, by a refusal or by the stop, failed for that reason. */
  failureOf(error: unknown): DomainError {
    if (this.#refusal) return this.#refusal;
    if (this.#ending.signal.aborted)
      return botError('BOT_NOT_RUNNING', 'The bot was stopped before this was done', { cause: error });
    return platformFailure(error);
  }

  #refuse(failure: DomainError): void {
    this.#refusal ??= failure;
    if (this.#isOpen) this.#options.onRefused(failure);
    else this.#opening.reject(failure);
  }

  #shownGuild(): Guild | undefined {
    const { guildId } = this.#options;
    const guilds = this.client.guilds.cache;
    if (guildId !== undefined) return guilds.get(guildId);
    return [...guilds.values()].reduce<Guild | undefined>(
      (lowest, guild) => (lowest === undefined || BigInt(guild.id) < BigInt(lowest.id) ? guild : lowest),
      undefined,
    );
  }
}

/** A gateway that refuses connections is away; one that says nothing is slow. */
function tooLong(ms: number, hasStumbled: boolean): DomainError {
  const seconds = Math.round(ms / 1000);
  return hasStumbled
    ? botError('PLATFORM_UNAVAILABLE', `The platform's gateway refuses connections, for ${seconds} s now`)
    : botError('PLATFORM_TIMEOUT', `The platform didn't answer the login within ${seconds} s`);
}
