import { defineEntity, p } from '@mikro-orm/core';

const SessionSchema = defineEntity({
  name: 'Session',
  tableName: 'session',
  properties: {
    token: p.text().primary(),
    /** The order in which sessions were opened; counted by the database. */
    id: p.bigint('number').generated('always as identity'),
    licenseId: p.integer(),
    identifier: p.text(),
    ip: p.text(),
    agent: p.text(),
    /** Seconds that a validation or heartbeat adds. */
    ttl: p.integer(),
    lastSeen: p.datetime(),
    expiresAt: p.datetime(),
    createdAt: p.datetime(),
  },
});

/** A seat in use. It is free at `expiresAt`, by query; a job removes the row soon after. */
export class Session extends SessionSchema.class {}

SessionSchema.setClass(Session);
