import { failure } from '../../../platform/errors.js';
import type { FieldProblem } from '../../../platform/errors.js';

/** As many as anyone reads; the rest is counted. */
const PROBLEMS_MAX = 100;
const PROBLEMS_IN_MESSAGE_MAX = 3;

/** Gathers what is wrong with many records, so that whoever sent them learns everything at once. */
export class BulkProblems {
  private readonly kept: FieldProblem[] = [];
  private count = 0;
  private invalidCode: string | undefined;

  /** `code` is `ALREADY_EXISTS` for a key that is taken, else `INVALID_FIELD` or `UNKNOWN_FIELD`. */
  add(pointer: string, detail: string, code = 'INVALID_FIELD'): void {
    this.count += 1;
    if (code !== 'ALREADY_EXISTS') this.invalidCode ??= code;
    if (this.kept.length < PROBLEMS_MAX) this.kept.push({ pointer, code, detail });
  }

  /** Throws with the first 100 problems: 409 `ALREADY_EXISTS` if that is all that is wrong, else 422. */
  throwIfAny(): void {
    if (this.count === 0) return;
    const told = this.kept.slice(0, PROBLEMS_IN_MESSAGE_MAX);
    const more = this.count - told.length;
    const message = [
      ...told.map(({ pointer, detail }) => `${pointer}: ${detail}`),
      ...(more > 0 ? [`and ${more} more`] : []),
    ].join('; ');
    const code = this.invalidCode === undefined ? 'ALREADY_EXISTS' : codeOf(this.invalidCode);
    throw failure(code, message, { problems: this.kept });
  }
}

function codeOf(code: string) {
  return code === 'UNKNOWN_FIELD' ? code : 'INVALID_FIELD';
}
