import type { FileHandle } from 'node:fs/promises';
import type { Command } from 'commander';
import { counted } from '../platform/counted.js';
import { answer } from './answer.js';
import { ask } from './ask.js';
import { CliError } from './cli-error.js';
import { CliCreateLicensesDocument } from './licenses.generated.js';
import type { CreateLicenseInput, LicenseStatus } from './licenses.generated.js';
import { newFile } from './new-file.js';
import { progressBar } from './progress-bar.js';

interface CreateOptions {
  readonly count: number;
  readonly product?: string;
  readonly customer?: string;
  readonly user?: string;
  readonly addon?: string[];
  readonly status?: LicenseStatus;
  readonly expires?: string;
  readonly seats?: number;
  readonly note?: string;
  readonly out?: string;
}

/** Licenses a mutation: each is one transaction, and something moves between them. */
const PIECE_MAX = 5000;

/** `licenses create`. */
export async function createLicenses(options: CreateOptions, command: Command): Promise<void> {
  const { count, out } = options;
  if (count < 1) throw new CliError(2, `--count must be more than 0; got ${count}`);
  // Before anything is created: the keys must have somewhere to go.
  const file = out === undefined ? undefined : await newFile(out);
  try {
    await file?.write('key\n');
    const keys = await createInPieces(command, options, file);
    const keysAre = keys.length === 1 ? 'its key is' : 'their keys are';
    const text =
      out === undefined
        ? keys.join('\n')
        : `${counted(keys.length, 'license is', 'licenses are')} created; ${keysAre} in ${out}.`;
    answer(command, { json: { count: keys.length, ...(out === undefined ? { keys } : { out }) }, text });
  } finally {
    await file?.close();
  }
}

async function createInPieces(
  command: Command,
  options: CreateOptions,
  file: FileHandle | undefined,
): Promise<string[]> {
  const { count } = options;
  const keys: string[] = [];
  const bar = progressBar(count);
  try {
    while (keys.length < count) {
      bar.to(keys.length);
      const piece = Math.min(PIECE_MAX, count - keys.length);
      const input = { count: piece, template: templateOf(options) };
      const { created } = await ask(command, CliCreateLicensesDocument, { input });
      keys.push(...created.keys);
      // At once: a failure later on must not lose what is created by now.
      await file?.write(created.keys.map((key) => `${key}\n`).join(''));
    }
    return keys;
  } catch (error) {
    if (keys.length > 0 && file === undefined) process.stdout.write(`${keys.join('\n')}\n`);
    if (!(error instanceof CliError) || keys.length === 0) throw error;
    const where = options.out === undefined ? 'printed' : `in ${options.out}`;
    const created = `${keys.length} of ${counted(count, 'license')} created; the keys are ${where}.`;
    throw new CliError(error.exitCode, error.message, [...error.details, created]);
  } finally {
    bar.end();
  }
}

function templateOf(options: CreateOptions): CreateLicenseInput {
  return {
    product: options.product,
    customer: options.customer,
    userId: options.user,
    addons: options.addon,
    status: options.status,
    expiresAt: options.expires,
    seats: options.seats,
    note: options.note,
  };
}
