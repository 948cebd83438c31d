import type { EntityManager } from '@mikro-orm/postgresql';
import type { Settings } from '../../config.js';
import type { ActionContext } from '../../platform/context.js';
import { DomainError, failure } from '../../platform/errors.js';
import {
  findReleaseList,
  removeReleaseListsBefore,
  repositoriesInUse,
  saveReleaseList,
} from './release-list.repository.js';
import { fileStoreOf } from './store/file-store-of.js';
import type { StoredAsset } from './store/file-store.js';

/** The job renews every list each 5 minutes; an older one belongs to a repository that is new, or the job is late. */
const FRESH_MS = 12 * 60_000;
/** With so many failures in one run, it is the provider that fails. */
const FAILURES_MAX = 10;
const FORGOTTEN_MS = 7 * 24 * 3_600_000;

/**
 * Every asset of every release of a repository, in no order. Of a remote provider that is the list which the job last
 * had, so that issuing a link costs no request; without a fresh one the provider is asked, and an old one will do when
 * it is away. Throws `UNAVAILABLE`. Within a transaction (an `Idempotency-Key`), which would be open as long as the
 * provider takes, it isn't asked: the last list must do.
 */
export async function listAssets(
  em: EntityManager,
  ctx: ActionContext,
  repository: string,
): Promise<readonly StoredAsset[]> {
  if (ctx.settings.files.provider === 'local') return fileStoreOf(ctx.settings).assets(repository);
  if (em.isInTransaction()) return lastList(em, ctx, repository);
  return shared(ctx.settings, repository, () => currentList(em, ctx, repository));
}

/** `owner/name` of every repository that the provider shows us, in order. */
export function listRepositories(ctx: ActionContext): Promise<readonly string[]> {
  return fileStoreOf(ctx.settings).repositories();
}

/**
 * Renews the lists of all repositories that files name, and forgets those that none names any more. One that fails
 * doesn't keep the others from theirs; rejects with the first failure in the end, so that the job's run shows it.
 */
export async function refreshReleases(em: EntityManager, ctx: ActionContext): Promise<void> {
  if (ctx.settings.files.provider === 'local') return;
  const failures: unknown[] = [];
  for (const repository of await repositoriesInUse(em, providerOf(ctx.settings))) {
    if (failures.length === FAILURES_MAX) break;
    await renew(em, ctx, repository).catch((error: unknown) => failures.push(error));
  }
  await removeReleaseListsBefore(em, new Date(ctx.clock.now().getTime() - FORGOTTEN_MS));
  if (failures.length > 0) throw failures[0];
}

type Listing = Promise<readonly StoredAsset[]>;

const underWay = new WeakMap<Settings, Map<string, Listing>>();

/** Whoever asks while an answer is under way shares it: a hundred buyers at once are one question. */
function shared(settings: Settings, repository: string, list: () => Listing): Listing {
  const listings = underWay.get(settings) ?? new Map<string, Listing>();
  underWay.set(settings, listings);
  const running = listings.get(repository);
  if (running) return running;
  const listing = list().finally(() => listings.delete(repository));
  listings.set(repository, listing);
  return listing;
}

async function lastList(em: EntityManager, ctx: ActionContext, repository: string): Listing {
  const known = await findReleaseList(em, providerOf(ctx.settings), repository, ctx.clock.now());
  if (known) return known.assets;
  throw failure('UNAVAILABLE', 'The releases are not listed yet; try again, or without an Idempotency-Key', {
    headers: { 'Retry-After': '60' },
  });
}

async function currentList(em: EntityManager, ctx: ActionContext, repository: string): Listing {
  const freshAfter = new Date(ctx.clock.now().getTime() - FRESH_MS);
  const known = await findReleaseList(em, providerOf(ctx.settings), repository, freshAfter);
  if (known?.isFresh) return known.assets;
  try {
    return await renew(em, ctx, repository);
  } catch (error) {
    if (!known || !isAway(error)) throw error;
    ctx.log.warn({ err: error, repository }, 'the file store is away; an older list of its releases is used');
    return known.assets;
  }
}

async function renew(em: EntityManager, ctx: ActionContext, repository: string): Listing {
  const checkedAt = ctx.clock.now();
  const assets = await fileStoreOf(ctx.settings).assets(repository);
  await saveReleaseList(em, providerOf(ctx.settings), repository, assets, checkedAt);
  return assets;
}

/** Tells one place from another: with other settings, an old list would be of somewhere else. */
function providerOf({ files }: Settings): string {
  if (files.provider === 'github') return `github ${files.github.apiUrl}`;
  const { endpoint, region, bucket, prefix } = files.s3;
  return ['s3', endpoint ?? region, bucket, prefix].join(' ');
}

function isAway(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'UNAVAILABLE';
}
