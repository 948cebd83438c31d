import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { NotFound } from '../../platform/errors.js';
import { emit, emitMany } from '../events.js';
import { downloadData, downloadRef } from './download-data.rules.js';
import { giveBackLost } from './download-use.repository.js';
import {
  buildsById,
  closeExpired,
  findBuildForUpdate,
  markRevoked,
  removeBuild,
} from './download.repository.js';
import type { DownloadBuild } from './download.repository.js';

/** Nothing can be had by its link any more, and transfers under way are cut. Revoking twice changes nothing. */
export async function revokeDownload(
  em: EntityManager,
  ctx: ActionContext,
  buildId: string,
): Promise<DownloadBuild> {
  const build = await findForUpdate(em, buildId);
  if (build.revoked) return build;
  await markRevoked(em, build.id);
  const revoked = { ...build, revoked: true };
  await emit(em, ctx, 'download.revoked', {
    resource: downloadRef(build),
    changes: { revoked: [false, true] },
    data: downloadData(revoked),
  });
  return revoked;
}

/** Forgets the build: what it was delivered as can't be traced any more. */
export async function deleteDownload(em: EntityManager, ctx: ActionContext, buildId: string): Promise<void> {
  const build = await findForUpdate(em, buildId);
  await removeBuild(em, build.id);
  await emit(em, ctx, 'download.deleted', { resource: downloadRef(build), data: downloadData(build) });
}

async function findForUpdate(em: EntityManager, buildId: string): Promise<DownloadBuild> {
  const build = await findBuildForUpdate(em, buildId);
  if (!build) throw new NotFound('download', buildId);
  return build;
}

const BATCH = 500;

/**
 * One batch, in one transaction: gives back the uses of transfers whose gateway is gone, and closes links whose time is
 * over, announcing those that could still have been used. The builds stay. Resolves to whether there may be more. Safe
 * to run twice and on two workers.
 */
export async function expireDownloads(em: EntityManager, ctx: ActionContext): Promise<{ isFull: boolean }> {
  return em.transactional(async (tx) => {
    const now = ctx.clock.now();
    const returned = await giveBackLost(tx, now, { limit: BATCH });
    const closed = await closeExpired(tx, now, BATCH);
    const builds = await buildsById(
      tx,
      closed.filter(({ wasUsable }) => wasUsable).map(({ id }) => id),
    );
    const emissions = [...builds.values()].map((build) => ({
      resource: downloadRef(build),
      data: downloadData(build),
    }));
    await emitMany(tx, ctx, 'download.expired', emissions);
    return { isFull: returned === BATCH || closed.length === BATCH };
  });
}
