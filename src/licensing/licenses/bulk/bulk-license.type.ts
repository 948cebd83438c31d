import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { CreateLicenseInput } from '../license.type.js';

@InputType({ description: 'Either licenses, or a count with a template.' })
export class CreateLicensesInput {
  @Field(() => [CreateLicenseInput], { nullable: true, description: '1–10 000, each as it says.' })
  licenses?: CreateLicenseInput[] | null;

  @Field(() => Int, { nullable: true, description: '1–10 000: how many to create after the template.' })
  count?: number | null;

  @Field(() => CreateLicenseInput, {
    nullable: true,
    description: 'What each of them is, without a key; an empty one when absent.',
  })
  template?: CreateLicenseInput | null;
}

@ObjectType({ simpleResolvers: true })
export class CreatedLicenses {
  @Field(() => Int)
  count!: number;

  @Field(() => [String], { description: 'In the order asked for.' })
  keys!: readonly string[];
}

export enum OnExistingEnum {
  error = 'error',
  skip = 'skip',
  update = 'update',
}
registerEnumType(OnExistingEnum, {
  name: 'OnExisting',
  description: 'What becomes of a row whose key exists already.',
  valuesConfig: {
    error: { description: 'ALREADY_EXISTS, and nothing is imported.' },
    skip: { description: 'The license stays as it is.' },
    update: { description: 'The license is given what the row says; absent columns stay.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'How many rows came to what; together all of them.' })
export class ImportedLicenses {
  @Field(() => Int)
  created!: number;

  @Field(() => Int)
  updated!: number;

  @Field(() => Int, { description: 'They exist, and were left as they were.' })
  skipped!: number;
}

@ObjectType('LicenseCsvPage', { simpleResolvers: true })
export class LicenseCsvPageObject {
  @Field(() => String, { description: 'With the header line on the first page alone.' })
  csv!: string;

  @Field(() => Int, { description: 'Licenses on this page.' })
  count!: number;

  @Field(() => Boolean)
  hasNextPage!: boolean;

  @Field(() => String, { nullable: true, description: 'The next page\'s "after".' })
  endCursor!: string | null;
}
