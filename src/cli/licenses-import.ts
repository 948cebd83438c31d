import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import { answer } from './answer.js';
import { ask } from './ask.js';
import { CliError } from './cli-error.js';
import { csvPieces } from './csv-pieces.js';
import type { CsvPiece } from './csv-pieces.js';
import { CliImportLicensesDocument } from './licenses.generated.js';
import type { OnExisting } from './licenses.generated.js';
import { progressBar } from './progress-bar.js';
import { Refusal } from './refusal.js';

interface ImportOptions {
  readonly onExisting: OnExisting;
}

interface Imported {
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
}

/** What one mutation takes comfortably: escaped as JSON a text may be twice as long, and a server reads 8 MiB. */
const PIECE_SIZE = { rowsMax: 5000, bytesMax: 3 * 1024 * 1024 };

/** `licenses import`. */
export async function importLicenses(
  path: string,
  { onExisting }: ImportOptions,
  command: Command,
): Promise<void> {
  const pieces = csvPieces(await contentOf(path), PIECE_SIZE);
  const bar = progressBar(pieces.reduce((rows, piece) => rows + piece.rows, 0));
  let total: Imported = { created: 0, updated: 0, skipped: 0 };
  try {
    let done = 0;
    for (const [index, piece] of pieces.entries()) {
      bar.to(done);
      try {
        const { imported } = await ask(command, CliImportLicensesDocument, { csv: piece.csv, onExisting });
        total = sumOf(total, imported);
      } catch (error) {
        throw error instanceof CliError ? failedAt(pieces, index, error, total) : error;
      }
      done += piece.rows;
    }
  } finally {
    bar.end();
  }
  answer(command, { json: total, text: countsOf(total) });
}

async function contentOf(path: string): Promise<Buffer> {
  if (path === '-') return buffer(process.stdin);
  try {
    return await readFile(path);
  } catch (error) {
    throw new CliError(2, `The file can't be read: ${(error as Error).message}`);
  }
}

function sumOf(a: Imported, b: Imported): Imported {
  return {
    created: a.created + b.created,
    updated: a.updated + b.updated,
    skipped: a.skipped + b.skipped,
  };
}

function countsOf({ created, updated, skipped }: Imported): string {
  return `created ${created}, updated ${updated}, skipped ${skipped}`;
}

/** The error with the file's lines in place of the piece's, and which lines are in. */
function failedAt(pieces: readonly CsvPiece[], index: number, error: CliError, total: Imported): CliError {
  const piece = pieces[index];
  if (!piece) return error;
  const inFile = (text: string) =>
    text.replaceAll(/\/csv\/(\d+)/g, (_, line: string) => `/csv/${piece.fileLine(Number(line))}`);
  const before = pieces.slice(0, index);
  const after = pieces.slice(index + 1);
  const isFinal = error instanceof Refusal && error.isFinal;
  // A command that was given wrongly asked nothing of the server.
  const wasSent = error.exitCode !== 2;
  const summary = [
    ...(before.length > 0 ? [`Lines ${spanOf(before)} are in: ${countsOf(total)}.`] : []),
    isFinal
      ? `Lines ${spanOf([piece])} are not in.`
      : `Lines ${spanOf([piece])} may be in or not; --on-existing skip imports rows with keys once, however often.`,
    ...(after.length > 0 ? [`Lines ${spanOf(after)} were not sent.`] : []),
  ];
  return new CliError(error.exitCode, inFile(error.message), [
    ...error.details.map(inFile),
    ...(wasSent ? summary : []),
  ]);
}

function spanOf(pieces: readonly CsvPiece[]): string {
  return `${pieces[0]?.lines[0] ?? 0}–${pieces.at(-1)?.lines[1] ?? 0}`;
}
