import { RE2JS, RE2JSException } from 're2js';

/** A stored pattern, ready to look at text. */
export interface RulePattern {
  /** True when it is found anywhere in the text; `^` and `$` anchor it. */
  test(text: string): boolean;
}

export const PATTERN_LENGTH_MAX = 512;
/** No more of a text is looked at: with {@link PROGRAM_SIZE_MAX} it bounds what one match can cost. */
const TEXT_LENGTH_MAX = 4096;
/** Instructions of a compiled pattern: `x{1,1000}` is short to write and long to run. */
const PROGRAM_SIZE_MAX = 300;

/**
 * Compiles a pattern for an engine without backtracking: its time grows with the text and never explodes, whatever
 * was stored. Throws {@link PatternError} with the reason in words.
 */
export function compilePattern(source: string): RulePattern {
  const compiled = compile(source);
  const size = compiled.programSize();
  if (size > PROGRAM_SIZE_MAX) {
    throw new PatternError(
      `it is too large: ${size} instructions of ${PROGRAM_SIZE_MAX}; use smaller repetitions`,
    );
  }
  return { test: (text) => compiled.test(text.slice(0, TEXT_LENGTH_MAX)) };
}

/** Why a pattern can't be used, in words for whoever wrote it. */
export class PatternError extends Error {}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new PatternError(error.message, { cause: error });
  }
}
