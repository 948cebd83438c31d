/*
 * Arrays as PostgreSQL reads them, in one text (PostgreSQL manual, "Array Input and Output Syntax"). Of an array,
 * node-postgres looks at each element for what kind of value it is and for quotes, which is a twentieth of the time of
 * a validation.
 */

/** An array of numbers or booleans. */
export function plainArray(values: readonly (number | boolean | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}

/** An array of texts. */
export function textArray(values: readonly (string | null)[]): string {
  return `{${values.map(element).join(',')}}`;
}

const SPECIAL = /["\\]/;

function element(value: string | null): string {
  if (value === null) return 'NULL';
  return `"${SPECIAL.test(value) ? value.replace(/["\\]/g, '\\$&') : value}"`;
}
