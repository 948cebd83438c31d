import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { PageArgs, listComplexity } from '../../platform/graphql/connection.js';
import { DELETED, Deleted } from '../../platform/graphql/deleted.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { JsonObjectScalar } from '../../platform/graphql/scalars.js';
import { customFieldsByRecord } from '../custom-fields/custom-field.loaders.js';
import { shownCustomValues } from '../custom-fields/custom-field.rules.js';
import { findNamedRecords } from '../custom-fields/named-record.repository.js';
import { NamedRecordFilter, NamedRecordOrder } from '../custom-fields/named-record.type.js';
import { CUSTOMER } from '../custom-fields/named-records.js';
import type { Customer } from './customer.entity.js';
import { createCustomer, deleteCustomer, updateCustomer } from './customer.service.js';
import {
  CreateCustomerInput,
  CustomerConnection,
  CustomerObject,
  UpdateCustomerInput,
} from './customer.type.js';

@Resolver(() => CustomerObject)
export class CustomerResolver {
  @Access('licensing:read')
  @Query(() => CustomerConnection, { complexity: listComplexity })
  customers(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => NamedRecordFilter, { nullable: true }) filter?: NamedRecordFilter | null,
    @Arg('orderBy', () => NamedRecordOrder, { nullable: true }) orderBy?: NamedRecordOrder | null,
  ) {
    return findNamedRecords(ctx.em, CUSTOMER, filter ?? {}, {
      first: page.first,
      after: page.after,
      orderBy,
    });
  }

  @Access('licensing:write')
  @Mutation(() => CustomerObject)
  createCustomer(
    @Ctx() ctx: RequestContext,
    @Arg('input', () => CreateCustomerInput) input: CreateCustomerInput,
  ) {
    return createCustomer(ctx.em, ctx, input);
  }

  @Access('licensing:write')
  @Mutation(() => CustomerObject, { description: 'Changes what is given; absent members stay.' })
  updateCustomer(
    @Ctx() ctx: RequestContext,
    @Arg('name', () => String) name: string,
    @Arg('input', () => UpdateCustomerInput) input: UpdateCustomerInput,
  ) {
    return updateCustomer(ctx.em, ctx, name, input);
  }

  @Access('licensing:write')
  @Mutation(() => Deleted, {
    description: 'IN_USE when licenses refer to it; force unlinks and suspends them.',
  })
  async deleteCustomer(
    @Ctx() ctx: RequestContext,
    @Arg('name', () => String) name: string,
    @Arg('force', () => Boolean, { nullable: true }) force?: boolean | null,
  ) {
    await deleteCustomer(ctx.em, ctx, name, { force: force ?? false });
    return DELETED;
  }

  @FieldResolver(() => JsonObjectScalar, {
    description: 'Every defined custom field; null where it has no value.',
  })
  async custom(@Ctx() ctx: RequestContext, @Root() customer: Customer) {
    return shownCustomValues(await ctx.load(customFieldsByRecord, 'customer'), customer.custom);
  }
}
