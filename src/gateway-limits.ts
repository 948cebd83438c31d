import type { MikroORM } from '@mikro-orm/postgresql';
import type { RequestHandler } from 'express';
import { BOT } from './bot/limits.js';
import type { Config } from './config.js';
import { ADMIN } from './licensing/limits.js';
import type { Clock } from './platform/clock.js';
import { nativePool } from './platform/db/orm.js';
import { Limits } from './platform/limits/limits.js';
import { SharedStore } from './platform/limits/shared-store.js';
import type { Logger } from './platform/logger.js';
import type { Metrics } from './platform/metrics.js';
import { clientOf } from './platform/rest/client-info.js';

interface GatewayLimitsOptions {
  readonly config: Config['limits'];
  readonly orm: MikroORM;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** The limits of both APIs; who holds only the bot API's bearer has its quota at `/graphql`, too. */
export function gatewayLimits({ config, orm, clock, log, metrics }: GatewayLimitsOptions): Limits {
  const shared = new SharedStore({ pool: () => nativePool(orm), log, metrics });
  return new Limits({
    ...{ config, clock, metrics },
    ruleOf: ({ id }) => (id === 'auth_secret' ? BOT : ADMIN),
    shared: config.store === 'postgres' ? shared : undefined,
  });
}

/** Counts every request to the bot API, ahead of its credential. */
export function limitBotApi(limits: Limits): RequestHandler {
  return async (req, res, next) => {
    const { headers, refusal } = await limits.take(BOT, clientOf(req).ip);
    if (refusal) throw refusal;
    res.set(headers);
    next();
  };
}
