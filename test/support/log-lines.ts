import { createLogger } from '../../src/platform/logger.js';
import type { Logger } from '../../src/platform/logger.js';

export interface LogLines {
  readonly log: Logger;
  /** Every line so far, as text. */
  readonly lines: string[];
  /** The lines of a level, parsed. */
  at(level: 'debug' | 'info' | 'warn' | 'error'): Record<string, unknown>[];
}

/** The real logger, read along. */
export function logLines(): LogLines {
  const lines: string[] = [];
  const destination = {
    write: (line: string) => {
      lines.push(line);
    },
  };
  return {
    log: createLogger({ level: 'debug', destination, format: 'json' }),
    lines,
    at: (level) =>
      lines
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter((line) => line['level'] === level),
  };
}
