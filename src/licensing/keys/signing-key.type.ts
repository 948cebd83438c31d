import { Field, ObjectType } from 'type-graphql';

@ObjectType('PublicKey', { simpleResolvers: true, description: 'A JSON Web Key (RFC 8037), Ed25519.' })
export class PublicKeyObject {
  @Field(() => String)
  kty!: string;

  @Field(() => String)
  crv!: string;

  @Field(() => String, { description: 'The public key, base64url.' })
  x!: string;

  @Field(() => String)
  kid!: string;

  @Field(() => String)
  alg!: string;

  @Field(() => String)
  use!: string;
}

@ObjectType('PublicKeySet', { simpleResolvers: true, description: 'A JSON Web Key Set (RFC 7517).' })
export class PublicKeySetObject {
  @Field(() => [PublicKeyObject])
  keys!: PublicKeyObject[];
}
