import { setTimeout as delay } from 'node:timers/promises';
import { failure } from '../errors.js';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import { Listener } from './listener.js';
import { Mailbox } from './mailbox.js';
import { SubscriptionCut } from './subscription-cut.js';

export interface PubSubOptions {
  readonly url: string;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** A topic that has subscribers here. */
interface Topic {
  /** From when on it has been live without a break, as the database writes it; undefined until that is known. */
  liveSince: string | undefined;
  readonly mailboxes: Set<Mailbox<unknown>>;
}

/** The one Postgres channel; topics are told apart by what is sent on it. */
const CHANNEL = 'live';
/**
 * Messages that may wait for one subscriber; beyond it, the subscriber is cut. What one transaction tells comes at once,
 * also to those who are quick. A message is kept once, however many it waits for.
 */
const WAITING_MAX = 10_000;
/** How long a topic is live after its last refresh: a gateway that was killed soon costs nobody anything. */
const LIVE_SECONDS = 60;
const REFRESH_MS = 20_000;
const CUT_REASONS = ['RESYNC_NEEDED', 'SUBSCRIBER_TOO_SLOW'] as const;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

/**
 * Hands what transactions tell (`notify_live`, `publish`) to the subscribers of a topic, from whichever process it
 * comes: LISTEN/NOTIFY, on one connection that is made for the first subscriber.
 *
 *   idle      ──first subscriber──► listening   the topic is marked as live; transactions begin to notify
 *   listening ──connection lost───► away        what is told meanwhile is lost
 *   away      ──connected again───► listening   whoever had subscribed has a gap, and is cut: RESYNC_NEEDED
 *   listening ──nobody left at a refresh──► idle
 *   any       ──close──► closed
 *
 * A topic that is refreshed too late was not live for a while: whoever had subscribed to it is cut as well.
 */
export class PubSub {
  readonly #options: PubSubOptions;
  readonly #topics = new Map<string, Topic>();
  readonly #closing = new AbortController();
  readonly #refresh: NodeJS.Timeout;
  #listener: Promise<Listener> | undefined;
  #isAway = false;

  constructor(options: PubSubOptions) {
    this.#options = options;
    // From 0 on: Prometheus sees no increase of what begins with 1.
    for (const reason of CUT_REASONS) options.metrics.subscriptionsCut.inc({ reason }, 0);
    this.#refresh = setInterval(() => void this.#keepLive(), REFRESH_MS);
    this.#refresh.unref();
  }

  /**
   * The messages of a topic, each the payload it was told with. A change that begins after this has resolved is not
   * missed; one that was under way may be. Throws `UNAVAILABLE` when the database is away. The iterator throws
   * {@link SubscriptionCut} rather than have a gap; `return()` ends it at once.
   */
  async subscribe<T>(topic: string): Promise<AsyncIterableIterator<T>> {
    if (this.#isAway || this.#closing.signal.aborted) throw away();
    const mailbox = new Mailbox<unknown>(WAITING_MAX, () => {
      this.#remove(topic, mailbox);
    });
    const known = this.#topics.get(topic) ?? { liveSince: undefined, mailboxes: new Set() };
    known.mailboxes.add(mailbox);
    this.#topics.set(topic, known);
    try {
      this.#listener ??= this.#listen();
      await this.#markLive(await this.#listener, [topic], mailbox);
    } catch (error) {
      await mailbox.return();
      throw error;
    }
    return mailbox as AsyncIterableIterator<T>;
  }

  /** Ends every subscription, and the connection. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#refresh);
    for (const mailbox of this.#all()) await mailbox.return();
    await this.#stopListening();
  }

  async #listen(): Promise<Listener> {
    const { url, log } = this.#options;
    try {
      return await Listener.open({
        ...{ url, log, channel: CHANNEL },
        onMessage: (text) => {
          const { topic, payload } = JSON.parse(text) as { topic: string; payload: unknown };
          this.#deliver(topic, payload);
        },
        onLost: () => void this.#reconnect(),
      });
    } catch (error) {
      this.#listener = undefined;
      throw error;
    }
  }

  async #stopListening(): Promise<void> {
    const listener = this.#listener;
    this.#listener = undefined;
    await listener?.then((open) => open.close()).catch(() => undefined);
  }

  /** Runs until the database is back; whoever subscribes meanwhile is told that it is away. */
  async #reconnect(): Promise<void> {
    const { log } = this.#options;
    const { signal } = this.#closing;
    this.#isAway = true;
    this.#listener = undefined;
    log.warn('The connection for live messages is lost; connecting again');
    for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      // Not all gateways at the same moment.
      await delay(waitMs * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
      try {
        this.#listener = this.#listen();
        await this.#listener;
        break;
      } catch (error) {
        log.debug({ err: error }, 'no connection for live messages yet');
      }
    }
    this.#isAway = false;
    if (signal.aborted) {
      await this.#stopListening();
      return;
    }
    const cut = this.#all();
    for (const mailbox of cut) this.#cut(mailbox, 'RESYNC_NEEDED');
    log.info(
      { cut: cut.length },
      'live messages are back; those who had subscribed are asked to do it again',
    );
  }

