import type { EntityManager } from '@mikro-orm/postgresql';
import DataLoader from 'dataloader';
import type { ActionContext } from '../../platform/context.js';
import { listAssets } from './release-list.service.js';
import type { StoredAsset } from './store/file-store.js';

/** What the provider has in a repository; one that can't be had fails alone. */
export function assetsByRepository(ctx: ActionContext & { readonly em: EntityManager }) {
  return new DataLoader<string, readonly StoredAsset[]>((repositories) =>
    Promise.all(
      repositories.map((repository) =>
        listAssets(ctx.em, ctx, repository).catch((error: unknown) => error as Error),
      ),
    ),
  );
}
