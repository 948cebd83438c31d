import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { PageArgs, listComplexity } from '../../platform/graphql/connection.js';
import { DELETED, Deleted } from '../../platform/graphql/deleted.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { attachRule, detachRule } from './rule-attachment.service.js';
import type { Rule } from './rule.entity.js';
import { productNamesByRule } from './rule.loaders.js';
import { findRules } from './rule.repository.js';
import { createRule, deleteRule, updateRule } from './rule.service.js';
import {
  CreateRuleInput,
  RuleConnection,
  RuleFilterInput,
  RuleObject,
  RuleOrderInput,
  UpdateRuleInput,
} from './rule.type.js';

@Resolver(() => RuleObject)
export class RuleResolver {
  @Access('licensing:read')
  @Query(() => RuleConnection, { complexity: listComplexity })
  rules(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => RuleFilterInput, { nullable: true }) filter?: RuleFilterInput | null,
    @Arg('orderBy', () => RuleOrderInput, { nullable: true }) orderBy?: RuleOrderInput | null,
  ) {
    return findRules(ctx.em, filter ?? {}, { first: page.first, after: page.after, orderBy });
  }

  @Access('licensing:write')
  @Mutation(() => RuleObject, { description: 'Without anything given, a rule that does nothing.' })
  createRule(@Ctx() ctx: RequestContext, @Arg('input', () => CreateRuleInput) input: CreateRuleInput) {
    return createRule(ctx.em, ctx, input);
  }

  @Access('licensing:write')
  @Mutation(() => RuleObject, { description: 'Changes what is given; absent members stay.' })
  updateRule(
    @Ctx() ctx: RequestContext,
    @Arg('name', () => String) name: string,
    @Arg('input', () => UpdateRuleInput) input: UpdateRuleInput,
  ) {
    return updateRule(ctx.em, ctx, name, input);
  }

  @Access('licensing:write')
  @Mutation(() => Deleted, { description: 'Products lose it.' })
  async deleteRule(@Ctx() ctx: RequestContext, @Arg('name', () => String) name: string) {
    await deleteRule(ctx.em, ctx, name);
    return DELETED;
  }

  @Access('licensing:write')
  @Mutation(() => [String], { description: "The names of the product's rules afterwards." })
  attachRule(
    @Ctx() ctx: RequestContext,
    @Arg('rule', () => String) rule: string,
    @Arg('product', () => String) product: string,
  ) {
    return attachRule(ctx.em, ctx, rule, product);
  }

  @Access('licensing:write')
  @Mutation(() => [String], { description: "The names of the product's rules afterwards." })
  detachRule(
    @Ctx() ctx: RequestContext,
    @Arg('rule', () => String) rule: string,
    @Arg('product', () => String) product: string,
  ) {
    return detachRule(ctx.em, ctx, rule, product);
  }

  @FieldResolver(() => [String], { description: 'Names of the products it is attached to.' })
  productNames(@Ctx() ctx: RequestContext, @Root() rule: Rule) {
    return ctx.load(productNamesByRule, rule.id);
  }
}
