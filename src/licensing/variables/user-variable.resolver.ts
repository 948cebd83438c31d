import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Access, PUBLIC } from '../../platform/graphql/access.js';
import { PageArgs, listComplexity } from '../../platform/graphql/connection.js';
import { DELETED, Deleted } from '../../platform/graphql/deleted.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { PresentedScalar } from '../../platform/graphql/scalars.js';
import { Limited } from '../../platform/limits/limited.js';
import { lookupOf, maskKey } from '../licenses/license-key.rules.js';
import { USER_VARIABLES } from '../limits.js';
import {
  createUserVariable,
  deleteUserVariable,
  listUserVariables,
  updateUserVariable,
} from './user-variable.service.js';
import { VariableKeyScalar } from './variable-key.scalar.js';
import { UserVariableInput, VariableConnection, VariableObject } from './variable.type.js';

/** Held to the license's quota. */
const OfHolder = () =>
  Limited<{ licenseKey: string }>(USER_VARIABLES, ({ licenseKey }) => lookupOf(licenseKey));

/** What the holder of a license does with its own variables; the license key is the credential. */
@Resolver()
export class UserVariableResolver {
  @Access(PUBLIC)
  @OfHolder()
  @Query(() => VariableConnection, { complexity: listComplexity, description: 'By license key.' })
  userVariables(
    @Ctx() ctx: RequestContext,
    @Arg('licenseKey', () => PresentedScalar) licenseKey: string,
    @Args(() => PageArgs) { first, after }: PageArgs,
  ) {
    ctx.facts.license = maskKey(licenseKey);
    return listUserVariables(ctx.em, ctx, licenseKey, { first, after });
  }

  @Access(PUBLIC)
  @OfHolder()
  @Mutation(() => VariableObject, { description: 'By license key. At most 100 keys a license.' })
  createUserVariable(
    @Ctx() ctx: RequestContext,
    @Arg('licenseKey', () => PresentedScalar) licenseKey: string,
    @Arg('input', () => UserVariableInput) input: UserVariableInput,
  ) {
    ctx.facts.license = maskKey(licenseKey);
    return createUserVariable(ctx.em, ctx, licenseKey, input);
  }

  @Access(PUBLIC)
  @OfHolder()
  @Mutation(() => VariableObject, { description: 'By license key. Without a value: null.' })
  updateUserVariable(
    @Ctx() ctx: RequestContext,
    @Arg('licenseKey', () => PresentedScalar) licenseKey: string,
    @Arg('input', () => UserVariableInput) input: UserVariableInput,
  ) {
    ctx.facts.license = maskKey(licenseKey);
    return updateUserVariable(ctx.em, ctx, licenseKey, input);
  }

  @Access(PUBLIC)
  @OfHolder()
  @Mutation(() => Deleted, { description: 'By license key.' })
  async deleteUserVariable(
    @Ctx() ctx: RequestContext,
    @Arg('licenseKey', () => PresentedScalar) licenseKey: string,
    @Arg('key', () => VariableKeyScalar) key: string,
  ) {
    ctx.facts.license = maskKey(licenseKey);
    await deleteUserVariable(ctx.em, ctx, licenseKey, key);
    return DELETED;
  }
}
