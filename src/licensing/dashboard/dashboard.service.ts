import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { InvalidField } from '../../platform/errors.js';
import { addUpLicenseCounts, deleteValidationHours, validationsByHour } from './dashboard.repository.js';
import type { ValidationHour } from './dashboard.repository.js';

const HOUR_MS = 3_600_000;
const HOURS_DEFAULT = 24;
const HOURS_MAX = 24 * 90;

/** Valid and failed validations of the last `hours` hours (1–2160; 24 when absent), at most a second behind. */
export async function recentValidations(
  em: EntityManager,
  ctx: ActionContext,
  hours: number = HOURS_DEFAULT,
): Promise<ValidationHour[]> {
  if (hours < 1 || hours > HOURS_MAX)
    throw new InvalidField('hours', `must be between 1 and ${HOURS_MAX}; got ${hours}`);
  const now = ctx.clock.now();
  return validationsByHour(em, new Date(now.getTime() - (hours - 1) * HOUR_MS), now);
}

/** Forgets the counts that no dashboard can ask for any more. */
export async function forgetOldValidationHours(em: EntityManager, ctx: ActionContext): Promise<void> {
  await deleteValidationHours(em, new Date(ctx.clock.now().getTime() - HOURS_MAX * HOUR_MS));
}

/** Keeps the count of licenses as quick to read as it was at first. */
export async function compactLicenseCounts(em: EntityManager): Promise<void> {
  await addUpLicenseCounts(em);
}
