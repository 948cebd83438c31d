import type { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { GatewayOpcodes, SimpleShardingStrategy, WebSocketShardStatus } from 'discord.js';
import type {
  Collection,
  GatewayPresenceUpdateData,
  GatewaySendPayload,
  IShardingStrategy,
  WebSocketOptions,
  WebSocketShardDestroyOptions,
} from 'discord.js';

/** The manager of @discordjs/ws; discord.js has another class of that name. */
type ShardManager = Parameters<NonNullable<WebSocketOptions['buildStrategy']>>[0];

/** How long a peer may take to answer a close, before its socket is cut. */
const CLOSE_MS = 2_000;
/** What the shard runs without waiting for it: when one of these rejects, nobody else would hear of it. */
const DETACHED = ['onMessage', 'onClose', 'heartbeat', 'internalConnect', 'destroy'] as const;

/** A socket of the package ws. */
interface Socket extends EventEmitter {
  readonly readyState: number;
  readonly OPEN: number;
  readonly CLOSING: number;
  terminate(): void;
}

/** What a shard keeps to itself, as of @discordjs/ws 1.2.3. */
interface Shard extends Record<(typeof DETACHED)[number], (...args: unknown[]) => Promise<unknown>> {
  readonly status: WebSocketShardStatus;
  readonly strategy: { readonly options: { initialPresence: GatewayPresenceUpdateData | null } };
  readonly connection: Socket | null;
  heartbeatInterval: NodeJS.Timeout | null;
}

/**
 * Runs the shards in this process, as the library's own strategy does, and can really end them: the library's waits
 * 30 s for a peer that doesn't answer the close, forever for one that is still connecting, and reconnects afterwards.
 * Here sockets and pending reconnects are gone within {@link CLOSE_MS}, and what a shard does detached can't reject
 * unheard.
 */
export class PromptShards implements IShardingStrategy {
  readonly #inner: SimpleShardingStrategy;
  readonly #shards: Collection<number, Shard>;
  readonly #onFault: (error: unknown) => void;
  #hasEnded = false;

  constructor(manager: ShardManager, onFault: (error: unknown) => void) {
    this.#inner = new SimpleShardingStrategy(manager);
    this.#shards = (this.#inner as unknown as { shards: Collection<number, Shard> }).shards;
    this.#onFault = onFault;
  }

  get size(): number {
    return this.#shards.size;
  }

  async spawn(shardIds: number[]): Promise<void> {
    this.#throwIfEnded();
    await this.#inner.spawn(shardIds);
    for (const shard of this.#shards.values()) this.#contain(shard);
  }

  async connect(): Promise<void> {
    this.#throwIfEnded();
    await this.#inner.connect();
  }

  async destroy(options: Omit<WebSocketShardDestroyOptions, 'recover'> = {}): Promise<void> {
    const shards = [...this.#shards.values()];
    this.#shards.clear();
    await Promise.all(shards.map((shard) => endShard(shard, options)));
  }

  /** Ends every shard, and lets none be made any more by a login that is still under way. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.destroy({ code: 1000, reason: 'The bot was stopped' });
  }

  async send(shardId: number, payload: GatewaySendPayload): Promise<void> {
    // The library would keep a presence until the next IDENTIFY, and send it when it is long outdated.
    const status = this.#shards.get(shardId)?.status;
    if (payload.op === GatewayOpcodes.PresenceUpdate && status !== WebSocketShardStatus.Ready) return;
    // Nobody waits for what the library sends.
    await this.#inner.send(shardId, payload).catch(this.#onFault);
  }

  /** What every IDENTIFY from now on says. */
  setInitialPresence(presence: GatewayPresenceUpdateData): void {
    for (const { strategy } of this.#shards.values()) strategy.options.initialPresence = presence;
  }

  fetchStatus(): ReturnType<IShardingStrategy['fetchStatus']> {
    return this.#inner.fetchStatus();
  }

  #throwIfEnded(): void {
    if (this.#hasEnded) throw new Error('The bot was stopped');
  }

  #contain(shard: Shard): void {
    for (const name of DETACHED) {
      const run = shard[name].bind(shard);
      shard[name] = async (...args) => run(...args).catch(this.#onFault);
    }
  }
}

async function endShard(shard: Shard, options: WebSocketShardDestroyOptions): Promise<void> {
  // Whatever is under way ends in a reconnect or a heartbeat: there are none any more.
  shard.internalConnect = () => Promise.resolve();
  shard.heartbeat = () => {
    if (shard.heartbeatInterval) clearInterval(shard.heartbeatInterval);
    return Promise.resolve();
  };
  // Not waited for: a second call, by whatever the first one has interrupted, leaves the first one hanging.
  void shard.destroy(options);
  if (shard.connection) await endSocket(shard.connection);
}

/** Waits for the peer's close, and then no longer. */
async function endSocket(socket: Socket): Promise<void> {
  const isOpen = socket.readyState === socket.OPEN || socket.readyState === socket.CLOSING;
  const timeout = new AbortController();
  if (isOpen) {
    await Promise.race([
      new Promise<void>((resolve) => socket.once('close', resolve)),
      delay(CLOSE_MS, undefined, { signal: timeout.signal }).catch(() => undefined),
    ]);
    timeout.abort();
  }
  // A socket that is cut while it connects says so by an error that nobody else listens for.
  socket.on('error', () => undefined);
  socket.terminate();
}