  #deliver(topic: string, payload: unknown): void {
    for (const mailbox of this.#topics.get(topic)?.mailboxes ?? []) {
      if (!mailbox.put(payload)) this.#cut(mailbox, 'SUBSCRIBER_TOO_SLOW');
    }
  }

  #cut(mailbox: Mailbox<unknown>, reason: (typeof CUT_REASONS)[number]): void {
    this.#options.metrics.subscriptionsCut.inc({ reason });
    mailbox.fail(new SubscriptionCut(reason));
  }

  /** Every mailbox, in a list of its own: ending one removes it. */
  #all(): Mailbox<unknown>[] {
    return [...this.#topics.values()].flatMap(({ mailboxes }) => [...mailboxes]);
  }

  #remove(topic: string, mailbox: Mailbox<unknown>): void {
    const known = this.#topics.get(topic);
    known?.mailboxes.delete(mailbox);
    if (known?.mailboxes.size === 0) this.#topics.delete(topic);
  }

  /** Keeps the topics of subscribers live. The others end by themselves: another gateway may have subscribers. */
  async #keepLive(): Promise<void> {
    if (this.#isAway || !this.#listener) return;
    if (this.#topics.size === 0) {
      await this.#stopListening();
      return;
    }
    const listener = await this.#listener.catch(() => undefined);
    try {
      if (!listener) return;
      await this.#markLive(listener, [...this.#topics.keys()]);
      await forgetTopics(listener);
    } catch (error) {
      this.#options.log.debug({ err: error }, 'the connection for live messages does not answer');
      await listener?.giveUp();
    }
  }

  /** Says that these topics have subscribers; those whom a topic was not live for all the time are cut. */
  async #markLive(listener: Listener, topics: readonly string[], newcomer?: Mailbox<unknown>): Promise<void> {
    // In order, so that two gateways never wait for each other in a circle.
    const rows = await listener.query<{ topic: string; since: string }>(
      `insert into live_topic as known (topic, live_since, expires_at)
         select topic, clock_timestamp(), clock_timestamp() + make_interval(secs => $2)
           from unnest($1::text[]) topic order by topic
       on conflict (topic) do update set
         live_since = case when known.expires_at > clock_timestamp() then known.live_since else excluded.live_since end,
         expires_at = greatest(known.expires_at, excluded.expires_at)
       returning topic, live_since::text as since`,
      [topics, LIVE_SECONDS],
    );
    for (const { topic, since } of rows) {
      const known = this.#topics.get(topic);
      if (!known) continue;
      if (known.liveSince !== undefined && known.liveSince !== since) {
        for (const mailbox of [...known.mailboxes]) {
          if (mailbox !== newcomer) this.#cut(mailbox, 'RESYNC_NEEDED');
        }
      }
      known.liveSince = since;
    }
  }
}

/** Removes topics that nobody keeps live, a while after they ended. */
async function forgetTopics(listener: Listener): Promise<void> {
  await listener.query(
    `delete from live_topic where topic in (
       select topic from live_topic where expires_at < clock_timestamp() - make_interval(secs => $1)
         for update skip locked)`,
    [LIVE_SECONDS],
  );
}

function away() {
  return failure('UNAVAILABLE', 'Live messages are away for a moment; subscribe again shortly', {
    headers: { 'Retry-After': '2' },
  });
}
