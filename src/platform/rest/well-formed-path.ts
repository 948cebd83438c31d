import type { RequestHandler } from 'express';
import { failure } from '../errors.js';

const URL_LENGTH_MAX = 2_048;
/** A GraphQL operation may stand in its query; the headers' bound is its. */
const GRAPHQL = /^\/graphql(?=[/?]|$)/;

/**
 * Refuses what express would let pass, or only notice where a path has parameters: a URL that is too long, a path whose
 * escapes make no text, and a request that doesn't say which host it is for.
 */
export const wellFormedPath: RequestHandler = (req, _res, next) => {
  if (req.headers.host === undefined && req.httpVersionMinor > 0)
    throw failure('MALFORMED_REQUEST', 'The header Host is missing');
  if (req.url.length > URL_LENGTH_MAX && !GRAPHQL.test(req.url)) {
    const detail = `The URL may have at most ${URL_LENGTH_MAX} characters; got ${req.url.length}`;
    throw failure('URL_TOO_LONG', detail);
  }
  try {
    decodeURIComponent(req.path);
  } catch {
    throw failure('BAD_PARAMETER', 'The URL is malformed');
  }
  next();
};
