import type { Client, ClientEvents } from 'discord.js';

/** A client as far as events go, whatever they carry. */
interface Emitter {
  on(event: string, listener: Listener): unknown;
  off(event: string, listener: Listener): unknown;
}
type Listener = (...args: never[]) => void;

/** Listeners of modules, attached to the client of the moment: each start of the bot has a new one. */
export class ClientListeners {
  readonly #listeners = new Set<{ readonly event: string; readonly listener: Listener }>();
  #client: Client<true> | undefined;

  get client(): Client<true> | undefined {
    return this.#client;
  }

  get #emitter(): Emitter | undefined {
    return this.#client as Emitter | undefined;
  }

  /** The connected client, or that there is none now. */
  use(client: Client<true> | undefined): void {
    if (client === this.#client) return;
    for (const each of this.#listeners) this.#emitter?.off(each.event, each.listener);
    this.#client = client;
    // Each module adds its own: that many are no leak.
    client?.setMaxListeners(0);
    for (const each of this.#listeners) this.#emitter?.on(each.event, each.listener);
  }

  /** Answers what takes the listener off again. */
  add<Event extends keyof ClientEvents>(
    event: Event,
    listener: (...args: ClientEvents[Event]) => void,
  ): () => void {
    const entry = { event: event as string, listener: listener as Listener };
    this.#listeners.add(entry);
    this.#emitter?.on(entry.event, entry.listener);
    return () => {
      this.#listeners.delete(entry);
      this.#emitter?.off(entry.event, entry.listener);
    };
  }
}
