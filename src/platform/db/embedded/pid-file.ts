import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, run } from './run.js';

/** What PostgreSQL says about itself in `postmaster.pid`. */
export interface PidFile {
  text: string;
  /** Undefined in a file that is empty: being written, or cut short by a power failure. */
  pid: number | undefined;
  port: number | undefined;
}

const PID_LINE = 0;
const PORT_LINE = 3;
/** Ended, and not yet collected by its parent – in a container without an init perhaps never. */
const ZOMBIE = 'Z';

/** The cluster's pid file, if there is one. */
export async function readPidFile(directory: string): Promise<PidFile | undefined> {
  let text: string;
  try {
    text = await readFile(pathOf(directory), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const lines = text.split('\n');
  return { text, pid: positive(lines[PID_LINE]), port: positive(lines[PORT_LINE]) };
}

/** Removes a pid file that was judged stale, and no other that took its place in the meantime. */
export async function removePidFile(directory: string, stale: PidFile): Promise<void> {
  const aside = join(directory, `postmaster.stale-${randomBytes(6).toString('hex')}`);
  try {
    await rename(pathOf(directory), aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  const text = await readFile(aside, 'utf8');
  // Never over a newer one: link() refuses where a file exists.
  if (text !== stale.text) await link(aside, pathOf(directory)).catch(() => undefined);
  await rm(aside, { force: true });
}

/** Whether a process has that number. One that has ended and was not yet collected counts. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Whether the process is PostgreSQL, running on this directory as far as the system lets us see. */
export async function isPostmasterOf(pid: number, directory: string): Promise<boolean> {
  if (process.platform !== 'linux') {
    const command = await run('ps', ['-o', 'comm=', '-p', String(pid)]).catch(() => '');
    return /(^|\/)postgres\s*$/.test(command);
  }
  const [, name, state] =
    /^\d+ \((.*)\) (\S)/s.exec(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')) ?? [];
  if (name !== 'postgres' || state === ZOMBIE) return false;
  try {
    // A postmaster's working directory is its cluster, under whatever name.
    const [theirs, ours] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(directory)]);
    return theirs.dev === ours.dev && theirs.ino === ours.ino;
  } catch (error) {
    // Containers deny even root a look at another user's process; then its name must do.
    return ['EACCES', 'EPERM'].includes(codeOf(error) ?? '');
  }
}

function pathOf(directory: string): string {
  return join(directory, 'postmaster.pid');
}

function positive(line: string | undefined): number | undefined {
  const number = Number(line);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}
