import { crc32 } from "node:zlib";

interface Entry {
  readonly local: Buffer;
  readonly central: Buffer;
}

/** Date in archives: 1980-01-01, the format's earliest, makes them reproducible. */
const DOS_DATE = 0x21;
const UTF8_NAMES = 0x0800;
const VERSION = 20;

/** Packs files as ZIP, the only format of Superset's import. */
export function zip(files: ReadonlyMap<string, string>): Uint8Array<ArrayBuffer> {
  let offset = 0;
  const entries: Entry[] = [];
  for (const [path, text] of files) {
    const entry = entryOf(path, Buffer.from(text), offset);
    entries.push(entry);
    offset += entry.local.length;
  }
  const directory = Buffer.concat(entries.map(({ central }) => central));
  const locals = entries.map(({ local }) => local);
  return new Uint8Array(
    Buffer.concat([...locals, directory, endOfDirectory(entries.length, directory.length, offset)]),
  );
}

function entryOf(path: string, content: Buffer, offset: number): Entry {
  const name = Buffer.from(path);
  // Both headers share version, flags, method, time, date, checksum, sizes and name length.
  const common = Buffer.alloc(26);
  common.writeUInt16LE(VERSION, 0);
  common.writeUInt16LE(UTF8_NAMES, 2);
  common.writeUInt16LE(DOS_DATE, 8);
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(content.length, 14);
  common.writeUInt32LE(content.length, 18);
  common.writeUInt16LE(name.length, 22);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(offset, 10);
  const version = Buffer.alloc(2);
  version.writeUInt16LE(VERSION, 0);
  return {
    local: Buffer.concat([Buffer.from("PK\x03\x04"), common, name, content]),
    central: Buffer.concat([Buffer.from("PK\x01\x02"), version, common, tail, name]),
  };
}

function endOfDirectory(count: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(18);
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([Buffer.from("PK\x05\x06"), end]);
}
