import type { Command } from 'commander';

/** One answer in both forms. The JSON is a contract for scripts, the text is for eyes. */
export interface Answer {
  readonly json: unknown;
  readonly text: string;
}

/** Writes what the command was asked for, and nothing else, to the standard output. */
export function answer(command: Command, { json, text }: Answer): void {
  const asked = command.optsWithGlobals<{ json?: true }>();
  process.stdout.write(`${asked.json ? JSON.stringify(json, undefined, 2) : text}\n`);
}
