import { CommanderError } from 'commander';
import { ConfigError } from '../config.js';
import { CliError } from './cli-error.js';
import { createProgram } from './program.js';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever reads along has seen enough, as `head` has.
  if (error.code !== 'EPIPE') throw error;
});

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = explain(error);
}

/** Says what went wrong; the process' exit code. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // it has said it already
  if (error instanceof CliError) {
    say([`Error: ${error.message}`, ...error.details.map((line) => `  ${line}`)]);
    return error.exitCode;
  }
  if (error instanceof ConfigError) {
    say([error.message]);
    return 2;
  }
  say([`Unexpected error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`]);
  return 1;
}

function say(lines: readonly string[]): void {
  process.stderr.write(`${lines.join('\n')}\n`);
}
