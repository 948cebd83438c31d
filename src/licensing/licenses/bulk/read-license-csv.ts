import { GraphQLError } from 'graphql';
import { CsvSyntaxError, csvRecords } from '../../../platform/csv/csv-records.js';
import type { CsvRecord } from '../../../platform/csv/csv-records.js';
import { InvalidField, pointer, show } from '../../../platform/errors.js';
import { DateTimeScalar, NameScalar, TextScalar } from '../../../platform/graphql/scalars.js';
import { LICENSE_STATUSES } from '../license.entity.js';
import { LicenseKeyScalar } from '../license-key.scalar.js';
import type { LicenseInput } from '../license.service.js';
import { BulkProblems } from './bulk-problems.js';
import { BULK_LICENSES_MAX } from './create-licenses.service.js';
import type { LicenseTable } from './import-licenses.service.js';
import { LICENSE_COLUMNS, isColumn, splitNames, unguardFormula } from './license-csv.rules.js';
import type { LicenseColumn } from './license-csv.rules.js';

/** Reads a CSV text by the same scalars that read JSON. What is wrong with a line points at `/csv/<line>/<column>`. */
export function readLicenseCsv(csv: string): LicenseTable {
  const problems = new BulkProblems();
  const [header, ...records] = recordsOf(csv, problems);
  problems.throwIfAny();
  if (!header)
    throw new InvalidField('csv', `must begin with a line of columns: ${LICENSE_COLUMNS.join(',')}`);
  if (records.length > BULK_LICENSES_MAX)
    throw new InvalidField('csv', `must have at most ${BULK_LICENSES_MAX} rows; got ${records.length}`);
  const columns = columnsOf(header, problems);
  // With other columns nothing would be in its place.
  problems.throwIfAny();
  const rows = records.flatMap((record) => {
    const input = readRecord(record, columns, problems);
    return input ? [{ at: pointer('csv', record.line), input }] : [];
  });
  return { rows, problems };
}

function recordsOf(csv: string, problems: BulkProblems): CsvRecord[] {
  try {
    return csvRecords(Buffer.from(csv));
  } catch (error) {
    if (!(error instanceof CsvSyntaxError)) throw error;
    problems.add(pointer('csv', error.line), error.message);
    return [];
  }
}

function columnsOf({ cells, line }: CsvRecord, problems: BulkProblems): LicenseColumn[] {
  const columns = cells.map((cell) => cell.trim());
  const allowed = `allowed are ${LICENSE_COLUMNS.join(', ')}, with commas between them`;
  columns.forEach((column, index) => {
    const at = pointer('csv', line, column);
    if (!isColumn(column))
      problems.add(at, `${show(column)} is not a known column; ${allowed}`, 'UNKNOWN_FIELD');
    else if (columns.indexOf(column) !== index) problems.add(at, `The column ${column} comes twice`);
  });
  return columns.filter(isColumn);
}

function readRecord(
  { cells, line }: CsvRecord,
  columns: readonly LicenseColumn[],
  problems: BulkProblems,
): LicenseInput | undefined {
  if (cells.length !== columns.length) {
    problems.add(pointer('csv', line), `has ${cells.length} cells; the header has ${columns.length} columns`);
    return undefined;
  }
  const input: LicenseInput = {};
  columns.forEach((column, index) => {
    try {
      Object.assign(input, READ[column](cells[index] ?? ''));
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      problems.add(pointer('csv', line, column), `${column} ${error.message}`);
    }
  });
  return input;
}

/** What a cell says. An empty one says null, or nothing of what can't be null. */
const READ: Record<LicenseColumn, (cell: string) => Partial<LicenseInput>> = {
  key: (cell) => optional(cell, (text) => ({ key: LicenseKeyScalar.parseValue(text) })),
  product: (cell) => ({ product: nullable(cell, (text) => NameScalar.parseValue(text)) }),
  customer: (cell) => ({ customer: nullable(cell, (text) => NameScalar.parseValue(text)) }),
  user_id: (cell) => ({ userId: nullable(cell, (text) => NameScalar.parseValue(text)) }),
  status: (cell) => optional(cell, (text) => ({ status: statusOf(text) })),
  expires_at: (cell) => ({ expiresAt: nullable(cell, (text) => DateTimeScalar.parseValue(text)) }),
  seats: (cell) => optional(cell, (text) => ({ seats: wholeNumber(text) })),
  note: (cell) => ({ note: cell === '' ? null : TextScalar.parseValue(unguardFormula(cell)) }),
  addons: (cell) => ({
    addons: splitNames(unguardFormula(cell.trim())).map((name) => NameScalar.parseValue(name)),
  }),
};

function nullable<T>(cell: string, parse: (text: string) => T): T | null {
  const text = unguardFormula(cell.trim());
  return text === '' ? null : parse(text);
}

function optional(cell: string, parse: (text: string) => Partial<LicenseInput>): Partial<LicenseInput> {
  return nullable(cell, parse) ?? {};
}

function statusOf(text: string) {
  const status = LICENSE_STATUSES.find((known) => known === text);
  if (status) return status;
  throw new GraphQLError(`must be one of ${LICENSE_STATUSES.join(', ')}; got ${show(text)}`);
}

const INT_MAX = 2 ** 31 - 1;

function wholeNumber(text: string): number {
  const number = Number(text);
  if (/^[+-]?\d+$/.test(text) && Math.abs(number) <= INT_MAX) return number;
  throw new GraphQLError(`must be a whole number of 32 bits; got ${show(text)}`);
}
