import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { connectionOf } from '../../platform/graphql/connection.js';

@ObjectType('Session', { simpleResolvers: true, description: 'A seat in use.' })
export class SessionObject {
  @Field(() => String)
  token!: string;

  @Field(() => String, {
    description: 'Names the seat: what the client sent, a whitelist value, or its address.',
  })
  identifier!: string;

  @Field(() => String)
  ip!: string;

  @Field(() => String)
  agent!: string;

  @Field(() => Date)
  lastSeen!: Date;

  @Field(() => Date)
  expiresAt!: Date;

  @Field(() => Date)
  createdAt!: Date;
}

@ObjectType()
export class SessionConnection extends connectionOf('Session', () => SessionObject) {}

@InputType({ description: 'All that is given must hold; nothing given is every open session.' })
export class SessionFilterInput {
  @Field(() => String, { nullable: true })
  token?: string | null;

  @Field(() => String, { nullable: true, description: 'A license key, however it is typed.' })
  license?: string | null;

  @Field(() => String, { nullable: true, description: 'The same, by the name that other endpoints use.' })
  licenseKey?: string | null;

  @Field(() => String, { nullable: true })
  identifier?: string | null;
}

@ObjectType('Heartbeat', { simpleResolvers: true })
export class HeartbeatObject {
  @Field(() => String)
  token!: string;

  @Field(() => Date)
  lastSeen!: Date;

  @Field(() => Date)
  expiresAt!: Date;
}

@ObjectType('ClosedSession', { simpleResolvers: true })
export class ClosedSessionObject {
  @Field(() => Boolean)
  closed!: boolean;
}

@ObjectType('RevokedSessions', { simpleResolvers: true })
export class RevokedSessionsObject {
  @Field(() => Boolean, { description: 'Whether there was any.' })
  revoked!: boolean;

  @Field(() => Int, { description: 'How many there were.' })
  cleared!: number;
}
