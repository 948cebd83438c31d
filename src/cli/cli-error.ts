/** What a command ends with instead of an answer: 1, something went wrong; 2, the command was given wrongly. */
export type FailureCode = 1 | 2;

/** Ends the command with these words for the operator. Holds no secret. */
export class CliError extends Error {
  override readonly name = 'CliError';

  constructor(
    readonly exitCode: FailureCode,
    message: string,
    /** Further lines: the fields that are wrong, the request id. */
    readonly details: readonly string[] = [],
  ) {
    super(message);
  }
}
