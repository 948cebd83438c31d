import type { Response } from 'express';
import type { DomainError } from '../errors.js';
import { shownPath } from './shown-path.js';

/** RFC 9457 `application/problem+json`, with the error code, the request id and the bad fields beside it. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** The path, but for requests that could not be read. */
  readonly instance: string | undefined;
  readonly code: string;
  readonly request_id: string;
  readonly errors?: DomainError['problems'];
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

export function problemBody(error: DomainError, path: string | undefined, requestId: string): ProblemBody {
  return {
    type: `urn:licensing:error:${error.code}`,
    title: error.title,
    status: error.status,
    detail: error.message,
    instance: path === undefined ? undefined : shownPath(path),
    code: error.code,
    request_id: requestId,
    ...(error.problems.length > 0 ? { errors: error.problems } : {}),
  };
}

/** Sends the problem, or cuts the connection when the response has begun: half an answer must not look whole. */
export function sendProblem(res: Response, error: DomainError, path: string, requestId: string): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value);
  res.status(error.status).type(PROBLEM_TYPE);
  res.send(JSON.stringify(problemBody(error, path, requestId)));
}
