import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { DELETED, Deleted } from '../../platform/graphql/deleted.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import {
  defineCustomField,
  deleteCustomField,
  listCustomFields,
  updateCustomField,
} from './custom-field.service.js';
import {
  CustomFieldObject,
  DefineCustomFieldInput,
  RecordKindEnum,
  UpdateCustomFieldInput,
} from './custom-field.type.js';

@Resolver(() => CustomFieldObject)
export class CustomFieldResolver {
  @Access('licensing:read')
  @Query(() => [CustomFieldObject], { description: 'The custom fields of a kind of record, by name.' })
  customFields(@Ctx() ctx: RequestContext, @Arg('record', () => RecordKindEnum) record: RecordKindEnum) {
    return listCustomFields(ctx.em, record);
  }

  @Access('licensing:write')
  @Mutation(() => CustomFieldObject)
  defineCustomField(
    @Ctx() ctx: RequestContext,
    @Arg('input', () => DefineCustomFieldInput) input: DefineCustomFieldInput,
  ) {
    return defineCustomField(ctx.em, ctx, input);
  }

  @Access('licensing:write')
  @Mutation(() => CustomFieldObject, {
    description: 'Stored values stay; the new rules hold for later writes.',
  })
  updateCustomField(
    @Ctx() ctx: RequestContext,
    @Arg('record', () => RecordKindEnum) record: RecordKindEnum,
    @Arg('name', () => String) name: string,
    @Arg('input', () => UpdateCustomFieldInput) input: UpdateCustomFieldInput,
  ) {
    return updateCustomField(ctx.em, ctx, record, name, input);
  }

  @Access('licensing:write')
  @Mutation(() => Deleted)
  async deleteCustomField(
    @Ctx() ctx: RequestContext,
    @Arg('record', () => RecordKindEnum) record: RecordKindEnum,
    @Arg('name', () => String) name: string,
  ) {
    await deleteCustomField(ctx.em, ctx, record, name);
    return DELETED;
  }
}
