import { setTimeout as delay } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { DomainError, failure } from '../../platform/errors.js';
import type { PubSub } from '../../platform/pubsub/pubsub.js';
import { REQUEST_TOPIC } from './bot-requests.js';
import type { BotRequests, RequestKind } from './bot-requests.js';
import { answerRequest, deleteOldRequests, takeRequests } from './request.repository.js';
import type { Answer, AskedBy, TakenRequest } from './request.repository.js';

/** Does what was asked for, in the name of who asked. */
export type RequestHandlers = {
  readonly [Kind in RequestKind]: (
    ctx: ActionContext,
    args: BotRequests[Kind]['args'],
  ) => Promise<BotRequests[Kind]['result']>;
};

export interface RequestDeskOptions {
  readonly orm: MikroORM;
  readonly pubsub: PubSub;
  /** Who takes the requests: the id of this tenure. */
  readonly holder: string;
  /** What every request's context has. */
  readonly base: Pick<ActionContext, 'clock' | 'log' | 'settings' | 'metrics'>;
  readonly handlers: RequestHandlers;
}

/** How often it is looked for requests whose message got lost. */
const LOOK_MS = 2_000;

/** Where the process that runs the bot takes requests, in their order, and answers them. */
export class RequestDesk {
  readonly #options: RequestDeskOptions;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #done: Promise<void> = Promise.resolve();

  constructor(options: RequestDeskOptions) {
    this.#options = options;
  }

  open(): void {
    this.#done = this.#serve();
  }

  /** Takes no more requests, and waits until those taken are answered. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#done;
    await Promise.all(this.#running);
  }

  async #serve(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#serveUntilCut();
      } catch (error) {
        this.#options.base.log.debug({ err: error }, 'requests to the bot are not heard of now');
        await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #serveUntilCut(): Promise<void> {
    const { signal } = this.#closing;
    const wakes = await this.#options.pubsub.subscribe(REQUEST_TOPIC);
    let next = wakes.next();
    // Whoever fails elsewhere in the loop leaves it unheard.
    next.catch(() => undefined);
    try {
      while (!signal.aborted) {
        await this.#take();
        const pause = new AbortController();
        const any = AbortSignal.any([signal, pause.signal]);
        const woken = await Promise.race([
          next.then(() => true),
          delay(LOOK_MS, false, { signal: any }).catch(() => false),
        ]);
        pause.abort();
        if (woken) (next = wakes.next()).catch(() => undefined);
      }
    } finally {
      await wakes.return?.();
    }
  }

  async #take(): Promise<void> {
    const { orm, holder } = this.#options;
    const em = orm.em.fork();
    await deleteOldRequests(em);
    for (const request of await takeRequests(em, holder)) {
      const running = this.#run(request).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  async #run(request: TakenRequest): Promise<void> {
    const { orm, base } = this.#options;
    const answer = await this.#answer(request);
    try {
      await orm.em.fork().transactional((em) => answerRequest(em, request.key, answer));
    } catch (error) {
      base.log.warn(
        { err: error, kind: request.kind },
        'a request to the bot was done, and its answer is lost',
      );
    }
  }

  async #answer({ kind, args, askedBy }: TakenRequest): Promise<Answer> {
    const { handlers, base } = this.#options;
    try {
      // A newer gateway may know more than this process.
      if (!Object.hasOwn(handlers, kind))
        throw failure('UNAVAILABLE', `This bot doesn't know how to '${kind}' yet`);
      const handle = handlers[kind as RequestKind] as (ctx: ActionContext, args: unknown) => Promise<unknown>;
      return { result: await handle({ ...base, ...contextOf(askedBy) }, args) };
    } catch (error) {
      return { error: this.#exposed(error, askedBy) };
    }
  }

  #exposed(error: unknown, { requestId }: AskedBy) {
    if (!(error instanceof DomainError)) {
      this.#options.base.log.error({ err: error, requestId }, 'unexpected error');
    }
    const shown =
      error instanceof DomainError
        ? error
        : failure('INTERNAL', 'Something went wrong on our side; our log has it under this request id');
    const { code, status, title, message, problems, headers } = shown;
    return { code, status, title, message, problems, headers };
  }
}

function contextOf({ name, id, scopes, source, requestId }: AskedBy) {
  return { caller: { name, id, scopes: new Set(scopes), authenticated: true }, source, requestId };
}
