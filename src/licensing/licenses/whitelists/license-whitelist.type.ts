import { Field, Int, ObjectType } from 'type-graphql';
import type { WhitelistType } from '../../whitelists/whitelist.entity.js';
import { WhitelistTypeEnum } from '../../whitelists/whitelist.type.js';

@ObjectType('LicenseWhitelistEntry', {
  simpleResolvers: true,
  description: 'A whitelist as one license has it.',
})
export class LicenseWhitelistEntryObject {
  @Field(() => String, { description: "The definition's name." })
  name!: string;

  @Field(() => WhitelistTypeEnum)
  type!: WhitelistType;

  @Field(() => String, { description: 'Where a value is read: header:X-HWID, field:hwid or ip.' })
  source!: string;

  @Field(() => Int, { description: "The license's own limit, else the definition's." })
  limit!: number;

  @Field(() => [String], { description: 'In the order in which they were bound.' })
  values!: string[];

  @Field(() => Boolean, { description: "The definition is global or attached to the license's product." })
  enforced!: boolean;
}
