import { CliError } from './cli-error.js';
import { Refusal } from './refusal.js';

/** What a GraphQL server answers, as far as this client reads it. */
export interface GraphqlAnswer {
  readonly data?: unknown;
  readonly errors?: readonly GraphqlProblem[];
}

interface GraphqlProblem {
  readonly message: string;
  readonly extensions?: {
    readonly code?: string;
    readonly request_id?: string;
    readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
  };
}

/** The answer's data. Throws a {@link Refusal} when it is errors, and a CliError when no GraphQL server has answered. */
export async function readAnswer(url: string, response: Response): Promise<unknown> {
  const answer: unknown = await response.json().catch(() => undefined);
  if (isGraphqlAnswer(answer)) return dataOf(answer);
  throw new CliError(
    1,
    `What answers at ${url} (HTTP ${response.status}) is no licensing server: is LICENSING_URL or --url right?`,
  );
}

/** The same for an answer that was read already. */
export function dataOf({ data, errors = [] }: GraphqlAnswer): unknown {
  const [first, ...others] = errors;
  if (first) throw refusalOf([first, ...others]);
  return data;
}

function isGraphqlAnswer(answer: unknown): answer is GraphqlAnswer {
  if (typeof answer !== 'object' || answer === null) return false;
  // A REST problem has `errors` too, but no message in them.
  if ('errors' in answer && Array.isArray(answer.errors)) {
    return answer.errors.every((error: unknown) => typeof error === 'object' && error && 'message' in error);
  }
  return 'data' in answer && typeof answer.data === 'object';
}

function refusalOf(problems: readonly [GraphqlProblem, ...GraphqlProblem[]]): Refusal {
  const messages = problems.map(({ message, extensions }) =>
    extensions?.code === undefined ? message : `${message} (${extensions.code})`,
  );
  const fields = problems
    .flatMap(({ extensions }) => extensions?.errors ?? [])
    .map(({ pointer, detail }) => `${pointer}: ${detail}`);
  const requestId = problems[0].extensions?.request_id;
  const reference = requestId === undefined ? [] : [`request id: ${requestId}`];
  const codes = problems.flatMap(({ extensions }) => extensions?.code ?? []);
  return new Refusal(codes, messages.join('\n'), [...fields, ...reference]);
}
