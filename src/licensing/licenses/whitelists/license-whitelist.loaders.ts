import type { RequestContext } from '../../../platform/graphql/request-context.js';
import { whitelistEntriesOf } from './license-whitelist.repository.js';

export async function whitelistEntriesOfLicenses(
  ctx: RequestContext,
  licenses: readonly { readonly id: number }[],
) {
  const entries = await whitelistEntriesOf(
    ctx.em,
    licenses.map(({ id }) => id),
  );
  return licenses.map(({ id }) => entries.get(id) ?? []);
}
