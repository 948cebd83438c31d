import type { Socket } from 'node:net';
import { Transform, Writable } from 'node:stream';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { create as contentDisposition } from 'content-disposition';
import type { Request, Response } from 'express';
import { failure } from '../errors.js';
import { FileStream } from '../file-stream.js';
import type { Logger } from '../logger.js';
import { byteRangeOf } from './byte-range.js';
import type { ByteRange } from './byte-range.js';

/** A file to be sent as it is: left in the request's context by an operation whose route answers `content`. */
export interface Content {
  /** The name to save it by. */
  readonly name: string;
  readonly bytes: number;
  /** Unquoted; another one whenever a byte differs. */
  readonly etag: string;
  /** Called once, and only when bytes are really to be sent: not for HEAD, 304 or 416. Of no bytes, `end` is -1. */
  open(range: ByteRange): Promise<Transfer>;
}

/** One sending of a part of a {@link Content}. */
export interface Transfer {
  readonly source: Readable;
  /** Aborts when it may not go on. */
  readonly signal: AbortSignal;
  /** Told how many bytes have left so far. */
  progress(bytes: number): void;
  /** All but the last piece have left. That one waits for this: what the client has in full was recorded before. */
  finish(): Promise<void>;
  /** It broke off after so many bytes: instead of `finish`, or after it when the last piece didn't get through. */
  fail(bytes: number): Promise<void>;
}

/** Sends a file, whole or the one range that was asked for, as fast as the client takes it. */
export async function sendContent(content: Content, log: Logger, req: Request, res: Response): Promise<void> {
  const etag = `"${content.etag}"`;
  const headers = {
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, no-store, no-transform',
  };
  if (isKnown(req, etag)) {
    res.writeHead(304, headers).end();
    return;
  }
  const range = req.method === 'HEAD' ? undefined : rangeOf(req, content, etag);
  const { start, end } = range ?? { start: 0, end: content.bytes - 1 };
  const described = {
    ...headers,
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': contentDisposition(content.name),
    'Content-Length': end - start + 1,
    ...(range && { 'Content-Range': `bytes ${start}-${end}/${content.bytes}` }),
  };
  if (req.method === 'HEAD') {
    res.writeHead(200, described).end();
    return;
  }
  const transfer = await content.open({ start, end });
  await send(transfer, end - start + 1, log, () => res.writeHead(range ? 206 : 200, described));
}

function isKnown(req: Request, etag: string): boolean {
  const known = req.get('if-none-match')?.split(',') ?? [];
  return known.some((each) => ['*', etag].includes(each.trim().replace(/^W\//, '')));
}

function rangeOf(req: Request, { bytes }: Content, etag: string): ByteRange | undefined {
  const condition = req.get('if-range');
  if (condition !== undefined && condition.trim() !== etag) return undefined;
  const range = byteRangeOf(req.get('range') ?? '', bytes);
  if (range !== 'unsatisfiable') return range;
  throw failure('RANGE_NOT_SATISFIABLE', `There are ${bytes} bytes; none of them is in the range`, {
    headers: { 'Content-Range': `bytes */${bytes}`, ETag: etag },
  });
}

async function send(transfer: Transfer, bytes: number, log: Logger, begin: () => Response): Promise<void> {
  const { source, signal } = transfer;
  let left = 0;
  let held: Buffer | undefined;
  const holdLast = new Transform({
    transform(piece: Buffer, _encoding, done) {
      const ready = held;
      held = piece;
      left += ready?.length ?? 0;
      transfer.progress(left);
      done(left + piece.length > bytes ? new Error(`The file has more than ${bytes} bytes`) : null, ready);
    },
    flush(done) {
      const all = left + (held?.length ?? 0);
      if (all < bytes) {
        done(new Error(`The file ended after ${all} of ${bytes} bytes`));
        return;
      }
      transfer.finish().then(() => {
        left = all;
        done(null, held);
      }, done);
    },
  });
  let socket: Socket | null;
  try {
    const res = begin();
    ({ socket } = res);
    // While it waited for this to begin.
    if (res.destroyed) throw hungUp();
    if (socket && !res.shouldKeepAlive) closeInStages(socket);
    await pipeline(source, holdLast, into(res), { signal });
  } catch (error) {
    source.destroy();
    if (!HANG_UPS.has((error as NodeJS.ErrnoException).code ?? ''))
      log.warn({ err: error }, 'a file could not be sent to its end');
    await reported(transfer.fail(left), log);
    return;
  }
  if (socket) watch(socket, () => void reported(transfer.fail(assumedRead(left)), log));
}

/** The response as a stream that gives memory back as soon as its bytes are with the system. */
function into(res: Response): Writable {
  const stream = new Writable({
    write(piece: Buffer, _encoding, done) {
      res.write(piece, (error) => {
        FileStream.recycle(piece);
        done(error);
      });
    },
    final(done) {
      res.end(done);
    },
    destroy(error, done) {
      if (error) res.destroy();
      done(error);
    },
  });
  // The pipeline hears of it; nobody else needs to.
  stream.on('error', () => undefined);
  const end = () => stream.destroy(hungUp());
  res.once('close', end).once('error', end);
  return stream;
}

function hungUp(): Error {
  return Object.assign(new Error('The client hung up'), { code: HANG_UP });
}

const HANG_UP = 'ERR_STREAM_PREMATURE_CLOSE';
/** What a transfer ends in when the client, or its signal, ends it. */
const HANG_UPS = new Set([HANG_UP, 'ECONNRESET', 'EPIPE', 'ABORT_ERR']);

/** What a system keeps of a connection, unread, at most by custom: the sender's buffer and the receiver's. */
const IN_BUFFERS_MAX = 8 * 1024 * 1024;

/** The connection was reset after everything had left: something wasn't read, and nobody can tell how much. */
function assumedRead(bytes: number): number {
  return Math.ceil(Math.max(bytes / 2, bytes - IN_BUFFERS_MAX));
}

/** How long a client may take to close its side, or to read what is on its way. */
const LINGER_MS = 30_000;

/**
 * Of a connection that ends with its response only our side is closed at first (RFC 9112 §9.6): were it closed at once,
 * whether the client has read everything would remain unknown.
 */
function closeInStages(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    socket.setTimeout(LINGER_MS, () => socket.destroy());
  };
}

const watches = new WeakMap<Socket, (hadError: boolean) => void>();

/** Calls back when the connection is reset before the client has sent anything else on it. */
function watch(socket: Socket, onReset: () => void): void {
  const before = watches.get(socket);
  if (before) socket.off('close', before);
  const { bytesRead } = socket;
  const onClose = (hadError: boolean) => {
    if (hadError && socket.bytesRead === bytesRead) onReset();
  };
  watches.set(socket, onClose);
  socket.once('close', onClose);
}

/** Nobody waits for an answer any more. */
async function reported(work: Promise<void>, log: Logger): Promise<void> {
  try {
    await work;
  } catch (error) {
    log.warn({ err: error }, 'the end of a transfer could not be recorded');
  }
}
