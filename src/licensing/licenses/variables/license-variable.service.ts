import type { EntityManager } from '@mikro-orm/postgresql';
import type { PageRequest, RowPage } from '../../../platform/db/page.js';
import { InvalidField } from '../../../platform/errors.js';
import { findVariableOwner } from '../../variables/variable-owner.repository.js';
import type { Variable } from '../../variables/variable.entity.js';
import { findVariablesOf } from '../../variables/variable.repository.js';

/** The license's own variables, without global, product and user ones. Throws `LICENSE_NOT_FOUND`, and 422 for none. */
export async function listLicenseVariables(
  em: EntityManager,
  license: string,
  request: PageRequest,
): Promise<RowPage<Variable>> {
  if (license === '') throw new InvalidField('license', 'is required');
  return findVariablesOf(em, await findVariableOwner(em, { scope: 'license', owner: license }), request);
}
