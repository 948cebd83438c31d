import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** How a run of the command line ended. */
export interface CliRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type Cli = (...args: string[]) => Promise<CliRun>;

/** The command line as a process of its own, from source, with this environment and no other. */
export function cliWith(env: Readonly<Record<string, string>>): Cli {
  const command = ['--import', join(ROOT, 'test/support/ts-loader.mjs'), join(ROOT, 'src/cli/main.ts')];
  const { PATH = '', HOME = '' } = process.env;
  // Elsewhere than in the project, whose developer may have a configuration and data of their own.
  const options = { cwd: tmpdir(), env: { PATH, HOME, ...env } };
  return (...args) =>
    new Promise((resolve) => {
      const child = execFile(process.execPath, [...command, ...args], options, (_error, stdout, stderr) => {
        resolve({ exitCode: child.exitCode ?? -1, stdout, stderr });
      });
    });
}
