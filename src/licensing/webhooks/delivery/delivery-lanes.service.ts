import type { MikroORM } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../../platform/context.js';
import type { ClaimedDelivery } from './delivery-claim.repository.js';
import { Lane } from './delivery-lane.js';
import type { LaneOptions } from './delivery-lane.js';
import { guardedPools } from './delivery-pools.js';
import type { OpenPool, PoolsOptions } from './delivery-pools.js';
import { loadTargets } from './lane-target.service.js';

export interface LanesOptions extends Omit<LaneOptions, 'openPool'> {
  readonly pools: PoolsOptions;
}

/** Lanes beyond which those that nobody needs just now are closed. */
const LANES_MAX = 100;

/** The lanes of a process, one for each target that it has sent something to lately. */
export class DeliveryLanes {
  readonly #orm: MikroORM;
  readonly #ctx: ActionContext;
  readonly #options: LanesOptions;
  readonly #lanes = new Map<number, Lane>();
  #openPool: Promise<OpenPool> | undefined;

  constructor(orm: MikroORM, ctx: ActionContext, options: LanesOptions) {
    this.#orm = orm;
    this.#ctx = ctx;
    this.#options = options;
  }

  /** By target: how many deliveries are at hand, and the most that may be. */
  get atHand(): ReadonlyMap<number, { readonly size: number; readonly max: number }> {
    return this.#lanes;
  }

  /** How many deliveries are at hand in all. */
  get size(): number {
    return this.#all().reduce((sum, lane) => sum + lane.size, 0);
  }

  /** Hands each delivery to its target's lane. Resolves to those whose target can't have one. */
  async add(claimed: readonly ClaimedDelivery[]): Promise<ClaimedDelivery[]> {
    this.#closeIdle();
    const unreadable = await this.#prepare(claimed);
    return claimed.filter((delivery) => {
      const lane = unreadable.has(delivery.webhookId) ? undefined : this.#lanes.get(delivery.webhookId);
      lane?.add(delivery);
      return lane === undefined;
    });
  }

  /** Takes back everything that has not begun. */
  takeWaiting(): ClaimedDelivery[] {
    return this.#all().flatMap((lane) => lane.takeWaiting());
  }

  /** Resolves when what is on its way has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#all().map((lane) => lane.idle()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#all().map((lane) => lane.close()));
  }

  /** Sees to lanes to the targets as they were when they were claimed. Resolves to the ids of those without one. */
  async #prepare(claimed: readonly ClaimedDelivery[]): Promise<Set<number>> {
    const versions = new Map(claimed.map(({ webhookId, version }) => [webhookId, version]));
    const stale = [...versions].filter(([id, version]) => this.#lanes.get(id)?.target.version !== version);
    const ids = stale.map(([id]) => id);
    if (ids.length === 0) return new Set();
    const targets = await loadTargets(this.#orm.em.fork(), this.#ctx, ids);
    const openPool = await (this.#openPool ??= guardedPools(this.#options.pools));
    for (const [id, target] of targets) {
      const lane = this.#lanes.get(id);
      if (lane) lane.retarget(target);
      else this.#lanes.set(id, new Lane(target, { ...this.#options, openPool }));
    }
    return new Set(ids.filter((id) => !targets.has(id)));
  }

  /** A lane is made again when it is needed. */
  #closeIdle(): void {
    if (this.#lanes.size <= LANES_MAX) return;
    for (const [id, lane] of this.#lanes) {
      if (lane.size > 0) continue;
      this.#lanes.delete(id);
      void lane.close();
    }
  }

  #all(): Lane[] {
    return [...this.#lanes.values()];
  }
}
