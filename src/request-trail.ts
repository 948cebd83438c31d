import type { RequestHandler } from 'express';
import type { RequestLog } from './licensing/logs/request-log.service.js';
import type { Clock } from './platform/clock.js';
import type { ClientInfo } from './platform/context.js';
import type { RequestFacts } from './platform/graphql/request-context.js';
import type { Metrics } from './platform/metrics.js';
import { clientOf } from './platform/rest/client-info.js';
import { observeRequest, routeOf } from './platform/rest/metrics.js';
import { shownPath } from './platform/rest/shown-path.js';

/** A request that has been answered, by whichever way. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** As it came, with its query. */
  readonly url: string;
  /** The pattern that took it. */
  readonly route: string;
  readonly status: number;
  /** By `performance.now()`. */
  readonly startedAt: number;
  readonly client: ClientInfo;
  readonly facts: RequestFacts;
}

/** What a request leaves behind: its row in the request log, and its time in the metrics. */
export type Trail = (request: AnsweredRequest) => void;

export function requestTrail(requestLog: RequestLog, clock: Clock, metrics: Metrics): Trail {
  return ({ requestId, method, url, route, status, startedAt, client, facts }) => {
    const durationMs = performance.now() - startedAt;
    observeRequest(metrics, { method, route, status, seconds: durationMs / 1000 });
    requestLog.add({
      ...{ requestId, method, path: pathOf(url), status, durationMs },
      code: facts.code ?? null,
      license: facts.license ?? null,
      product: facts.product ?? null,
      customer: facts.customer ?? null,
      ip: client.ip,
      agent: client.agent,
      createdAt: clock.now(),
      isVerdict: facts.isVerdict ?? false,
    });
  };
}

/** What the middleware before has put into `res.locals`. */
interface Locals {
  readonly requestId: string;
  readonly context?: { readonly facts: RequestFacts };
  readonly code?: string;
}

/** Has every request from here on leave its trail when its response is out, or its caller gone. */
export function leaveTrail(trail: Trail): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    res.once('close', () => {
      const { requestId, context, code } = res.locals as Locals;
      trail({
        ...{ requestId, method: req.method, url: req.originalUrl, route: routeOf(req), startedAt },
        status: res.statusCode,
        client: clientOf(req),
        facts: { ...(code === undefined ? {} : { code }), ...context?.facts },
      });
    });
    next();
  };
}

/** Only what is ours to log: no query, which may hold keys. */
function pathOf(url: string): string {
  return shownPath(url.split('?')[0] ?? '');
}
