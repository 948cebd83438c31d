import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access, OwnTransaction, PUBLIC } from '../../platform/graphql/access.js';
import { PageArgs, listComplexity } from '../../platform/graphql/connection.js';
import { DELETED, Deleted } from '../../platform/graphql/deleted.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { PresentedScalar } from '../../platform/graphql/scalars.js';
import { Limited } from '../../platform/limits/limited.js';
import { DOWNLOAD, ISSUE_DOWNLOAD } from '../limits.js';
import { lookupOf, maskKey } from '../licenses/license-key.rules.js';
import { LicenseObject } from '../licenses/license.type.js';
import { licenseById } from './download.loaders.js';
import { presentedRequest } from '../licenses/validation/presented-request.js';
import { followLink } from './deliver-download.service.js';
import { findDownloads } from './download.repository.js';
import type { DownloadBuild } from './download.repository.js';
import { deleteDownload, revokeDownload } from './download.service.js';
import {
  DownloadConnection,
  DownloadFilterInput,
  DownloadLinkObject,
  DownloadObject,
  IssueDownloadInput,
  IssuedDownloadObject,
} from './download.type.js';
import { issueDownload } from './issue-download.service.js';

@Resolver(() => DownloadObject)
export class DownloadResolver {
  @Access('licensing:read')
  @Query(() => DownloadConnection, {
    complexity: listComplexity,
    description: 'Builds, in the order in which they were issued.',
  })
  downloads(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => DownloadFilterInput, { nullable: true }) filter?: DownloadFilterInput | null,
  ) {
    return findDownloads(ctx.em, filter ?? {}, { first: page.first, after: page.after });
  }

  @Access(PUBLIC)
  @Limited(DOWNLOAD)
  @Query(() => DownloadLinkObject, { description: 'Where a link leads; the token is the credential.' })
  async downloadLink(@Ctx() ctx: RequestContext, @Arg('token', () => PresentedScalar) token: string) {
    const { link, content } = await followLink(ctx.em, ctx, token);
    ctx.facts.license = maskKey(link.licenseKey);
    ctx.facts.product = link.productName;
    if (link.customerName !== null) ctx.facts.customer = link.customerName;
    ctx.content = content;
    const { name, bytes, etag } = content;
    return { buildId: link.buildId, name, bytes, etag };
  }

  @Access(PUBLIC)
  @OwnTransaction()
  @Limited<{ input: IssueDownloadInput }>(ISSUE_DOWNLOAD, ({ input }) => lookupOf(input.key))
  @Mutation(() => IssuedDownloadObject, {
    description: 'A link to a file, for a license that is valid for it; the key is the credential.',
  })
  async issueDownload(
    @Ctx() ctx: RequestContext,
    @Arg('input', () => IssueDownloadInput) input: IssueDownloadInput,
  ) {
    ctx.facts.license = maskKey(input.key);
    const issued = await issueDownload(ctx.em, ctx, presentedRequest(ctx, input));
    ctx.facts.product = issued.productName;
    if (issued.customerName !== null) ctx.facts.customer = issued.customerName;
    return issued;
  }

  @Access('licensing:write')
  @Mutation(() => DownloadObject, {
    description: 'Ends its link, and transfers under way; the build stays.',
  })
  revokeDownload(@Ctx() ctx: RequestContext, @Arg('buildId', () => String) buildId: string) {
    return revokeDownload(ctx.em, ctx, buildId);
  }

  @Access('licensing:write')
  @Mutation(() => Deleted, { description: 'Forgets a build; a leaked file can no longer be traced to it.' })
  async deleteDownload(@Ctx() ctx: RequestContext, @Arg('buildId', () => String) buildId: string) {
    await deleteDownload(ctx.em, ctx, buildId);
    return DELETED;
  }

  @FieldResolver(() => LicenseObject, { nullable: true, description: 'Null once it is deleted.' })
  license(@Ctx() ctx: RequestContext, @Root() build: DownloadBuild) {
    return ctx.load(licenseById, build.licenseId);
  }
}
