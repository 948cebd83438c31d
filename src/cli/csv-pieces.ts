import { CsvSyntaxError, csvRecords } from '../platform/csv/csv-records.js';
import type { CsvRecord } from '../platform/csv/csv-records.js';
import { CliError } from './cli-error.js';

/** Some rows of a CSV file under its header: a CSV text of its own. */
export interface CsvPiece {
  readonly csv: string;
  readonly rows: number;
  /** The lines of the file on which its first and its last row begin. */
  readonly lines: readonly [first: number, last: number];
  /** The file's line of a line of the piece. */
  fileLine(line: number): number;
}

interface PieceSize {
  readonly rowsMax: number;
  /** A piece holds one row at least, however long. */
  readonly bytesMax: number;
}

/** Splits a CSV file between its rows. Throws when it is no CSV. */
export function csvPieces(file: Buffer, { rowsMax, bytesMax }: PieceSize): CsvPiece[] {
  const [header, ...records] = recordsOf(file);
  if (!header) throw new CliError(1, 'The file is empty: it must begin with a line of columns');
  const pieces: CsvPiece[] = [];
  let start = header.endByte;
  let rows: CsvRecord[] = [];
  const cut = () => {
    const [first, last] = [rows[0], rows.at(-1)];
    if (!first || !last) return;
    pieces.push(pieceOf(file, header, { start, end: last.endByte }, { first, last, count: rows.length }));
    start = last.endByte;
    rows = [];
  };
  for (const record of records) {
    if (rows.length === rowsMax || record.endByte - start > bytesMax) cut();
    rows.push(record);
  }
  cut();
  return pieces;
}

function recordsOf(file: Buffer): CsvRecord[] {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(file);
  } catch {
    throw new CliError(1, 'The file is not UTF-8; save it as "CSV UTF-8"');
  }
  try {
    return csvRecords(file);
  } catch (error) {
    if (!(error instanceof CsvSyntaxError)) throw error;
    throw new CliError(1, `Line ${error.line} can't be read: ${error.message}`);
  }
}

function pieceOf(
  file: Buffer,
  header: CsvRecord,
  { start, end }: { readonly start: number; readonly end: number },
  { first, last, count }: { readonly first: CsvRecord; readonly last: CsvRecord; readonly count: number },
): CsvPiece {
  const headerLines = lineBreaks(file.subarray(0, header.endByte));
  const linesBefore = lineBreaks(file.subarray(0, start));
  return {
    csv: file.toString('utf8', 0, header.endByte) + file.toString('utf8', start, end),
    rows: count,
    lines: [first.line, last.line],
    fileLine: (line) => (line <= headerLines ? line : line - headerLines + linesBefore),
  };
}

function lineBreaks(bytes: Buffer): number {
  return bytes.toString('utf8').match(/\r\n|\n|\r/g)?.length ?? 0;
}
