import type { Logger } from 'pino';

const SEVERITY = /^(DEBUG\d?|LOG|INFO|NOTICE|WARNING|ERROR|FATAL|PANIC):\s/;
const LINES_KEPT = 20;

/** Where the postmaster is in its life; only a running one's FATAL lines are news. */
export type Phase = 'starting' | 'running' | 'stopping';

/** Sends PostgreSQL's stderr to our log and keeps the last lines for the message about a failure. */
export class LogLines {
  phase: Phase = 'starting';
  readonly #log: Logger;
  readonly #last: string[] = [];
  #rest = '';
  #level: 'debug' | 'warn' | 'error' = 'debug';

  constructor(log: Logger) {
    this.#log = log.child({ source: 'postgres' });
  }

  /** Takes a piece of output, which may end anywhere in a line. */
  add(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take(line);
  }

  /** The last lines, for an operator. */
  last(): string {
    return [...this.#last, this.#rest].filter((line) => line !== '').join('\n');
  }

  #take(line: string): void {
    if (line === '') return;
    this.#last.push(line);
    if (this.#last.length > LINES_KEPT) this.#last.shift();
    const severity = SEVERITY.exec(line)?.[1];
    // A line without one (DETAIL, HINT, the rest of a long message) belongs to the line before.
    if (severity) this.#level = this.#levelOf(severity);
    this.#log[this.#level](line);
  }

  #levelOf(severity: string): 'debug' | 'warn' | 'error' {
    switch (severity) {
      case 'FATAL':
      case 'PANIC':
        // While starting, the error that is thrown says it; while stopping, it is one for every open connection.
        return this.phase === 'running' ? 'error' : 'debug';
      case 'WARNING':
        return 'warn';
      default:
        // An ERROR too: whoever sent the statement gets it, and a name that is taken is no news to an operator.
        return 'debug';
    }
  }
}
