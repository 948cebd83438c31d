import { Readable } from 'node:stream';
import type { ByteRange } from './file-store.js';

/** The range of a stream that begins at byte 0, for a server that answers a range with everything. */
export function cut(stream: Readable, range: ByteRange): Readable {
  return Readable.from(within(stream, range), { objectMode: false });
}

async function* within(stream: Readable, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    const wanted = piece.subarray(Math.max(start - at, 0), Math.max(end + 1 - at, 0));
    if (wanted.length > 0) yield wanted;
    at += piece.length;
    if (at > end) return;
  }
}
