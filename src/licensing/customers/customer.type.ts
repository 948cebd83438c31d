import { InputType, ObjectType } from 'type-graphql';
import { connectionOf } from '../../platform/graphql/connection.js';
import { CreateNamedInput, NamedRecordObject, UpdateNamedInput } from '../custom-fields/named-record.type.js';

@ObjectType('Customer', { simpleResolvers: true, description: 'Who holds licenses.' })
export class CustomerObject extends NamedRecordObject {}

@ObjectType()
export class CustomerConnection extends connectionOf('Customer', () => CustomerObject) {}

@InputType()
export class CreateCustomerInput extends CreateNamedInput {}

@InputType()
export class UpdateCustomerInput extends UpdateNamedInput {}
