import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { actingAs } from '../../platform/context.js';
import { DomainError, InvalidField, NotFound, failure, show } from '../../platform/errors.js';
import { diff } from '../../platform/events/emit.js';
import { randomText, randomToken, sha256 } from '../../platform/random.js';
import { emit } from '../events.js';
import type { File } from '../files/file.entity.js';
import { fileViews } from '../files/file.repository.js';
import { findFile } from '../files/file.service.js';
import { isIssuable } from '../files/issuable.rules.js';
import { listAssets } from '../files/release-list.service.js';
import type { StoredAsset } from '../files/store/file-store.js';
import { maskKey } from '../licenses/license-key.rules.js';
import { standingRefusal } from '../licenses/license-standing.rules.js';
import { currentFacts, examineLicense } from '../licenses/validation/examine-license.service.js';
import type { LicenseFacts, ValidationRequest } from '../licenses/validation/facts.js';
import { VERDICT_CODES } from '../licenses/validation/verdict.rules.js';
import { downloadData, downloadRef } from './download-data.rules.js';
import { insertDownload } from './download.repository.js';
import type { DownloadBuild } from './download.repository.js';
import { chooseAsset } from './download.rules.js';

/** What a client presents to have a link. `version` is the one it asks for, and the one that rules judge. */
export interface DownloadRequest extends Omit<ValidationRequest, 'product' | 'identifier'> {
  readonly file: string;
  /** 1–100; 1 when absent. */
  readonly maxUses?: number | null | undefined;
  /** Seconds, 60–604 800; an hour when absent. */
  readonly expiresIn?: number | null | undefined;
}

/** The link itself can't be had again: only the digest of its token is stored. */
export interface IssuedDownload extends DownloadBuild {
  readonly token: string;
  readonly url: string;
}

const MAX_USES_MAX = 100;
const LIFE_DEFAULT_SECONDS = 3_600;
const LIFE_MIN_SECONDS = 60;
const LIFE_MAX_SECONDS = 604_800;
/** 100 bits, in characters that survive being read aloud. */
const BUILD_ID = { alphabet: '0123456789abcdefghjkmnpqrstvwxyz', length: 20 };

/**
 * A link to the newest version of a file, or to the one asked for, for a license that is valid for it. Nothing is bound
 * and no seat is taken (docs/decisions/0012). Throws 404 for an unknown license, file or version, 403 with the verdict's
 * code, `PRODUCT_MISMATCH` or `ADDON_REQUIRED`, 409 `FILE_NOT_ISSUABLE`. It may ask the provider, so no transaction should be open.
 */
export async function issueDownload(
  em: EntityManager,
  ctx: ActionContext,
  request: DownloadRequest,
): Promise<IssuedDownload> {
  const maxUses = checkNumber('maxUses', request.maxUses ?? 1, 1, MAX_USES_MAX);
  const seconds = request.expiresIn ?? LIFE_DEFAULT_SECONDS;
  const lifeMs = checkNumber('expiresIn', seconds, LIFE_MIN_SECONDS, LIFE_MAX_SECONDS) * 1000;
  const facts = await factsOf(em, ctx, request.key);
  const file = await issuableFile(em, request.file);
  await checkEntitlement(em, file, facts);
  const asset = await assetOf(em, ctx, file, request.version);
  const judged = { ...request, product: facts.product, identifier: null, version: asset.version };
  const refusal = await examineLicense(em, ctx, facts, judged);
  if (refusal) throw refused(refusal.code, refusal.message);
  const now = ctx.clock.now();
  const token = randomToken();
  const build = await em.transactional(async (tx) => {
    const stored = await insertDownload(tx, {
      buildId: `bld_${randomText(BUILD_ID.alphabet, BUILD_ID.length)}`,
      tokenDigest: sha256(token),
      ...{ licenseId: facts.licenseId, fileId: file.id, repo: file.repo, stamp: file.stamp },
      ...{ asset, maxUses, expiresAt: new Date(now.getTime() + lifeMs), createdAt: now },
    });
    if (!stored) throw changedMeanwhile();
    const data = downloadData(stored);
    const license = maskKey(facts.key);
    await emit(tx, actingAs(ctx, `license:${license}`), 'download.issued', {
      resource: downloadRef(stored),
      changes: diff({}, { ...data, license }),
      data,
    });
    return stored;
  });
  return { ...build, token, url: `${ctx.settings.server.publicUrl}/download/${token}` };
}

function checkNumber(field: string, value: number, min: number, max: number): number {
  if (value >= min && value <= max) return value;
  throw new InvalidField(field, `must be between ${min} and ${max}; got ${value}`);
}

async function factsOf(em: EntityManager, ctx: ActionContext, key: string): Promise<LicenseFacts> {
  const facts = await currentFacts(em, ctx, key);
  if (!facts) throw new NotFound('license', maskKey(key));
  const code = standingRefusal(facts, ctx.clock.now());
  if (code !== undefined) throw refused(code, VERDICT_CODES[code].message);
  return facts;
}

type IssuableFile = File & { readonly repo: string; readonly asset: string };

async function issuableFile(em: EntityManager, name: string): Promise<IssuableFile> {
  // Postgres text can't hold U+0000, so no name has one.
  if (name.includes('\u0000')) throw new NotFound('file', name);
  const file = await findFile(em, name);
  if (isIssuable(file)) return file;
  throw new DomainError(
    'FILE_NOT_ISSUABLE',
    409,
    'File not issuable',
    `The file ${show(name)} lacks its product, repository or asset, and can't be issued until it has them`,
  );
}

async function checkEntitlement(em: EntityManager, file: IssuableFile, facts: LicenseFacts): Promise<void> {
  const view = (await fileViews(em, [file.id])).get(file.id);
  if (!view) throw changedMeanwhile();
  if (view.product !== facts.product) {
    throw refused('PRODUCT_MISMATCH', VERDICT_CODES.PRODUCT_MISMATCH.message);
  }
  if (view.addon !== null && !facts.addons.includes(view.addon)) {
    throw refused(
      'ADDON_REQUIRED',
      `This license lacks the addon ${show(view.addon)}, which the file needs.`,
    );
  }
}

async function assetOf(
  em: EntityManager,
  ctx: ActionContext,
  { name, repo, asset, prerelease }: IssuableFile,
  version: string | null | undefined,
): Promise<StoredAsset> {
  const chosen = chooseAsset(await listAssets(em, ctx, repo), { asset, prerelease, version });
  if (chosen) return chosen;
  throw new DomainError(
    'VERSION_NOT_FOUND',
    404,
    'Not found',
    version == null
      ? `The file ${show(name)} has no version yet`
      : `The file ${show(name)} has no version ${show(version)}`,
  );
}

function refused(code: string, message: string): DomainError {
  return new DomainError(code, 403, 'License not valid', message);
}

function changedMeanwhile(): DomainError {
  return failure('UNAVAILABLE', 'The license or the file changed meanwhile; try again', {
    headers: { 'Retry-After': '1' },
  });
}
