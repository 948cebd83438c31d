import type { ByteRange } from '../../files/store/file-store.js';
import type { OpenRange, Piece } from './pieces.js';
import {
  COMMENT_BYTES_MAX,
  END64_BYTES,
  END_BYTES,
  LOCATOR64_BYTES,
  directoryHeader,
  endRecords,
  findEnd,
  localEntry,
  readDirectoryHeader,
  readEnd64,
  readLocator64,
} from './zip-records.rules.js';
import type { Directory, End, NewEntry } from './zip-records.rules.js';

/**
 * An archive with one more entry, as pieces of the stored file and of our own: the entry comes behind the others, and
 * the directory and the end of the archive are new. An entry of that name that was there is no longer listed. Reads
 * the directory, in constant memory, and none of the files. Undefined when it is no archive that can be read.
 */
export async function stampArchive(
  bytes: number,
  open: OpenRange,
  entry: NewEntry,
): Promise<Piece[] | undefined> {
  const found = await findDirectory(bytes, open);
  if (!found) return undefined;
  const { directory, at, comment, zip64 } = found;
  const listed = await readDirectory({ start: at, end: at + directory.bytes - 1 }, open, entry.name);
  if (!listed) return undefined;
  const local = localEntry(entry);
  const header = directoryHeader(entry, directory.offset);
  const kept = listed.kept.reduce((sum, { start, end }) => sum + end - start + 1, 0);
  const newDirectory = { offset: directory.offset + local.length, bytes: kept + header.length };
  const end = endRecords(newDirectory, listed.entries + 1, { comment, zip64 });
  const ahead = at > 0 ? [{ start: 0, end: at - 1 }] : [];
  return [...ahead, local, ...listed.kept, Buffer.concat([header, end])];
}

interface Found {
  readonly directory: Directory;
  /** Where the directory really is in the file: not where it says, if something was put ahead of the archive. */
  readonly at: number;
  readonly comment: Buffer;
  readonly zip64: boolean;
}

async function findDirectory(bytes: number, open: OpenRange): Promise<Found | undefined> {
  const tailBytes = Math.min(bytes, END_BYTES + COMMENT_BYTES_MAX + LOCATOR64_BYTES + END64_BYTES);
  if (tailBytes < END_BYTES) return undefined;
  const tailAt = bytes - tailBytes;
  const tail = await read(open, tailAt, tailBytes);
  const end = findEnd(tail);
  if (!end) return undefined;
  const big = await findEnd64(tail, tailAt, end, open);
  const directory = big ?? end;
  const at = (big?.at ?? tailAt + end.at) - directory.bytes;
  // What stands ahead of the archive can only move it back.
  if (at < directory.offset) return undefined;
  return { directory, at, comment: end.comment, zip64: big !== undefined };
}

async function findEnd64(
  tail: Buffer,
  tailAt: number,
  end: End,
  open: OpenRange,
): Promise<(Directory & { at: number }) | undefined> {
  const locatorAt = end.at - LOCATOR64_BYTES;
  if (locatorAt < 0) return undefined;
  const stated = readLocator64(tail.subarray(locatorAt, end.at));
  if (stated === undefined) return undefined;
  // Behind something put ahead of the archive it isn't where the locator says, but right before it, unless extended.
  for (const at of [tailAt + locatorAt - END64_BYTES, stated]) {
    if (at < 0 || at + END64_BYTES > tailAt + locatorAt) continue;
    const found = readEnd64(await read(open, at, END64_BYTES));
    if (found) return { ...found, at };
  }
  return undefined;
}

interface Listed {
  readonly entries: number;
  /** What of the directory stays. */
  readonly kept: ByteRange[];
}

/** Goes through the directory without keeping it; undefined when it is none. */
async function readDirectory(
  range: ByteRange,
  open: OpenRange,
  dropped: string,
): Promise<Listed | undefined> {
  const listed: Listed = { entries: 0, kept: [] };
  if (range.end < range.start) return listed;
  const droppedName = Buffer.from(dropped, 'latin1');
  let entries = 0;
  let at = range.start;
  let keptFrom = at;
  let rest = Buffer.alloc(0);
  for await (const piece of (await open(range)) as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, piece]);
    for (;;) {
      const header = readDirectoryHeader(rest);
      if (header === undefined) return undefined;
      if (header === 'incomplete') break;
      if (header.name.equals(droppedName)) {
        if (at > keptFrom) listed.kept.push({ start: keptFrom, end: at - 1 });
        keptFrom = at + header.bytes;
      } else {
        entries++;
      }
      at += header.bytes;
      rest = rest.subarray(header.bytes);
    }
  }
  if (rest.length > 0) return undefined;
  if (at > keptFrom) listed.kept.push({ start: keptFrom, end: at - 1 });
  return { ...listed, entries };
}

async function read(open: OpenRange, start: number, bytes: number): Promise<Buffer> {
  const stream = await open({ start, end: start + bytes - 1 });
  return Buffer.concat((await stream.toArray()) as Buffer[]);
}
