import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';

const PIECE_BYTES = 64 * 1024;
/** As many as are on their way at once: read ahead, held and being written. */
const FREE_MAX = 6;

const owners = new WeakMap<ArrayBufferLike, FileStream>();

/**
 * A part of an open file, which is closed at the end. Whoever is done with a piece may have its memory read into again
 * ({@link recycle}): memory that is made anew for each piece lies outside of the heap, and makes V8 look through all of
 * the heap every 64 MB, which costs more than the sending.
 */
export class FileStream extends Readable {
  readonly #file: FileHandle;
  readonly #end: number;
  #at: number;
  #free: ArrayBufferLike[] = [];

  /** Bytes `start` to `end`, both included. Ends early if the file does. */
  constructor(file: FileHandle, { start, end }: { readonly start: number; readonly end: number }) {
    super({ highWaterMark: PIECE_BYTES });
    this.#file = file;
    this.#at = start;
    this.#end = end;
  }

  /** The piece is not looked at any more by anybody. One that comes from elsewhere is left alone. */
  static recycle({ buffer }: Buffer): void {
    const owner = owners.get(buffer);
    if (owner && owner.#free.length < FREE_MAX) owner.#free.push(buffer);
  }

  override _read(): void {
    const bytes = Math.min(PIECE_BYTES, this.#end - this.#at + 1);
    if (bytes <= 0) {
      this.push(null);
      return;
    }
    const memory = Buffer.from(this.#free.pop() ?? this.#allocate());
    this.#file.read(memory, 0, bytes, this.#at).then(
      ({ bytesRead }) => {
        this.#at += bytesRead;
        this.push(bytesRead === 0 ? null : memory.subarray(0, bytesRead));
      },
      (error: unknown) => this.destroy(error as Error),
    );
  }

  #allocate(): ArrayBufferLike {
    const { buffer } = Buffer.allocUnsafeSlow(PIECE_BYTES);
    owners.set(buffer, this);
    return buffer;
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#free = [];
    this.#file.close().then(
      () => {
        done(error);
      },
      (closing: unknown) => {
        done(error ?? (closing as Error));
      },
    );
  }
}
