import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { failure } from '../errors.js';
import type { DomainError } from '../errors.js';
import { rawAnswer, refuseOn } from './raw-answer.js';

export interface HardeningOptions {
  /** In which a request's headers must have come in, counted from its first byte or the connection's begin. */
  readonly headersTimeoutSeconds: number;
  /** In which a request must have come in as a whole. */
  readonly requestTimeoutSeconds: number;
  /** 0: no bound. Who comes next is hung up on. */
  readonly connectionsMax: number;
  /** After so long without a byte in either direction a connection is cut, whatever it waits for. */
  readonly idleMs?: number;
  readonly shouldUpgradeCallback?: (req: IncomingMessage) => boolean;
}

/** The line and all headers of a request. Node's own bound; written down, since the error names it. */
const HEADER_BYTES_MAX = 16 * 1024;
/** Longer than event streams are silent, and than any operation takes. */
const IDLE_MS = 120_000;
/** How late a timeout may be noticed: connections are looked through this often. */
const CHECK_MS = 1_000;

/**
 * An HTTP server that no client can occupy for long, and that speaks our language where Node would answer for itself:
 * headers that are too large, a request that never ends, and bytes that are no HTTP get a problem document as any other
 * mistake does, and their connection is closed.
 */
export function createHardenedServer(options: HardeningOptions, listener: RequestListener): Server {
  const { headersTimeoutSeconds, requestTimeoutSeconds, connectionsMax, shouldUpgradeCallback } = options;
  const answering = new WeakMap<Duplex, ServerResponse>();
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES_MAX,
      // Node refuses to start with more.
      headersTimeout: Math.min(headersTimeoutSeconds, requestTimeoutSeconds) * 1000,
      requestTimeout: requestTimeoutSeconds * 1000,
      connectionsCheckingInterval: CHECK_MS,
      // Looked at by our own middleware, which says what is missing.
      requireHostHeader: false,
      ...(shouldUpgradeCallback && { shouldUpgradeCallback }),
    },
    (req, res) => {
      answering.set(req.socket, res);
      listener(req, res);
    },
  );
  server.setTimeout(options.idleMs ?? IDLE_MS);
  if (connectionsMax > 0) server.maxConnections = connectionsMax;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = answering.get(socket);
    const hasBegun = answer?.headersSent === true && !answer.writableFinished;
    // Half an answer followed by another would be worse than none.
    if (!socket.writable || hasBegun || error.code === 'ECONNRESET') socket.destroy();
    else refuseOn(socket, refusalOf(error, options));
  });
  server.on('checkExpectation', (req, res) => {
    const error = failure('EXPECTATION_FAILED', 'Of the header Expect only "100-continue" is met');
    const { status, headers, body } = rawAnswer(error, req.url?.split('?')[0]);
    res.writeHead(status, headers).end(body);
  });
  return server;
}

/** What the parser, or the clock, has against a request. Its own words quote what was sent, and are not shown. */
function refusalOf({ code }: NodeJS.ErrnoException, options: HardeningOptions): DomainError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return failure('HEADERS_TOO_LARGE', `The headers may have at most ${HEADER_BYTES_MAX} bytes together`);
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return failure('BODY_TOO_LARGE', 'The chunks of the body carry too many extensions');
    case 'ERR_HTTP_REQUEST_TIMEOUT': {
      const { headersTimeoutSeconds, requestTimeoutSeconds } = options;
      return failure(
        'REQUEST_TIMEOUT',
        `The headers must come in within ${headersTimeoutSeconds} s, and the request within ${requestTimeoutSeconds} s`,
      );
    }
    default:
      return failure('MALFORMED_REQUEST', 'This is not a well-formed HTTP/1.1 request');
  }
}
