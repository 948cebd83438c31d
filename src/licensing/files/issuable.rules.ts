/** What a file must name to be issued. */
interface Issuable {
  readonly product: object;
  readonly repo: string;
  readonly asset: string;
}

/** Complete: a file that lacks its product, repository or asset is kept, and can't be issued. */
export function isIssuable<F extends { readonly [K in keyof Issuable]: Issuable[K] | null }>(
  file: F,
): file is F & Issuable {
  return file.product !== null && file.repo !== null && file.asset !== null;
}
