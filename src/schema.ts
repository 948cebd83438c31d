import type { GraphQLSchema } from 'graphql';
import type { NonEmptyArray } from 'type-graphql';
import { botResolvers } from './bot/resolvers.js';
import { SCOPES } from './licensing/api-keys/scopes.js';
import { licensingResolvers } from './licensing/resolvers.js';
import { buildGatewaySchema } from './platform/graphql/schema.js';
import { CronJobResolver } from './platform/jobs/cron-job.resolver.js';
import { JobChangeResolver } from './platform/jobs/job-change.resolver.js';
import { JobResolver } from './platform/jobs/job.resolver.js';
import { SecretsResolver } from './secrets.resolver.js';

/** The one GraphQL schema: every resource of the licensing service, the bot, and the jobs behind them. */
export function createSchema(): GraphQLSchema {
  const resolvers: NonEmptyArray<new () => object> = [
    ...licensingResolvers,
    ...botResolvers,
    JobResolver,
    JobChangeResolver,
    CronJobResolver,
    SecretsResolver,
  ];
  return buildGatewaySchema(resolvers, SCOPES);
}
