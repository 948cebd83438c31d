import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../src/platform/context.js';

/** What a task gets beside its payload: an entity manager of its own, and the context that services take. */
export interface JobContext extends ActionContext {
  readonly em: EntityManager;
  /** Wakes what sends webhooks in this process. */
  readonly deliverWebhooks: () => void;
}
