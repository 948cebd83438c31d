import type { MikroORM } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../../platform/context.js';
import { isConnectionLost } from '../../../platform/db/database-errors.js';
import { addressGuard } from '../../../platform/net/address-guard.js';
import type { Resolve } from '../../../platform/net/guarded-connector.js';
import { claimDue } from './delivery-claim.repository.js';
import type { ClaimedDelivery } from './delivery-claim.repository.js';
import { deliverOne, undeliverable } from './deliver-one.service.js';
import type { Lane } from './delivery-lane.js';
import { DeliveryLanes } from './delivery-lanes.service.js';
import { OutcomeRecorder } from './outcome-recorder.service.js';

export interface DispatcherOptions {
  readonly orm: MikroORM;
  readonly ctx: ActionContext;
  /** Who resolves names; default: the system. */
  readonly resolve?: Resolve;
  /** How often it looks by itself; default: every 5 seconds. */
  readonly pollMs?: number;
}

/** Deliveries to one target that are on their way at once, from one process. */
const CONCURRENCY = 64;
/** Deliveries of one target at hand, waiting ones included. */
const AT_HAND_MAX = 512;
/** What recording an outcome may take, at the end of a lease. */
const RECORDING_MS = 3_000;
/** Deliveries of all targets at hand, which bounds memory. */
const AT_HAND_TOTAL_MAX = 4096;
/** How often it looks by itself, for leases that ran out and jobs of a clock that is ahead of its own. */
const POLL_MS = 5_000;

/**
 * Sends what is due. The job `deliver-webhooks` wakes it, which every change with deliveries leaves in its transaction,
 * and every failed attempt at the moment of the next one. It claims deliveries in batches, hands each to its target's lane, and records what became of them
 * in batches. Any number of processes may run one.
 *
 * A claim is a lease: whoever dies with it delays its deliveries until the lease runs out, and they are sent again then
 * under the same `webhook-id`.
 */
export class Dispatcher {
  readonly #orm: MikroORM;
  readonly #ctx: ActionContext;
  readonly #recorder: OutcomeRecorder;
  readonly #lanes: DeliveryLanes;
  readonly #poll: NodeJS.Timeout;
  #claiming: Promise<void> | undefined;
  #isWoken = false;
  #isStopping = false;

  constructor({ orm, ctx, resolve, pollMs = POLL_MS }: DispatcherOptions) {
    this.#orm = orm;
    this.#ctx = ctx;
    const wake = () => {
      this.wake();
    };
    this.#recorder = new OutcomeRecorder(orm, ctx, wake);
    this.#lanes = new DeliveryLanes(orm, ctx, {
      ...{ concurrency: CONCURRENCY, atHandMax: AT_HAND_MAX, onRoom: wake },
      pools: {
        ...{ connections: CONCURRENCY, timeoutMs: this.#timeoutMs, resolve },
        guard: addressGuard(ctx.settings.webhooks.allowedNetworks),
      },
      deliver: (lane, delivery) => this.#deliver(lane, delivery),
      isInTime: (delivery) => this.#isInTime(delivery),
      giveBack: (delivery) => {
        this.#giveBack(delivery);
      },
    });
    this.#poll = setInterval(() => {
      this.#recorder.write();
      this.wake();
    }, pollMs);
    this.wake();
  }

  /** Something may be due: looks soon, and again as long as there is more. */
  wake(): void {
    this.#isWoken = true;
    this.#claiming ??= this.#claimWhileWoken().finally(() => {
      this.#claiming = undefined;
      if (this.#isWoken && !this.#isStopping) this.wake();
    });
  }

  /** Resolves when nothing that is due now is left. */
  async settle(): Promise<void> {
    this.wake();
    while (this.#claiming || this.#lanes.size > 0) {
      await this.#claiming;
      await this.#lanes.idle();
      await this.#recorder.flush();
    }
  }

  /** Claims no more, gives back what has not begun, lets end what is on its way, and records it. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#poll);
    await this.#claiming;
    for (const delivery of this.#lanes.takeWaiting()) this.#giveBack(delivery);
    await this.#lanes.idle();
    await this.#recorder.flush();
    await this.#lanes.close();
  }

  get #timeoutMs(): number {
    return this.#ctx.settings.webhooks.timeoutSeconds * 1000;
  }

  async #claimWhileWoken(): Promise<void> {
    while (this.#isWoken && !this.#isStopping) {
      this.#isWoken = false;
      try {
        if (await this.#claim()) this.#isWoken = true;
      } catch (error) {
        // The next poll tries again.
        const level = isConnectionLost(error) ? 'debug' : 'error';
        this.#ctx.log[level]({ err: error }, 'webhook deliveries could not be claimed');
        return;
      }
    }
  }

  /** Whether there was anything to take. */
  async #claim(): Promise<boolean> {
    const now = this.#ctx.clock.now();
    // Time to wait as long as one attempt takes, to make another, and to record it.
    const leaseUntil = new Date(now.getTime() + 2 * this.#timeoutMs + RECORDING_MS);
    const limits = { perTargetMax: AT_HAND_MAX, totalMax: AT_HAND_TOTAL_MAX };
    const em = this.#orm.em.fork();
    const claimed = await claimDue(em, { now, leaseUntil, atHand: this.#lanes.atHand, ...limits });
    if (claimed.length === 0) return false;
    for (const delivery of await this.#lanes.add(claimed)) {
      this.#recorder.add(undeliverable(this.#ctx, delivery));
    }
    return true;
  }

  async #deliver(lane: Lane, delivery: ClaimedDelivery): Promise<void> {
    this.#recorder.add(await deliverOne(this.#ctx, lane, delivery));
  }

  #isInTime({ leaseUntil }: ClaimedDelivery): boolean {
    const leftMs = leaseUntil.getTime() - this.#ctx.clock.now().getTime();
    return leftMs >= this.#timeoutMs + RECORDING_MS;
  }

  #giveBack({ id, webhookId, claim, isTest }: ClaimedDelivery): void {
    const nothing = { dueAt: null, entry: null, error: null };
    this.#recorder.add({ id, webhookId, claim, isTest, kind: 'released', ...nothing });
  }
}
