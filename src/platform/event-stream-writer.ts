import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

interface ServerSentEvent {
  readonly id?: number;
  readonly event?: string;
  /** Without line breaks; JSON has none. */
  readonly data: string;
}

/** Proxies hang up on a connection that says nothing for a minute. */
const PING_MS = 25_000;

/**
 * A response of server-sent events (WHATWG HTML, section 9.2): it begins at once, is written no faster than it is read,
 * and says something now and then. A reader who takes nothing from one ping to the next is gone, or as good as, and cut.
 */
export class EventStreamWriter {
  readonly #res: ServerResponse;
  readonly #pinger: NodeJS.Timeout;
  #wasStuck = false;

  constructor(res: ServerResponse) {
    this.#res = res;
    this.#pinger = setInterval(() => {
      this.#ping();
    }, PING_MS);
    res.once('close', () => {
      clearInterval(this.#pinger);
    });
    // The client may have hung up meanwhile.
    if (res.destroyed) clearInterval(this.#pinger);
    res.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
    res.write(':\n\n');
  }

  /** Resolves when there is room for the next. After the end it does nothing. */
  async write(event: ServerSentEvent): Promise<void> {
    const res = this.#res;
    if (this.#isOver || res.write(textOf(event))) return;
    const waiting = new AbortController();
    const { signal } = waiting;
    await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]).finally(() => {
      waiting.abort();
    });
  }

  end(last?: ServerSentEvent): void {
    if (this.#isOver) return;
    this.#res.end(last && textOf(last));
  }

  get #isOver(): boolean {
    return this.#res.writableEnded || this.#res.destroyed;
  }

  #ping(): void {
    const res = this.#res;
    const isStuck = res.writableNeedDrain || res.writableEnded;
    if (!isStuck) res.write(':\n\n');
    else if (this.#wasStuck) res.destroy();
    this.#wasStuck = isStuck;
  }
}

function textOf({ id, event, data }: ServerSentEvent): string {
  const lines = [id === undefined ? [] : `id: ${id}`, event === undefined ? [] : `event: ${event}`];
  return `${[...lines.flat(), `data: ${data}`].join('\n')}\n\n`;
}
