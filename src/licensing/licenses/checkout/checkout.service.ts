import type { EntityManager } from '@mikro-orm/postgresql';
import { SignJWT } from 'jose';
import { sql } from 'kysely';
import type { ActionContext } from '../../../platform/context.js';
import { DomainError, InvalidField, NotFound } from '../../../platform/errors.js';
import { randomToken } from '../../../platform/random.js';
import { currentSigner } from '../../keys/signing-key.service.js';
import { maskKey } from '../license-key.rules.js';
import type { LicenseFacts, ValidationRequest } from '../validation/facts.js';
import { validateLicense } from '../validation/validation.service.js';

const DAY_SECONDS = 86_400;
const TTL_DEFAULT_SECONDS = 30 * DAY_SECONDS;
const TTL_MIN_SECONDS = 3_600;
const TTL_MAX_SECONDS = 90 * DAY_SECONDS;

/** A license to be checked without the server: an Ed25519-signed JWT (RFC 7519, RFC 8037). */
export interface OfflineLicense {
  readonly token: string;
  readonly kid: string;
  /** When the token, or earlier the license itself, expires. */
  readonly expiresAt: Date;
}

/**
 * Runs the full validation, seat and whitelists included, and signs the license's facts for `ttl` seconds
 * (3 600–7 776 000; 30 days when absent). Throws 404 for an unknown key, 403 with the verdict's code when it is no.
 */
export async function checkoutLicense(
  em: EntityManager,
  ctx: ActionContext,
  request: ValidationRequest & { readonly ttl?: number | null | undefined },
): Promise<OfflineLicense> {
  const ttl = request.ttl ?? TTL_DEFAULT_SECONDS;
  if (ttl < TTL_MIN_SECONDS || ttl > TTL_MAX_SECONDS) {
    throw new InvalidField(
      'ttl',
      `must be between ${TTL_MIN_SECONDS} and ${TTL_MAX_SECONDS} seconds; got ${ttl}`,
    );
  }
  const { verdict, facts } = await validateLicense(em, ctx, request);
  if (!facts) throw new NotFound('license', maskKey(request.key));
  if (!verdict.valid) throw new DomainError(verdict.code, 403, 'License not valid', verdict.message);
  const now = ctx.clock.now();
  const until = new Date(now.getTime() + ttl * 1000);
  const expiresAt = facts.expiresAt !== null && facts.expiresAt < until ? facts.expiresAt : until;
  const { kid, privateKey } = await currentSigner(em, ctx);
  const token = await new SignJWT(await claimsOf(em, facts))
    .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid })
    .setIssuer(ctx.settings.server.publicUrl)
    .setSubject(facts.key)
    .setJti(randomToken())
    .setIssuedAt(seconds(now))
    .setNotBefore(seconds(now))
    .setExpirationTime(seconds(expiresAt))
    .sign(privateKey);
  return { token, kid, expiresAt: new Date(seconds(expiresAt) * 1000) };
}

async function claimsOf(em: EntityManager, facts: LicenseFacts): Promise<Record<string, unknown>> {
  return {
    product: facts.product,
    customer: facts.customer,
    expires_at: facts.expiresAt?.toISOString() ?? null,
    addons: facts.addons,
    variables: facts.variables,
    seats: facts.seats,
    whitelists: await whitelistValues(em, facts.licenseId),
  };
}

/** The values an offline check compares with, by whitelist name. */
async function whitelistValues(em: EntityManager, licenseId: number): Promise<Record<string, string[]>> {
  const { rows } = await sql<{ name: string; values: string[] }>`
    select w.name, array_agg(v.value order by v.created_at, v.value) as values
      from license_whitelist_value v join whitelist w on w.id = v.whitelist_id
     where v.license_id = ${licenseId} group by w.name`.execute(em.getKysely());
  return Object.fromEntries(rows.map((row) => [row.name, row.values]));
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
