import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

/*
 * A writer and a reader of zip archives that share nothing with the program's own.
 */

export interface ZipOptions {
  readonly comment?: Uint8Array;
  /** Bytes ahead of the archive, as a self-extracting one has; its offsets don't count them. */
  readonly ahead?: Uint8Array;
  /** Ends with zip64 records, which hold the numbers. */
  readonly zip64?: boolean;
}

export function zipOf(
  entries: ReadonlyMap<string, Buffer>,
  { comment = Buffer.alloc(0), ahead = Buffer.alloc(0), zip64 = false }: ZipOptions,
): Buffer {
  const locals: Buffer[] = [];
  const headers: Buffer[] = [];
  let at = 0;
  for (const [path, content] of entries) {
    const name = Buffer.from(path);
    const packed = deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    headers.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, rest, name]));
    locals.push(Buffer.from('PK\x03\x04', 'latin1'), common, name, packed);
    at += 4 + 26 + name.length + packed.length;
  }
  const directory = Buffer.concat(headers);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(zip64 ? 0xffff : entries.size, 4);
  end.writeUInt16LE(zip64 ? 0xffff : entries.size, 6);
  end.writeUInt32LE(zip64 ? 0xffffffff : directory.length, 8);
  end.writeUInt32LE(zip64 ? 0xffffffff : at, 12);
  end.writeUInt16LE(comment.length, 16);
  return Buffer.concat([
    ...[ahead, ...locals, directory],
    ...(zip64 ? [zip64Records(at, directory.length, entries.size)] : []),
    ...[Buffer.from('PK\x05\x06', 'latin1'), end, comment],
  ]);
}

function zip64Records(offset: number, bytes: number, entries: number): Buffer {
  const record = Buffer.alloc(52);
  record.writeBigUInt64LE(44n, 0);
  record.writeBigUInt64LE(BigInt(entries), 20);
  record.writeBigUInt64LE(BigInt(entries), 28);
  record.writeBigUInt64LE(BigInt(bytes), 36);
  record.writeBigUInt64LE(BigInt(offset), 44);
  const locator = Buffer.alloc(16);
  locator.writeBigUInt64LE(BigInt(offset + bytes), 4);
  locator.writeUInt32LE(1, 12);
  return Buffer.concat([
    Buffer.from('PK\x06\x06', 'latin1'),
    record,
    Buffer.from('PK\x06\x07', 'latin1'),
    locator,
  ]);
}

export interface ReadZip {
  readonly entries: Map<string, Buffer>;
  readonly comment: Buffer;
}

/** Reads by the directory, checks every number on the way, and throws when one is wrong. */
export function readZip(archive: Buffer): ReadZip {
  const endAt = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  const comment = archive.subarray(endAt + 22);
  check(archive.readUInt16LE(endAt + 20), comment.length);
  let [count, bytes, offset] = [10, 12, 16].map((at, n) =>
    n === 0 ? archive.readUInt16LE(endAt + at) : archive.readUInt32LE(endAt + at),
  ) as [number, number, number];
  let directoryEnd = endAt;
  if (archive.subarray(endAt - 20, endAt - 16).equals(Buffer.from('PK\x06\x07', 'latin1'))) {
    directoryEnd = endAt - 20 - 56;
    [count, bytes, offset] = [32, 40, 48].map((at) => Number(archive.readBigUInt64LE(directoryEnd + at))) as [
      number,
      number,
      number,
    ];
    check(Number(archive.readBigUInt64LE(endAt - 12)), offset + bytes);
  }
  const ahead = directoryEnd - bytes - offset;
  const entries = new Map<string, Buffer>();
  let at = directoryEnd - bytes;
  for (let n = 0; n < count; n++) {
    check(archive.readUInt32LE(at), 0x02014b50);
    const nameBytes = archive.readUInt16LE(at + 28);
    const name = archive.subarray(at + 46, at + 46 + nameBytes);
    const content = contentAt(archive, ahead + archive.readUInt32LE(at + 42), name);
    check(archive.readUInt32LE(at + 16), crc32(content));
    check(archive.readUInt32LE(at + 24), content.length);
    entries.set(name.toString(), content);
    at += 46 + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  check(at, directoryEnd);
  return { entries, comment };
}

function contentAt(archive: Buffer, at: number, name: Buffer): Buffer {
  check(archive.readUInt32LE(at), 0x04034b50);
  const nameBytes = archive.readUInt16LE(at + 26);
  check(archive.subarray(at + 30, at + 30 + nameBytes).compare(name), 0);
  const start = at + 30 + nameBytes + archive.readUInt16LE(at + 28);
  const packed = archive.subarray(start, start + archive.readUInt32LE(at + 18));
  return archive.readUInt16LE(at + 8) === 8 ? inflateRawSync(packed) : Buffer.from(packed);
}

function check(actual: number, expected: number): void {
  if (actual !== expected) throw new Error(`The archive says ${actual} where ${expected} is right`);
}
