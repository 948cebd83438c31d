import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { flushUnique } from '../../platform/db/flush-unique.js';
import { nextName } from '../../platform/db/next-name.js';
import { AlreadyExists, InvalidField, NotFound, show } from '../../platform/errors.js';
import { diff } from '../../platform/events/emit.js';
import type { EventData } from '../../platform/events/emit.js';
import { ADDON, PRODUCT } from '../custom-fields/named-records.js';
import { idsByName, isUpdated } from '../custom-fields/named-record.service.js';
import { emit } from '../events.js';
import { PatternError } from '../rules/rule-pattern.rules.js';
import { assetMatcher } from './asset-pattern.rules.js';
import { ASSET_ALLOWED, REPOSITORY_ALLOWED, isAssetName, parseRepository } from './file-name.rules.js';
import { File } from './file.entity.js';
import { fileViews } from './file.repository.js';
import type { FileView } from './file.repository.js';

/** Null clears. */
interface FileFields {
  /** Name of an existing product, whose licenses may download it. */
  readonly product?: string | null;
  /** Name of an existing addon, which a license must have as well. */
  readonly addon?: string | null;
  /** `owner/name` */
  readonly repo?: string | null;
  /** A name or a pattern: see `asset-pattern.rules.ts`. */
  readonly asset?: string | null;
  readonly prerelease?: boolean | null;
  readonly stamp?: boolean | null;
}

export interface FileInput extends FileFields {
  /** Generated (`file-7`) when absent. */
  readonly name?: string | null;
}

export interface FileChange extends FileFields {
  readonly newName?: string | null;
}

/** Creates a file; without a product, repository and asset it can't be issued until it is completed. */
export async function createFile(em: EntityManager, ctx: ActionContext, input: FileInput): Promise<File> {
  const identity = input.name == null ? await nextName(em, 'file') : { name: input.name };
  const now = ctx.clock.now();
  const file = em.create(File, {
    ...identity,
    ...{ product: null, addon: null, repo: null, asset: null },
    ...{ prerelease: false, stamp: false },
    createdAt: now,
    updatedAt: now,
  });
  await assign(em, file, input);
  em.persist(file);
  await flushUnique(em, () => new AlreadyExists('file', identity.name));
  const view = await viewOf(em, file);
  await emit(em, ctx, 'file.created', {
    resource: refOf(file),
    changes: diff({}, view),
    data: fileData(file, view),
  });
  return file;
}

/** Changes what was sent. */
export async function updateFile(
  em: EntityManager,
  ctx: ActionContext,
  name: string,
  change: FileChange,
): Promise<File> {
  const file = await findFileForUpdate(em, name);
  const before = await viewOf(em, file);
  await assign(em, file, change);
  if (change.newName != null) file.name = change.newName;
  await flushUnique(em, () => new AlreadyExists('file', file.name));
  const view = await viewOf(em, file);
  const changes = diff(before, view);
  if (await isUpdated(em, ctx, file, changes)) {
    await emit(em, ctx, 'file.updated', { resource: refOf(file), changes, data: fileData(file, view) });
  }
  return file;
}

/** Deletes the definition; what the provider has stays there. */
export async function deleteFile(em: EntityManager, ctx: ActionContext, name: string): Promise<void> {
  const file = await findFileForUpdate(em, name);
  const last = { resource: refOf(file), data: fileData(file, await viewOf(em, file)) };
  em.remove(file);
  await em.flush();
  await emit(em, ctx, 'file.deleted', last);
}

/** Throws `FILE_NOT_FOUND`. */
export async function findFile(em: EntityManager, name: string): Promise<File> {
  const file = await em.findOne(File, { name });
  if (!file) throw new NotFound('file', name);
  return file;
}

/** A file as REST returns it, for events. */
export function fileData({ id, createdAt, updatedAt }: File, view: FileView): EventData {
  return { id, ...view, createdAt, updatedAt };
}

/** Throws `FILE_NOT_FOUND`. Locked, so that two changes at once don't undo each other. */
async function findFileForUpdate(em: EntityManager, name: string): Promise<File> {
  const file = await em.findOne(File, { name }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!file) throw new NotFound('file', name);
  return file;
}

async function assign(em: EntityManager, file: File, fields: FileFields): Promise<void> {
  const { product, addon, repo, asset, prerelease, stamp } = fields;
  if (repo !== undefined) file.repo = repo === null ? null : checkRepository(repo);
  if (asset !== undefined) file.asset = asset === null ? null : checkAsset(asset);
  if (product !== undefined) {
    const [id] = product === null ? [] : await idsByName(em, PRODUCT, [product], 'product');
    file.product = id === undefined ? null : em.getReference(PRODUCT.entity, id, { wrapped: true });
  }
  if (addon !== undefined) {
    const [id] = addon === null ? [] : await idsByName(em, ADDON, [addon], 'addon');
    file.addon = id === undefined ? null : em.getReference(ADDON.entity, id, { wrapped: true });
  }
  if (prerelease != null) file.prerelease = prerelease;
  if (stamp != null) file.stamp = stamp;
}

function checkRepository(repo: string): string {
  if (parseRepository(repo)) return repo;
  throw new InvalidField('repo', `must be ${REPOSITORY_ALLOWED}; got ${show(repo)}`);
}

function checkAsset(asset: string): string {
  if (!isAssetName(asset)) throw new InvalidField('asset', `must be ${ASSET_ALLOWED}; got ${show(asset)}`);
  try {
    assetMatcher(asset);
    return asset;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new InvalidField(
      'asset',
      `is no pattern to match names with: ${error.message}; got ${show(asset)}`,
    );
  }
}

async function viewOf(em: EntityManager, { id }: File): Promise<FileView & Record<string, unknown>> {
  const view = (await fileViews(em, [id])).get(id);
  if (!view) throw new Error(`There is no file ${id}`);
  return { ...view };
}

function refOf(file: File) {
  return { type: 'file', id: file.name };
}
