/** A caller's text within a LIKE pattern: its `%`, `_` and `\` are characters, not wildcards. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
