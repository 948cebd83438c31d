import type { EntityManager } from '@mikro-orm/postgresql';
import type { PageRequest } from '../../../platform/db/page.js';
import { findLicenses } from '../license.repository.js';
import type { LicenseFilter } from '../license.repository.js';
import { storedLicenses } from './license-batch.repository.js';
import { licenseCsv } from './license-csv.rules.js';

/** A page of licenses as CSV. */
export interface LicenseCsvPage {
  /** With the header line on the first page alone, so that pages are put together by concatenation. */
  readonly csv: string;
  readonly count: number;
  readonly hasNextPage: boolean;
  readonly endCursor: string | null;
}

/** The licenses that match, in id order; `first` is 1–500. Two statements a page. */
export async function exportLicenses(
  em: EntityManager,
  filter: LicenseFilter,
  { first, after }: Pick<PageRequest, 'first' | 'after'>,
): Promise<LicenseCsvPage> {
  const page = await findLicenses(em, filter, { first, after });
  const licenses = await storedLicenses(
    em,
    page.items.map(({ id }) => id),
  );
  const last = page.items.at(-1);
  return {
    csv: licenseCsv(licenses, { header: after == null ? 'with' : 'without' }),
    count: licenses.length,
    hasNextPage: page.hasNextPage,
    endCursor: last ? page.cursorOf(last) : null,
  };
}
