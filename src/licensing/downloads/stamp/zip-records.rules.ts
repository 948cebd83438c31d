import { crc32 } from 'node:zlib';

/*
 * The records of a zip archive that stamping reads and writes, by their names in APPNOTE.TXT 6.3 §4.3.
 */

const SIGNATURE = {
  localHeader: 0x04034b50,
  directoryHeader: 0x02014b50,
  end: 0x06054b50,
  end64: 0x06064b50,
  locator64: 0x07064b50,
} as const;

export const DIRECTORY_HEADER_BYTES = 46;
export const END_BYTES = 22;
export const LOCATOR64_BYTES = 20;
export const END64_BYTES = 56;
export const COMMENT_BYTES_MAX = 0xffff;

/** What a field of 16 or 32 bits says when the number stands in a zip64 record instead. */
const IN_ZIP64 = { bits16: 0xffff, bits32: 0xffffffff } as const;

/** Where the central directory is: as the archive counts, which may begin behind other bytes of the file. */
export interface Directory {
  readonly offset: number;
  readonly bytes: number;
}

/** The end of central directory record, as far as it matters. */
export interface End extends Directory {
  /** Its own place in the bytes that were searched. */
  readonly at: number;
  readonly comment: Buffer;
}

/** Looks for the record at the end of the last bytes of a file; undefined when there is none, or in several volumes. */
export function findEnd(tail: Buffer): End | undefined {
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== SIGNATURE.end) continue;
    if (at + END_BYTES + tail.readUInt16LE(at + 20) !== tail.length) continue;
    const volume = tail.readUInt32LE(at + 4);
    if (volume !== 0 && volume !== 0xffffffff) return undefined;
    return {
      at,
      offset: tail.readUInt32LE(at + 16),
      bytes: tail.readUInt32LE(at + 12),
      comment: tail.subarray(at + END_BYTES),
    };
  }
  return undefined;
}

/** Where the zip64 end record is, as the archive counts; undefined when these bytes are no locator. */
export function readLocator64(bytes: Buffer): number | undefined {
  if (bytes.length !== LOCATOR64_BYTES || bytes.readUInt32LE(0) !== SIGNATURE.locator64) return undefined;
  return safe(bytes.readBigUInt64LE(8));
}

export function readEnd64(bytes: Buffer): Directory | undefined {
  if (bytes.length < END64_BYTES || bytes.readUInt32LE(0) !== SIGNATURE.end64) return undefined;
  const [size, offset] = [safe(bytes.readBigUInt64LE(40)), safe(bytes.readBigUInt64LE(48))];
  return size === undefined || offset === undefined ? undefined : { bytes: size, offset };
}

function safe(value: bigint): number | undefined {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : undefined;
}

/** One entry of the central directory. */
export interface DirectoryHeader {
  readonly bytes: number;
  readonly name: Buffer;
}

/** Undefined when these bytes don't begin with a header; `incomplete` when they end within it. */
export function readDirectoryHeader(bytes: Buffer): DirectoryHeader | 'incomplete' | undefined {
  if (bytes.length < DIRECTORY_HEADER_BYTES) return 'incomplete';
  if (bytes.readUInt32LE(0) !== SIGNATURE.directoryHeader) return undefined;
  const nameBytes = bytes.readUInt16LE(28);
  const size = DIRECTORY_HEADER_BYTES + nameBytes + bytes.readUInt16LE(30) + bytes.readUInt16LE(32);
  if (bytes.length < size) return 'incomplete';
  return {
    bytes: size,
    name: bytes.subarray(DIRECTORY_HEADER_BYTES, DIRECTORY_HEADER_BYTES + nameBytes),
  };
}

/** A file to be put into an archive as it is, uncompressed. */
export interface NewEntry {
  /** ASCII. */
  readonly name: string;
  readonly content: Buffer;
  readonly modifiedAt: Date;
}

const VERSION_NEEDED = { stored: 10, zip64: 45 } as const;
/** The version of the format, by a system that knows no permissions: tools that check signatures object to them. */
const MADE_BY = VERSION_NEEDED.zip64;

/** The entry as it lies in the archive. */
export function localEntry(entry: NewEntry): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(SIGNATURE.localHeader, 0);
  header.writeUInt16LE(VERSION_NEEDED.stored, 4);
  writeCommon(header, 6, entry);
  return Buffer.concat([header, Buffer.from(entry.name, 'latin1'), entry.content]);
}

