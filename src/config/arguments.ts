import { parseArgs } from 'node:util';
import type { Env } from './load.js';
import { ConfigError, show } from './problem.js';

/** The program's few arguments, as the variables they stand for. Throws a ConfigError for any other. */
export function readArguments(args: readonly string[]): Env {
  try {
    const { values } = parseArgs({ args: [...args], options: { processes: { type: 'string' } } });
    return values.processes === undefined ? {} : { SERVER_PROCESSES: values.processes };
  } catch (error) {
    const message =
      (error as Error).message.split('. ')[0]?.replace(/^./, (first) => first.toLowerCase()) ?? '';
    const problem = {
      key: 'arguments',
      value: show(args),
      source: 'the command line',
      allowed: '--processes 4',
    };
    throw new ConfigError([{ ...problem, message }]);
  }
}
