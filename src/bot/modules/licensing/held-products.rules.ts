/** A license as far as it says what its holder has. */
export interface HeldLicense {
  readonly status: string;
  /** ISO 8601; null: never. */
  readonly expiresAt: string | Date | null;
  readonly productName: string | null;
}

/** Somebody's account with what it holds; `user` is null for an identity without one. */
export interface Holder {
  readonly providerId: string;
  readonly user: { readonly status: string; readonly licenses: readonly HeldLicense[] } | null;
}

/** How a license stands now, in one word. */
export function standingOf({ status, expiresAt }: HeldLicense, now: Date): string {
  if (status !== 'active') return status;
  return expiresAt !== null && new Date(expiresAt) <= now ? 'expired' : 'valid';
}

/** The products for which somebody holds a valid license; none for a banned user. */
export function heldProducts({ user }: Holder, now: Date): ReadonlySet<string> {
  if (user?.status !== 'active') return new Set();
  const valid = user.licenses.filter((license) => standingOf(license, now) === 'valid');
  return new Set(valid.flatMap(({ productName }) => productName ?? []));
}

/** The products that each role is for, from settings such as `My product = 123456789012345678`. */
export function roleProducts(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const pairs = lines.map((line) => {
    const at = line.lastIndexOf('=');
    return { product: line.slice(0, at).trim(), role: line.slice(at + 1).trim() };
  });
  const byRole = Map.groupBy(pairs, ({ role }) => role);
  return new Map([...byRole].map(([role, all]) => [role, all.map(({ product }) => product)]));
}

/** The roles that somebody should have and should not, of those that are for products. */
export function rolesFor(
  held: ReadonlySet<string>,
  products: ReadonlyMap<string, readonly string[]>,
): { readonly due: readonly string[]; readonly undue: readonly string[] } {
  const roles = [...products];
  const isDue = ([, names]: readonly [string, readonly string[]]) => names.some((name) => held.has(name));
  return {
    due: roles.filter(isDue).map(([role]) => role),
    undue: roles.filter((each) => !isDue(each)).map(([role]) => role),
  };
}

/** A code as people type it: 20 letters and digits, with or without dashes. Sale ids are numbers that others can guess. */
export function isRedeemCode(typed: string): boolean {
  return /^[0-9a-z]{20}$/i.test(typed.replaceAll(/[\s-]/g, ''));
}

/** When the next of these licenses expires, in milliseconds since 1970; Infinity when none does. */
export function nextExpiry(holders: readonly Holder[], now: Date): number {
  const licenses = holders.flatMap(({ user }) => user?.licenses ?? []);
  const valid = licenses.filter((license) => standingOf(license, now) === 'valid');
  return Math.min(
    ...valid.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [new Date(expiresAt).getTime()])),
  );
}

/** The platform's id in an event's name of an identity, such as `discord:123456789012345678`; undefined: another provider's. */
export function discordIdOf(resource: string): string | undefined {
  return /^discord:(\d{17,20})$/.exec(resource)?.[1];
}