/** The entry as the central directory lists it. `offset` is where it lies, as the archive counts. */
export function directoryHeader(entry: NewEntry, offset: number): Buffer {
  const isBig = offset >= IN_ZIP64.bits32;
  const extra = isBig ? Buffer.alloc(12) : Buffer.alloc(0);
  if (isBig) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(8, 2);
    extra.writeBigUInt64LE(BigInt(offset), 4);
  }
  const header = Buffer.alloc(DIRECTORY_HEADER_BYTES);
  header.writeUInt32LE(SIGNATURE.directoryHeader, 0);
  header.writeUInt16LE(MADE_BY, 4);
  header.writeUInt16LE(isBig ? VERSION_NEEDED.zip64 : VERSION_NEEDED.stored, 6);
  writeCommon(header, 8, entry);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(isBig ? IN_ZIP64.bits32 : offset, 42);
  return Buffer.concat([header, Buffer.from(entry.name, 'latin1'), extra]);
}

/** What both headers say alike, from the flags to the length of the name: no flags, stored, time, checksum, sizes. */
function writeCommon(header: Buffer, at: number, { name, content, modifiedAt }: NewEntry): void {
  const { time, date } = dosTime(modifiedAt);
  header.writeUInt16LE(time, at + 4);
  header.writeUInt16LE(date, at + 6);
  header.writeUInt32LE(crc32(content), at + 8);
  header.writeUInt32LE(content.length, at + 12);
  header.writeUInt32LE(content.length, at + 16);
  header.writeUInt16LE(name.length, at + 20);
}

/** UTC, in steps of two seconds; from 1980 to 2107. */
function dosTime(moment: Date): { time: number; date: number } {
  const year = Math.min(Math.max(moment.getUTCFullYear(), 1980), 2107);
  return {
    time: (moment.getUTCHours() << 11) | (moment.getUTCMinutes() << 5) | (moment.getUTCSeconds() >> 1),
    date: ((year - 1980) << 9) | ((moment.getUTCMonth() + 1) << 5) | moment.getUTCDate(),
  };
}

/** The records that end an archive, with those of zip64 where the numbers, or `zip64`, ask for them. */
export function endRecords(
  { offset, bytes }: Directory,
  entries: number,
  { comment, zip64 }: { readonly comment: Buffer; readonly zip64: boolean },
): Buffer {
  const isBig = zip64 || entries >= IN_ZIP64.bits16 || bytes >= IN_ZIP64.bits32 || offset >= IN_ZIP64.bits32;
  const end = Buffer.alloc(END_BYTES);
  end.writeUInt32LE(SIGNATURE.end, 0);
  end.writeUInt16LE(Math.min(entries, IN_ZIP64.bits16), 8);
  end.writeUInt16LE(Math.min(entries, IN_ZIP64.bits16), 10);
  end.writeUInt32LE(Math.min(bytes, IN_ZIP64.bits32), 12);
  end.writeUInt32LE(Math.min(offset, IN_ZIP64.bits32), 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([isBig ? end64(offset, bytes, entries) : Buffer.alloc(0), end, comment]);
}

function end64(offset: number, bytes: number, entries: number): Buffer {
  const records = Buffer.alloc(END64_BYTES + LOCATOR64_BYTES);
  records.writeUInt32LE(SIGNATURE.end64, 0);
  // Of the rest of the record, without its first twelve bytes.
  records.writeBigUInt64LE(BigInt(END64_BYTES - 12), 4);
  records.writeUInt16LE(MADE_BY, 12);
  records.writeUInt16LE(VERSION_NEEDED.zip64, 14);
  records.writeBigUInt64LE(BigInt(entries), 24);
  records.writeBigUInt64LE(BigInt(entries), 32);
  records.writeBigUInt64LE(BigInt(bytes), 40);
  records.writeBigUInt64LE(BigInt(offset), 48);
  records.writeUInt32LE(SIGNATURE.locator64, END64_BYTES);
  records.writeBigUInt64LE(BigInt(offset + bytes), END64_BYTES + 8);
  records.writeUInt32LE(1, END64_BYTES + 16);
  return records;
}
