import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeAfterwards } from './database.js';
import { end } from './embedded-postgres-kit.js';

const ROOT = join(import.meta.dirname, '../..');
const COMMAND = ['--import', join(ROOT, 'test/support/ts-loader.mjs'), join(ROOT, 'src/cli/main.ts')];

/** How a run of the command line ended. */
export interface CliRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type Cli = (...args: string[]) => Promise<CliRun>;

/** The command line as a process of its own, from source, with this environment and no other. */
export function cliWith(env: Readonly<Record<string, string>>): Cli {
  const { PATH = '', HOME = '' } = process.env;
  // Elsewhere than in the project, whose developer may have a configuration and data of their own.
  const options = { cwd: tmpdir(), env: { PATH, HOME, ...env } };
  return (...args) =>
    new Promise((resolve) => {
      const child = execFile(process.execPath, [...COMMAND, ...args], options, (_error, stdout, stderr) => {
        resolve({ exitCode: child.exitCode ?? -1, stdout, stderr });
      });
    });
}

/** A command that goes on until somebody ends it. */
export interface GoingCli {
  readonly child: ChildProcess;
  /** All that it has written so far. */
  stdout(): string;
  stderr(): string;
  /** Its exit code; null when a signal ended it. */
  exit(): Promise<number | null>;
}

/** The same for a command that goes on; ended with the test file at the latest. */
export function goingCli(env: Readonly<Record<string, string>>, ...args: string[]): GoingCli {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [...COMMAND, ...args], {
    ...{ cwd: tmpdir(), env: { PATH, HOME, ...env } },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  closeAfterwards(() => end(child, 'SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const closed = once(child, 'close');
  return {
    ...{ child, stdout: () => stdout, stderr: () => stderr },
    exit: async () => {
      await closed;
      return child.exitCode;
    },
  };
}
