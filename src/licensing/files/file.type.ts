import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { connectionOf, orderOf } from '../../platform/graphql/connection.js';
import { NameScalar, SafeIntScalar } from '../../platform/graphql/scalars.js';

@ObjectType('File', {
  simpleResolvers: true,
  description: 'Something that licenses of a product may download: which asset of which repository.',
})
export class FileObject {
  @Field(() => Int)
  id!: number;

  @Field(() => String)
  name!: string;

  @Field(() => String, { nullable: true, description: 'Where its releases are: `owner/name`.' })
  repo!: string | null;

  @Field(() => String, { nullable: true, description: "The asset's name, or a pattern with *, ? and {a,b}." })
  asset!: string | null;

  @Field(() => Boolean, { description: 'Whether prereleases count as newest too.' })
  prerelease!: boolean;

  @Field(() => Boolean, {
    description: 'Whether a zip or jar is delivered with an entry that names the build.',
  })
  stamp!: boolean;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  updatedAt!: Date;
}

@ObjectType()
export class FileConnection extends connectionOf('File', () => FileObject) {}

@ObjectType('FileAsset', { simpleResolvers: true, description: 'One file of a release.' })
export class FileAssetObject {
  @Field(() => String)
  name!: string;

  @Field(() => SafeIntScalar)
  bytes!: number;

  @Field(() => String, { nullable: true, description: 'Hex; null when the provider does not know it.' })
  sha256!: string | null;

  @Field(() => Boolean, { description: "Whether the file's `asset` means it." })
  matches!: boolean;
}

@ObjectType('FileVersion', { simpleResolvers: true, description: 'A release, as the provider has it.' })
export class FileVersionObject {
  @Field(() => String, { description: "The release's tag." })
  version!: string;

  @Field(() => Boolean)
  prerelease!: boolean;

  @Field(() => [FileAssetObject], { description: 'By name.' })
  assets!: FileAssetObject[];
}

@InputType()
abstract class FileFieldsInput {
  @Field(() => NameScalar, { nullable: true, description: 'Name of the product whose licenses may have it.' })
  product?: string | null;

  @Field(() => NameScalar, { nullable: true, description: 'Name of an addon that a license needs as well.' })
  addon?: string | null;

  @Field(() => String, { nullable: true, description: '`owner/name`' })
  repo?: string | null;

  @Field(() => String, { nullable: true, description: "The asset's name, or a pattern with *, ? and {a,b}." })
  asset?: string | null;

  @Field(() => Boolean, { nullable: true })
  prerelease?: boolean | null;

  @Field(() => Boolean, { nullable: true })
  stamp?: boolean | null;
}

@InputType()
export class CreateFileInput extends FileFieldsInput {
  @Field(() => NameScalar, { nullable: true, description: 'Generated when absent.' })
  name?: string | null;
}

@InputType()
export class UpdateFileInput extends FileFieldsInput {
  @Field(() => NameScalar, { nullable: true, description: 'Renames; every reference follows.' })
  newName?: string | null;
}

@InputType('FileFilter')
export class FileFilterInput {
  @Field(() => String, { nullable: true, description: 'Exactly this name.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'Of the product of this name.' })
  product?: string | null;

  @Field(() => String, { nullable: true, description: 'For holders of the addon of this name.' })
  addon?: string | null;

  @Field(() => String, { nullable: true, description: '`owner/name`' })
  repo?: string | null;
}

enum FileOrderField {
  id = 'id',
  name = 'name',
  createdAt = 'createdAt',
  updatedAt = 'updatedAt',
}

@InputType('FileOrder')
export class FileOrderInput extends orderOf('File', FileOrderField) {}
