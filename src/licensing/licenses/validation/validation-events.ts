import type { ActionContext } from '../../../platform/context.js';
import { isConnectionLost } from '../../../platform/db/database-errors.js';
import { perDatabase } from '../../../platform/db/per-database.js';
import type { Query } from '../../../platform/db/query.js';
import type { Verdict } from './validation.service.js';

/** What is told of a validation: the verdict, and which license it was about; null for an unknown key. */
interface Told {
  readonly license: string | null;
  readonly verdict: Verdict;
}

const EVENTS = { yes: 'license.validation.succeeded', no: 'license.validation.failed' } as const;
const BATCH_MAX = 500;
/** Beyond it, validations wait until there is room: events are never dropped. */
const BUFFER_MAX = 20_000;
const FLUSH_AFTER_MS = 100;

/**
 * Gathers what is to be told of validations off their path, and writes it in batches. Whether anybody wants to be told
 * is asked once a batch, so it costs nothing much when nobody does, and a target that has just subscribed misses nothing.
 * While the database is away everything waits; only a process that is killed, or stopped
 * meanwhile, loses what it had gathered.
 */
export class ValidationEvents {
  readonly #query: Query;
  readonly #ctx: Pick<ActionContext, 'clock' | 'log'>;
  #buffer: Told[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(query: Query, ctx: Pick<ActionContext, 'clock' | 'log'>) {
    this.#query = query;
    this.#ctx = ctx;
  }

  /** Resolves at once, unless the buffer is full. */
  async add(license: string | null, verdict: Verdict): Promise<void> {
    if (this.#buffer.length >= BUFFER_MAX) await this.flush();
    this.#buffer.push({ license, verdict });
    if (this.#buffer.length === BATCH_MAX) void this.flush();
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_AFTER_MS).unref();
  }

  /** Writes everything gathered so far, or as much as the database takes. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** Writes the rest. After the last validation. */
  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
    const events = this.#buffer.length;
    if (events > 0)
      this.#ctx.log.warn({ events }, 'The database is away; webhooks are not told of the last validations');
  }

  async #write(): Promise<void> {
    while (this.#buffer.length > 0) {
      const batch = this.#buffer.slice(0, BATCH_MAX);
      try {
        await this.#publish(batch);
      } catch (error) {
        if (isConnectionLost(error)) {
          this.#timer ??= setTimeout(() => void this.flush(), FLUSH_AFTER_MS * 10).unref();
          return;
        }
        this.#ctx.log.error({ err: error, events: batch.length }, 'events of validations were refused');
      }
      this.#buffer = this.#buffer.slice(batch.length);
    }
  }

  async #publish(batch: readonly Told[]): Promise<void> {
    const [wanted] = await this.#query<{ yes: boolean; no: boolean }>({
      name: 'validation-events-wanted',
      text: 'select event_is_wanted($1) as yes, event_is_wanted($2) as no',
      values: [EVENTS.yes, EVENTS.no],
    });
    const told = { yes: [] as string[], no: [] as string[] };
    for (const { license, verdict } of batch) {
      const kind = verdict.valid ? 'yes' : 'no';
      if (wanted?.[kind]) told[kind].push(JSON.stringify({ license, ...shown(verdict) }));
    }
    if (told.yes.length + told.no.length === 0) return;
    await this.#query({
      name: 'publish-validation-events',
      text: 'select publish_events($1, $5, $3), publish_events($2, $5, $4)',
      values: [EVENTS.yes, EVENTS.no, told.yes, told.no, this.#ctx.clock.now()],
    });
  }
}

/** As REST returns it. */
function shown({ expiresAt, userVariables, ...verdict }: Verdict) {
  const { valid, code, message, product, customer, status, addons, variables, ...others } = verdict;
  return {
    ...{ valid, code, message, product, customer, status, expires_at: expiresAt },
    ...{ addons, variables, user_variables: userVariables, ...others },
  };
}

/** Those of an entity manager's database. */
export const validationEventsOf = perDatabase<Pick<ActionContext, 'clock' | 'log'>, ValidationEvents>(
  (query, { clock, log }) => new ValidationEvents(query, { clock, log }),
);
