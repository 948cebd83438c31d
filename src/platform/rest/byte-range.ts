/** Bytes `start` to `end`, both counted from 0 and both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const ONE_RANGE = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i;

/**
 * What a `Range` header asks of so many bytes (RFC 9110 §14.1.2). Undefined means all of them: for several ranges, other
 * units and whatever is none, the header is as good as absent.
 */
export function byteRangeOf(header: string, bytes: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = ONE_RANGE.exec(header) ?? [];
  if (first === '') {
    if (last === '') return undefined;
    // The last so many bytes.
    const length = Math.min(Number(last), bytes);
    return length === 0 ? 'unsatisfiable' : { start: bytes - length, end: bytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? Infinity : Number(last);
  if (end < start) return undefined;
  return start < bytes ? { start, end: Math.min(end, bytes - 1) } : 'unsatisfiable';
}
