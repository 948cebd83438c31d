import { randomText } from '../../platform/random.js';

/** Crockford's base32: no I, L, O or U, which are misread. */
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const GROUPS = 4;
const GROUP_LENGTH = 5;
const CODE = new RegExp(`^[${CROCKFORD}]{${GROUPS * GROUP_LENGTH}}$`);

/** A new redeem code, `XXXXX-XXXXX-XXXXX-XXXXX`: 20 characters of Crockford base32 from the CSPRNG, 100 bit. */
export function generateRedeemCode(): string {
  return Array.from({ length: GROUPS }, () => randomText(CROCKFORD, GROUP_LENGTH)).join('-');
}

/** The code as it is stored, however it was typed: in any case, without dashes, O for 0, I or L for 1. */
export function redeemCodeOf(typed: string): string | undefined {
  const bare = typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  return CODE.test(bare) ? (bare.match(/.{5}/g) ?? []).join('-') : undefined;
}
