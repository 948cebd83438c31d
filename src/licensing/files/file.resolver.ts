import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { pageSize } from '../../platform/db/page.js';
import { PageArgs, listComplexity } from '../../platform/graphql/connection.js';
import { DELETED, Deleted } from '../../platform/graphql/deleted.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { AddonObject } from '../addons/addon.type.js';
import { addonById } from '../licenses/license.loaders.js';
import { productById } from '../products/product.loaders.js';
import { ProductObject } from '../products/product.type.js';
import type { File } from './file.entity.js';
import { assetsByRepository } from './file.loaders.js';
import { findFiles } from './file.repository.js';
import { createFile, deleteFile, findFile, updateFile } from './file.service.js';
import {
  CreateFileInput,
  FileConnection,
  FileFilterInput,
  FileObject,
  FileOrderInput,
  FileVersionObject,
  UpdateFileInput,
} from './file.type.js';
import { isIssuable } from './issuable.rules.js';
import { listRepositories } from './release-list.service.js';
import { versionsOf } from './release.rules.js';

@Resolver(() => FileObject)
export class FileResolver {
  @Access('licensing:read')
  @Query(() => FileConnection, { complexity: listComplexity })
  files(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => FileFilterInput, { nullable: true }) filter?: FileFilterInput | null,
    @Arg('orderBy', () => FileOrderInput, { nullable: true }) orderBy?: FileOrderInput | null,
  ) {
    return findFiles(ctx.em, filter ?? {}, { first: page.first, after: page.after, orderBy });
  }

  @Access('licensing:read')
  @Query(() => FileObject)
  file(@Ctx() ctx: RequestContext, @Arg('name', () => String) name: string) {
    return findFile(ctx.em, name);
  }

  @Access('licensing:read')
  @Query(() => [String], {
    description: 'The repositories of the storage provider, as `owner/name`, in order.',
  })
  fileRepositories(@Ctx() ctx: RequestContext) {
    return listRepositories(ctx);
  }

  @Access('licensing:write')
  @Mutation(() => FileObject, { description: 'Without product, repo and asset, one that cannot be issued.' })
  createFile(@Ctx() ctx: RequestContext, @Arg('input', () => CreateFileInput) input: CreateFileInput) {
    return createFile(ctx.em, ctx, input);
  }

  @Access('licensing:write')
  @Mutation(() => FileObject, { description: 'Changes what is given; absent members stay, null clears.' })
  updateFile(
    @Ctx() ctx: RequestContext,
    @Arg('name', () => String) name: string,
    @Arg('input', () => UpdateFileInput) input: UpdateFileInput,
  ) {
    return updateFile(ctx.em, ctx, name, input);
  }

  @Access('licensing:write')
  @Mutation(() => Deleted, { description: 'What the provider has stays there.' })
  async deleteFile(@Ctx() ctx: RequestContext, @Arg('name', () => String) name: string) {
    await deleteFile(ctx.em, ctx, name);
    return DELETED;
  }

  @FieldResolver(() => ProductObject, { nullable: true })
  product(@Ctx() ctx: RequestContext, @Root() file: File) {
    return file.product && ctx.load(productById, file.product.id);
  }

  @FieldResolver(() => String, { nullable: true })
  async productName(@Ctx() ctx: RequestContext, @Root() file: File) {
    return (await this.product(ctx, file))?.name ?? null;
  }

  @FieldResolver(() => AddonObject, { nullable: true })
  addon(@Ctx() ctx: RequestContext, @Root() file: File) {
    return file.addon && ctx.load(addonById, file.addon.id);
  }

  @FieldResolver(() => String, { nullable: true })
  async addonName(@Ctx() ctx: RequestContext, @Root() file: File) {
    return (await this.addon(ctx, file))?.name ?? null;
  }

  @FieldResolver(() => Boolean, { description: 'Whether it names a product, a repository and an asset.' })
  issuable(@Root() file: File) {
    return isIssuable(file);
  }

  @FieldResolver(() => [FileVersionObject], {
    nullable: true,
    complexity: listComplexity,
    description: 'What the provider has, the newest first; null with an error when the provider is away.',
  })
  async versions(
    @Ctx() ctx: RequestContext,
    @Root() file: File,
    @Arg('first', () => Int, { nullable: true, description: '1–500; 50 when absent.' }) first?: number | null,
  ) {
    const assets = file.repo === null ? [] : await ctx.load(assetsByRepository, file.repo);
    return versionsOf(assets, file.asset).slice(0, pageSize({ first }));
  }
}
