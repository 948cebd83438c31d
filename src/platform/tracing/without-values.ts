/** More of a statement isn't looked at: thousands of rows are inserted by one. */
const LENGTH_MAX = 8_000;

/** Comments; strings, one that is cut off too; quoted names; parameters, names and numbers. */
const TOKEN =
  /--[^\n]*|[eE]'(?:[^'\\]|\\[^]|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|\$\d+|[a-z_]\w*|\d+(?:\.\d+)?/gi;

/**
 * A statement's text with `?` for each string and number in it, on one line. The ORM writes values into the text, and
 * they are what callers sent: license keys, secrets, names.
 */
export function withoutValues(text: string): string {
  return text
    .slice(0, LENGTH_MAX)
    .replace(TOKEN, (token) => {
      if (token.startsWith('--')) return '';
      return /^(?:'|e'|\d)/i.test(token) ? '?' : token;
    })
    .replace(/\s+/g, ' ')
    .trim();
}
