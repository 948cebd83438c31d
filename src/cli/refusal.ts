import { CliError } from './cli-error.js';

/** The server answered, and not with what was asked for. */
export class Refusal extends CliError {
  constructor(
    /** Error codes of the API. */
    readonly codes: readonly string[],
    ...[message, details]: [message: string, details: readonly string[]]
  ) {
    super(1, message, details);
  }

  /** Nothing was changed. A server whose database went away may not know that itself. */
  get isFinal(): boolean {
    return !this.codes.includes('UNAVAILABLE') && !this.codes.includes('INTERNAL');
  }
}
