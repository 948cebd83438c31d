/** Bytes of a value as JSON. */
export const VALUE_BYTES_MAX = 16 * 1024;
/** Arrays and objects within each other; a plain value has none. */
export const VALUE_LEVELS_MAX = 8;
/** Keys that the holder of a license may have. */
export const USER_KEYS_MAX = 100;

/** What is allowed for a value, going on from its name; undefined when it is good. */
export function valueProblem(value: unknown): string | undefined {
  const { levels, extraBytes } = measure(value);
  if (levels > VALUE_LEVELS_MAX) {
    return `must be at most ${VALUE_LEVELS_MAX} levels deep; got ${levels}`;
  }
  const bytes = Buffer.byteLength(JSON.stringify(value)) + extraBytes;
  if (bytes > VALUE_BYTES_MAX) return `must be at most ${VALUE_BYTES_MAX} bytes of JSON; got ${bytes}`;
  return undefined;
}

interface Measure {
  readonly levels: number;
  readonly extraBytes: number;
}

function measure(value: unknown): Measure {
  if (typeof value === 'number') return { levels: 0, extraBytes: hiddenDigits(value) };
  if (typeof value !== 'object' || value === null) return { levels: 0, extraBytes: 0 };
  const inner = Object.values(value).map(measure);
  return {
    levels: 1 + inner.reduce((deepest, each) => Math.max(deepest, each.levels), 0),
    extraBytes: inner.reduce((sum, each) => sum + each.extraBytes, 0),
  };
}

/** The database writes 1e308 with all its digits: sixty times what was sent, in every answer it gives us. */
function hiddenDigits(value: number): number {
  const [, exponent] = /e([+-]\d+)$/.exec(String(value)) ?? [];
  return exponent === undefined ? 0 : Math.abs(Number(exponent));
}

const LOGGED_BYTES_MAX = 1024;

/** A value as the activity log keeps it: a large one only by its size, since each change stores two. */
export function loggedValue(value: unknown): unknown {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  return bytes <= LOGGED_BYTES_MAX ? value : `(${bytes} bytes of JSON)`;
}
