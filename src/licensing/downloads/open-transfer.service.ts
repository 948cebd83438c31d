import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { actingAs } from '../../platform/context.js';
import type { ByteRange } from '../../platform/rest/byte-range.js';
import type { Transfer } from '../../platform/rest/content.js';
import { emit } from '../events.js';
import { maskKey } from '../licenses/license-key.rules.js';
import { downloadData, downloadRef } from './download-data.rules.js';
import { completeTransfer, giveBack, renewLease, takeBackCompletion } from './download-use.repository.js';
import type { Completion, Link } from './download-use.repository.js';
import { buildsById } from './download.repository.js';
import type { DeliveredFile } from './stamp/stamped-file.js';

/*
 * A transfer holds one use of its link, by a row with a lease. It ends in one of these ways, once:
 *   open → complete   the last piece is about to leave, and the file ends with it: the use is spent
 *   open → given back any other end: broken off, a range that ends before the file does, a link revoked, a gateway gone
 *   complete → given back   the last piece didn't get through, or the connection was reset before all was read
 */

/** How often a gateway says that it still sends. */
const BEAT_MS = 3_000;
/** A few beats may fail. */
const LEASE_MS = 15_000;

export function leaseUntil(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}

interface Opened {
  readonly link: Link;
  readonly file: DeliveredFile;
  readonly range: ByteRange;
  readonly transferId: string;
}

/** Opens the file for a use that was taken; gives it back if that fails. */
export async function openTransfer(em: EntityManager, ctx: ActionContext, opened: Opened): Promise<Transfer> {
  const { link, file, range, transferId } = opened;
  const source = await file.open(range).catch(async (error: unknown) => {
    await giveBack(em, transferId, 0);
    throw error;
  });
  const heart = beating(em, ctx, transferId);
  let completion: Completion | undefined;
  let finishing: Promise<void> | undefined;
  const finish = async () => {
    heart.stop();
    if (range.end < file.bytes - 1) {
      await giveBack(em, transferId, range.end - range.start + 1);
    } else {
      completion = await complete(em, ctx, link, transferId);
    }
  };
  return {
    source,
    signal: heart.signal,
    progress: heart.progress,
    finish: () => (finishing = finish()),
    async fail(bytes) {
      heart.stop();
      // The client may hang up while its use is being spent.
      await finishing?.catch(() => undefined);
      if (completion) await takeBackCompletion(em, completion, bytes);
      else await giveBack(em, transferId, bytes);
    },
  };
}

/** Spends the use and tells of it. Throws when the use was given back meanwhile: then the end is not delivered. */
function complete(
  em: EntityManager,
  ctx: ActionContext,
  link: Link,
  transferId: string,
): Promise<Completion> {
  return em.transactional(async (tx) => {
    const now = ctx.clock.now();
    const completion = await completeTransfer(tx, transferId, now);
    const build = completion && (await buildsById(tx, [completion.downloadId])).get(completion.downloadId);
    if (!completion || !build) throw new Error('The use of this transfer was given back before it ended');
    await emit(tx, actingAs(ctx, `license:${maskKey(link.licenseKey)}`), 'download.delivered', {
      resource: downloadRef(build),
      changes: completion.wasFirst ? { delivered_at: [null, now] } : undefined,
      data: downloadData(build),
    });
    return completion;
  });
}

/** Keeps the lease while bytes leave. Its signal aborts when the transfer may not go on. */
function beating(em: EntityManager, ctx: ActionContext, transferId: string) {
  const over = new AbortController();
  let sent = 0;
  let sentBefore = -1;
  const beat = async () => {
    const lease = await renewLease(em, transferId, { sent, leaseUntil: leaseUntil(ctx.clock.now()) });
    const hasStalled = sent === sentBefore;
    sentBefore = sent;
    if (!lease || lease.revoked || (lease.yieldAsked && hasStalled)) over.abort();
  };
  const timer = setInterval(() => {
    // A database that is away for a moment must not end a transfer.
    beat().catch((error: unknown) => {
      ctx.log.debug({ err: error }, 'a transfer could not renew its lease');
    });
  }, BEAT_MS);
  timer.unref();
  return {
    signal: over.signal,
    progress: (bytes: number) => {
      sent = bytes;
    },
    stop: () => {
      clearInterval(timer);
    },
  };
}
