import { Readable } from 'node:stream';
import type { ByteRange } from '../../files/store/file-store.js';

/** A part of what is delivered: bytes of the stored file, or bytes of our own. */
export type Piece = ByteRange | Buffer;

/** Opens a part of the stored file. */
export type OpenRange = (range: ByteRange) => Promise<Readable>;

export function bytesOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + lengthOf(piece), 0);
}

/** The pieces one after the other, or a part of that, each opened when its turn comes. */
export function streamPieces(pieces: readonly Piece[], range: ByteRange, open: OpenRange): Readable {
  return Readable.from(read(pieces, range, open), { objectMode: false, highWaterMark: 64 * 1024 });
}

async function* read(pieces: readonly Piece[], { start, end }: ByteRange, open: OpenRange) {
  let at = 0;
  for (const piece of pieces) {
    const [first, last] = [Math.max(start - at, 0), Math.min(end - at, lengthOf(piece) - 1)];
    at += lengthOf(piece);
    if (first > last) continue;
    if (Buffer.isBuffer(piece)) {
      yield piece.subarray(first, last + 1);
    } else {
      const part = await open({ start: piece.start + first, end: piece.start + last });
      yield* part as AsyncIterable<Buffer>;
    }
  }
}

function lengthOf(piece: Piece): number {
  return Buffer.isBuffer(piece) ? piece.length : piece.end - piece.start + 1;
}
