import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** PostgreSQL gets this and nothing of ours: the server's environment holds secrets, and locale or PG* variables would change its behaviour. */
export const CHILD_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C',
  LC_ALL: 'C',
  TZ: 'UTC',
};

export interface RunOptions {
  uid?: number;
  gid?: number;
}

/** Runs a program to its end and returns what it printed. Throws an Error that carries its `stderr`. */
export async function run(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  // '/' because initdb insists on reading its working directory, which another user may not be able to.
  const { stdout } = await promisify(execFile)(program, args, {
    ...options,
    cwd: '/',
    env: CHILD_ENVIRONMENT,
  });
  return stdout;
}

/** The system error code ('ENOENT', …) or SQLSTATE of anything thrown. */
export function codeOf(error: unknown): string | undefined {
  // By shape, because Node's errors are not `instanceof Error` inside a vm context, such as jest's.
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  const hasMessage = typeof error === 'object' && error !== null && 'message' in error;
  return String(hasMessage ? error.message : error);
}
