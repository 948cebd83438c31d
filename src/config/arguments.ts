import { parseArgs } from 'node:util';
import type { Given } from './file.js';
import type { OptionKey } from './options.js';
import { ConfigError, show } from './problem.js';

/** The program's few arguments, by the options they stand for. Throws a ConfigError for any other. */
export function readArguments(args: readonly string[]): ReadonlyMap<OptionKey, Given> {
  try {
    const { values } = parseArgs({ args: [...args], options: { processes: { type: 'string' } } });
    if (values.processes === undefined) return new Map();
    return new Map([
      ['SERVER.PROCESSES', { value: values.processes.trim(), source: 'argument --processes' }],
    ]);
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
