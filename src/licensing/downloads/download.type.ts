import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { connectionOf } from '../../platform/graphql/connection.js';
import { JsonObjectScalar, PresentedScalar, SafeIntScalar } from '../../platform/graphql/scalars.js';

@ObjectType('Download', {
  simpleResolvers: true,
  description:
    'A build: what was issued to whom. Names are those of now; of what is gone, those of when it was issued.',
})
export class DownloadObject {
  @Field(() => Int)
  id!: number;

  @Field(() => String)
  buildId!: string;

  @Field(() => String)
  fileName!: string;

  @Field(() => String)
  licenseKey!: string;

  @Field(() => String, { nullable: true })
  customerName!: string | null;

  @Field(() => String)
  productName!: string;

  @Field(() => String, { nullable: true, description: 'The addon that the file needs.' })
  addonName!: string | null;

  @Field(() => String, { description: "The release's tag." })
  version!: string;

  @Field(() => Int)
  maxUses!: number;

  @Field(() => Int, { description: 'Complete transfers, and open ones.' })
  uses!: number;

  @Field(() => Date)
  expiresAt!: Date;

  @Field(() => Date, { nullable: true, description: 'First complete transfer.' })
  deliveredAt!: Date | null;

  @Field(() => Boolean)
  revoked!: boolean;

  @Field(() => Date)
  createdAt!: Date;
}

@ObjectType()
export class DownloadConnection extends connectionOf('Download', () => DownloadObject) {}

@InputType('DownloadFilter', {
  description: 'All that is given must hold. Names are those that builds show.',
})
export class DownloadFilterInput {
  @Field(() => String, { nullable: true })
  buildId?: string | null;

  @Field(() => String, { nullable: true, description: 'A license key, however it is typed.' })
  license?: string | null;

  @Field(() => String, { nullable: true })
  customer?: string | null;

  @Field(() => String, { nullable: true })
  product?: string | null;

  @Field(() => String, { nullable: true })
  file?: string | null;
}

@InputType()
export class IssueDownloadInput {
  @Field(() => PresentedScalar, { description: 'The license key.' })
  key!: string;

  @Field(() => PresentedScalar, { description: 'The name of a file.' })
  file!: string;

  @Field(() => PresentedScalar, { nullable: true, description: 'The newest when absent.' })
  version?: string | null;

  @Field(() => Int, { nullable: true, description: '1–100; 1 when absent.' })
  maxUses?: number | null;

  @Field(() => Int, { nullable: true, description: 'Seconds, 60–604800; 3600 when absent.' })
  expiresIn?: number | null;

  @Field(() => JsonObjectScalar, { nullable: true, description: 'What whitelists of the type field read.' })
  fields?: Record<string, unknown> | null;
}

@ObjectType('IssuedDownload', { simpleResolvers: true, description: 'A link; its token is not shown again.' })
export class IssuedDownloadObject {
  @Field(() => String)
  buildId!: string;

  @Field(() => String)
  token!: string;

  @Field(() => String)
  url!: string;

  @Field(() => String)
  productName!: string;

  @Field(() => String, { nullable: true })
  customerName!: string | null;

  @Field(() => String, { description: "The release's tag." })
  version!: string;

  @Field(() => String)
  fileName!: string;

  @Field(() => Date)
  expiresAt!: Date;

  @Field(() => Int)
  maxUses!: number;
}

@ObjectType('DownloadLink', {
  simpleResolvers: true,
  description: 'What GET /download/<token> sends. Looking at it costs no use.',
})
export class DownloadLinkObject {
  @Field(() => String)
  buildId!: string;

  @Field(() => String, { description: 'The name to save it by.' })
  name!: string;

  @Field(() => SafeIntScalar)
  bytes!: number;

  @Field(() => String)
  etag!: string;
}
