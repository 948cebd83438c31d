import { Dispatcher } from '../../src/licensing/webhooks/delivery/dispatcher.service.js';
import type { DispatcherOptions } from '../../src/licensing/webhooks/delivery/dispatcher.service.js';
import type { TestApp } from './app.js';
import { closeAfterwards } from './database.js';

/** Settings under which receivers on loopback may be called. */
export const LOOPBACK_ALLOWED = {
  WEBHOOKS_ALLOW_HTTP: 'true',
  WEBHOOKS_ALLOWED_NETWORKS: '127.0.0.0/8',
};

/** Starts the real dispatcher on the app's database; stopped when the file has ended. */
export function startDispatcher(
  { orm, ctx }: TestApp,
  options: Pick<DispatcherOptions, 'resolve' | 'pollMs'> = {},
): Dispatcher {
  // Without a worker beside it that takes the jobs which wake it, it looks by itself.
  const dispatcher = new Dispatcher({ orm, ctx, pollMs: 50, ...options });
  closeAfterwards(() => dispatcher.stop());
  return dispatcher;
}

/** A delivery as REST lists it. */
export interface ListedDelivery {
  readonly id: number;
  readonly webhook: string;
  readonly event: string;
  readonly event_id: string;
  readonly status: string;
  readonly attempts: number;
  readonly code: number | null;
  readonly error: string | null;
  readonly next_attempt_at: string | null;
}

/** A target's deliveries, oldest first. */
export async function deliveriesOf(app: TestApp, webhook: string): Promise<ListedDelivery[]> {
  const { body } = await app.rest('GET', `/webhooks/deliveries?webhook=${encodeURIComponent(webhook)}`);
  return body as ListedDelivery[];
}
