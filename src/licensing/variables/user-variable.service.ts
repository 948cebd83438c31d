import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import type { PageRequest, RowPage } from '../../platform/db/page.js';
import { DomainError, NotFound } from '../../platform/errors.js';
import { maskKey } from '../licenses/license-key.rules.js';
import { VERDICT_CODES } from '../licenses/validation/verdict.rules.js';
import { findLicenseStanding } from '../licenses/license-standing.repository.js';
import { standingRefusal } from '../licenses/license-standing.rules.js';
import type { VariableOwner } from './variable-owner.repository.js';
import type { Variable } from './variable.entity.js';
import { findVariablesOf } from './variable.repository.js';
import { createVariable, deleteVariable, updateVariable } from './variable.service.js';
import type { VariableInput } from './variable.service.js';

/** The variables of the license that the key opens, and of no other. */
export async function listUserVariables(
  em: EntityManager,
  ctx: ActionContext,
  licenseKey: string,
  request: PageRequest,
): Promise<RowPage<Variable>> {
  return findVariablesOf(em, await authenticate(em, ctx, licenseKey), request);
}

export async function createUserVariable(
  em: EntityManager,
  ctx: ActionContext,
  licenseKey: string,
  input: VariableInput,
): Promise<Variable> {
  return createVariable(em, asHolder(ctx, licenseKey), await authenticate(em, ctx, licenseKey), input);
}

export async function updateUserVariable(
  em: EntityManager,
  ctx: ActionContext,
  licenseKey: string,
  input: VariableInput,
): Promise<Variable> {
  return updateVariable(em, asHolder(ctx, licenseKey), await authenticate(em, ctx, licenseKey), input);
}

export async function deleteUserVariable(
  em: EntityManager,
  ctx: ActionContext,
  licenseKey: string,
  key: string,
): Promise<void> {
  await deleteVariable(em, asHolder(ctx, licenseKey), await authenticate(em, ctx, licenseKey), key);
}

/** The key is the credential: unknown is `LICENSE_NOT_FOUND` (404), not valid 403 with the verdict's code. */
async function authenticate(
  em: EntityManager,
  ctx: ActionContext,
  licenseKey: string,
): Promise<VariableOwner> {
  const holder = await findLicenseStanding(em, licenseKey);
  if (!holder) throw new NotFound('license', maskKey(licenseKey));
  const code = standingRefusal(holder, ctx.clock.now());
  if (code !== undefined) {
    throw new DomainError(code, 403, 'License not valid', VERDICT_CODES[code].message);
  }
  return { scope: 'user', productId: null, licenseId: holder.licenseId, label: maskKey(licenseKey) };
}

/** The activity log names the license that acted, whatever else the request carried. */
function asHolder(ctx: ActionContext, licenseKey: string): ActionContext {
  const { source, requestId, clock, log, settings, metrics } = ctx;
  const caller = { ...ctx.caller, name: `license:${maskKey(licenseKey)}` };
  return { caller, source, requestId, clock, log, settings, metrics };
}
