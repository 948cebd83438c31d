import { stringify } from 'csv-stringify/sync';
import type { LicenseState } from './license-plan.rules.js';

/** The columns of an export, in its order. An import takes any of them, in any order. */
export const LICENSE_COLUMNS = [
  ...(['key', 'product', 'customer', 'user_id', 'status'] as const),
  ...(['expires_at', 'seats', 'note', 'addons'] as const),
] as const;
export type LicenseColumn = (typeof LICENSE_COLUMNS)[number];

export function isColumn(name: string): name is LicenseColumn {
  return (LICENSE_COLUMNS as readonly string[]).includes(name);
}

/** The column of an input field: `user_id` of `userId`. */
export function spellColumn(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** What a spreadsheet may run (OWASP's list), behind apostrophes of any number: those must survive a round trip too. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** A text as a cell: an apostrophe ahead of what would be a formula. */
export function guardFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Takes off the apostrophe that {@link guardFormula} puts there. */
export function unguardFormula(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

/** Names in one cell: `;` between them, and a backslash ahead of a `;` or backslash within. */
export function joinNames(names: readonly string[]): string {
  return names.map((name) => name.replaceAll(/[\\;]/g, String.raw`\$&`)).join(';');
}

/** The names in a cell, without spaces around them and empty ones. */
export function splitNames(cell: string): string[] {
  const names = [''];
  for (const [part] of cell.matchAll(/\\[\\;]|[^]/gu)) {
    if (part === ';') names.push('');
    else
      names.push(`${names.pop() ?? ''}${part.length === 2 && part.startsWith('\\') ? part.slice(1) : part}`);
  }
  return names.map((name) => name.trim()).filter((name) => name !== '');
}

interface CsvLicense {
  readonly key: string;
  readonly state: LicenseState;
}

/** Licenses as CSV (RFC 4180) with `\n` behind each record; the header only where it is asked for. */
export function licenseCsv(
  licenses: readonly CsvLicense[],
  { header }: { readonly header: 'with' | 'without' },
): string {
  const records = licenses.map((license) => LICENSE_COLUMNS.map((column) => CELLS[column](license)));
  const lines = header === 'with' ? [[...LICENSE_COLUMNS], ...records] : records;
  // A lone carriage return ends a record for most readers, so it needs the quotes that the library spares it.
  return stringify(lines, { quoted_match: /[\r\n]|^\s|\s$/ });
}

const CELLS: Record<LicenseColumn, (license: CsvLicense) => string> = {
  key: ({ key }) => guardFormula(key),
  product: ({ state }) => guardFormula(state.product?.name ?? ''),
  customer: ({ state }) => guardFormula(state.customer?.name ?? ''),
  user_id: ({ state }) => guardFormula(state.user?.name ?? ''),
  status: ({ state }) => state.status,
  expires_at: ({ state }) => state.expiresAt?.toISOString() ?? '',
  // A number is none that could be run, -1 neither.
  seats: ({ state }) => String(state.seats),
  note: ({ state }) => guardFormula(state.note ?? ''),
  addons: ({ state }) => guardFormula(joinNames(state.addons.map(({ name }) => name))),
};
