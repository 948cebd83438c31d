import { InputType, ObjectType } from 'type-graphql';
import { connectionOf } from '../../platform/graphql/connection.js';
import { CreateNamedInput, NamedRecordObject, UpdateNamedInput } from '../custom-fields/named-record.type.js';

@ObjectType('Addon', {
  simpleResolvers: true,
  description: 'Something that a license may hold beside its product.',
})
export class AddonObject extends NamedRecordObject {}

@ObjectType()
export class AddonConnection extends connectionOf('Addon', () => AddonObject) {}

@InputType()
export class CreateAddonInput extends CreateNamedInput {}

@InputType()
export class UpdateAddonInput extends UpdateNamedInput {}
