import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../../platform/logger.js';
import type { PubSub } from '../../../platform/pubsub/pubsub.js';
import { MODULES_TOPIC } from '../module-changes.js';
import type { ModuleChange } from '../module-changes.js';

export interface ChangeListenerOptions {
  readonly pubsub: PubSub;
  readonly log: Logger;
  /** Reads what has changed; after a gap, everything: an empty change. */
  readonly onChange: (change: ModuleChange) => Promise<void>;
}

const RETRY_MS = 1_000;

/** Hears of what operators change on any gateway, also after its connection was away. */
export class ChangeListener {
  readonly #options: ChangeListenerOptions;
  readonly #closing = new AbortController();
  #changes: AsyncIterableIterator<ModuleChange> | undefined;
  #done: Promise<void> = Promise.resolve();

  constructor(options: ChangeListenerOptions) {
    this.#options = options;
  }

  /** Resolves when it hears. */
  async open(): Promise<void> {
    this.#changes = await this.#options.pubsub.subscribe<ModuleChange>(MODULES_TOPIC);
    this.#done = this.#run(this.#changes);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#changes?.return?.();
    await this.#done;
  }

  async #run(first: AsyncIterableIterator<ModuleChange>): Promise<void> {
    const { pubsub, onChange } = this.#options;
    let changes: AsyncIterableIterator<ModuleChange> | undefined = first;
    while (!this.#closing.signal.aborted) {
      const current = changes;
      changes = undefined;
      await this.#attempt(async () => {
        for await (const change of current ?? []) await this.#attempt(() => onChange(change));
      });
      // Cut: subscribe anew, and read everything, since something may have been told meanwhile.
      await delay(RETRY_MS, undefined, { signal: this.#closing.signal }).catch(() => undefined);
      await this.#attempt(async () => {
        changes = this.#changes = await pubsub.subscribe<ModuleChange>(MODULES_TOPIC);
        await onChange({});
      });
    }
    await this.#changes?.return?.();
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.log.debug({ err: error }, 'changes of modules are not heard of now');
    }
  }
}
