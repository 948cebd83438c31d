import { CsvError, parse } from 'csv-parse/sync';

/** One record of a CSV text. */
export interface CsvRecord {
  readonly cells: readonly string[];
  /** The line of the text on which it begins, from 1. Quoted line breaks count, as an editor counts them. */
  readonly line: number;
  /** Where it ends with its line break, in bytes of UTF-8 from the beginning of the text. */
  readonly endByte: number;
}

/** The text is no CSV. `line` is where the record that can't be read begins. */
export class CsvSyntaxError extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
    this.name = 'CsvSyntaxError';
  }
}

const LINE_BREAK = /\r\n|\n|\r/g;
const CR = 0x0d;
const LF = 0x0a;

const EXPLANATIONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  INVALID_OPENING_QUOTE:
    'a quote stands inside of a cell; put the whole cell into quotes, and double those within',
  CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote; quotes within a quoted cell are doubled',
};

/**
 * The records of a CSV text (RFC 4180) with commas, its header among them. Takes a byte order mark and any kind of line
 * break; empty lines are left out. Throws {@link CsvSyntaxError}.
 */
export function csvRecords(bytes: Buffer): CsvRecord[] {
  const records: CsvRecord[] = [];
  // The parser's own count takes a quoted CRLF for two lines, so lines are counted here.
  const lines = lineCounter(bytes);
  try {
    parse(bytes, {
      bom: true,
      skip_empty_lines: true,
      relax_column_count: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      // Keeps them here and not there, so that an error knows how far it went.
      on_record: (cells, { bytes: endByte }) => {
        records.push({ cells, line: lines.next(), endByte });
        lines.passTo(endByte);
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new CsvSyntaxError(lines.next(), EXPLANATIONS[error.code] ?? error.message);
  }
  return records;
}

/** Counts lines up to the places it is told, each byte once. */
function lineCounter(bytes: Buffer) {
  let at = 0;
  let line = 1;
  const passTo = (end: number) => {
    line += bytes.toString('utf8', at, end).match(LINE_BREAK)?.length ?? 0;
    at = end;
  };
  return {
    passTo,
    /** The line on which the next record begins. */
    next() {
      let end = at;
      while (bytes[end] === CR || bytes[end] === LF) end += 1;
      passTo(end);
      return line;
    },
  };
}
