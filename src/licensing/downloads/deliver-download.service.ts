import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { DomainError, NotFound } from '../../platform/errors.js';
import { sha256 } from '../../platform/random.js';
import type { Content } from '../../platform/rest/content.js';
import { storeAway } from '../files/store/store-away.js';
import { standingRefusal } from '../licenses/license-standing.rules.js';
import { VERDICT_CODES } from '../licenses/validation/verdict.rules.js';
import { askToYield, findLink, findLinkState, giveBackLost, takeUse } from './download-use.repository.js';
import type { Link } from './download-use.repository.js';
import { LINK_REFUSALS, linkRefusal } from './download.rules.js';
import type { LinkRefusal } from './download.rules.js';
import { leaseUntil, openTransfer } from './open-transfer.service.js';
import { stampedFile, storedFile } from './stamp/stamped-file.js';
import type { DeliveredFile } from './stamp/stamped-file.js';

/** Where a link leads. Looking at it costs nothing; a use is taken when {@link Content.open} is called. */
export interface LinkedDownload {
  readonly link: Link;
  readonly content: Content;
}

/**
 * What a link gives. Throws 404 `DOWNLOAD_NOT_FOUND`, 410 for one that is revoked, expired or used up, 403 with the
 * verdict's code when its license may not be used any more, 404 when the license or the file are gone.
 */
export async function followLink(
  em: EntityManager,
  ctx: ActionContext,
  token: string,
): Promise<LinkedDownload> {
  const link = await findLink(em, sha256(token));
  if (!link) throw linkNotFound();
  const now = ctx.clock.now();
  const refusal = linkRefusal(link, now);
  // A use that an open transfer holds may come back, which is found out when one is to be taken.
  if (refusal !== undefined && !(refusal === 'DOWNLOAD_EXHAUSTED' && link.isOpen)) throw linkRefused(refusal);
  if (!link.standing) throw new DomainError('LICENSE_NOT_FOUND', 404, 'Not found', 'The license is gone');
  const code = standingRefusal(link.standing, now);
  if (code !== undefined) throw new DomainError(code, 403, 'License not valid', VERDICT_CODES[code].message);
  if (!link.hasFile) throw new NotFound('file', link.asset.name);
  const file = await deliveredFile(ctx, link);
  const content: Content = {
    name: link.asset.name,
    bytes: file.bytes,
    etag: file.etag,
    async open(range) {
      const transferId = await take(em, ctx, link, range.start);
      return openTransfer(em, ctx, { link, file, range, transferId });
    },
  };
  return { link, content };
}

async function deliveredFile(ctx: ActionContext, link: Link): Promise<DeliveredFile> {
  const { asset, buildId, licenseKey, createdAt: issuedAt } = link;
  const stored = storedFile(ctx.settings, link.repo, asset);
  if (!link.stamp) return stored;
  try {
    const stamped = await stampedFile(stored, asset, { buildId, licenseKey, issuedAt });
    if (!stamped) ctx.log.warn({ buildId, asset: asset.name }, 'delivered without a stamp: no readable zip');
    return stamped ?? stored;
  } catch (error) {
    throw error instanceof DomainError ? error : storeAway(error);
  }
}

/** How long a resume waits for what it resumes to be given up: longer than three beats of its gateway, or its lease. */
const RESUME_WAIT_MS = 20_000;
const RESUME_LOOK_MS = 250;

/**
 * Takes a use, or throws why there is none. Whoever resumes a transfer whose connection is dead, unknown to us so far,
 * asks it to give up its use, and waits for it.
 */
async function take(em: EntityManager, ctx: ActionContext, { id }: Link, start: number): Promise<string> {
  const deadline = performance.now() + RESUME_WAIT_MS;
  for (;;) {
    const now = ctx.clock.now();
    const taken = await takeUse(em, id, start, { now, leaseUntil: leaseUntil(now) });
    if (taken !== undefined) return taken;
    if ((await giveBackLost(em, now, { limit: 1, downloadId: id })) > 0) continue;
    const state = await findLinkState(em, id);
    if (!state) throw linkNotFound();
    const refusal = linkRefusal(state, now);
    // One has come back just now.
    if (refusal === undefined) continue;
    const mayWait = refusal === 'DOWNLOAD_EXHAUSTED' && start > 0 && performance.now() < deadline;
    if (!mayWait || !(await askToYield(em, id, start))) throw linkRefused(refusal);
    await sleep(RESUME_LOOK_MS);
  }
}

// The token is a credential: no message repeats it.
function linkNotFound(): DomainError {
  return new DomainError('DOWNLOAD_NOT_FOUND', 404, 'Not found', 'There is no download with this token');
}

function linkRefused(code: LinkRefusal): DomainError {
  return new DomainError(code, 410, 'Download not available', LINK_REFUSALS[code]);
}
