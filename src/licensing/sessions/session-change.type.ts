import { Field, ObjectType, registerEnumType } from 'type-graphql';
import { SESSION_CHANGES } from './session-change.js';
import type { SessionChangeKind } from './session-change.js';

const SessionChangeEnum = Object.fromEntries(SESSION_CHANGES.map((change) => [change, change]));
registerEnumType(SessionChangeEnum, {
  name: 'SessionChangeKind',
  description: 'What became of a seat.',
  valuesConfig: {
    OPENED: { description: 'A validation took it.' },
    CLOSED: { description: 'Its client gave it back.' },
    EXPIRED: { description: 'Its time was over; told when it is removed, within a minute.' },
    REVOKED: { description: 'An administrator ended it, or deleted its license.' },
  },
});

@ObjectType('SessionChange', { simpleResolvers: true, description: 'A seat was taken or given back.' })
export class SessionChangeObject {
  @Field(() => SessionChangeEnum)
  change!: SessionChangeKind;

  @Field(() => String, { description: 'Names the seat.' })
  identifier!: string;

  @Field(() => Date)
  at!: Date;
}
