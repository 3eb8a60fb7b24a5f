/**
 * Zip archives: members stored, deflated or compressed with zstd, no encryption, no parts. They are somebody else's, so every offset is
 * checked, and nothing becomes larger than it may be. Times are fixed: 1980-01-01.
 */
import { type Compression, type CompressionFormat, HostError } from "../ports.ts";

/** A file in an archive. */
export interface ArchiveEntry {
  readonly path: string;
  readonly content: Uint8Array;
  /** Zip archives keep none. */
  readonly mode: number | undefined;
}

const localMark = 0x0403_4b50;
const centralMark = 0x0201_4b50;
const endMark = 0x0605_4b50;
/** One less than what the 16 bits of the count hold: the last value means zip64, which is not read or written. */
const maxEntries = 65_534;
const maxSize = 0xffff_ffff;
/** Names are UTF-8. */
const utf8Flag = 0x0800;
const firstDay = 0x0021;
const version = 20;
const methods: Readonly<Record<number, CompressionFormat>> = { 8: "deflate", 93: "zstd" };

const tooManyEntries = (): HostError =>
  new HostError("EFBIG", `the archive has more than ${maxEntries} entries`);
const tooMuch = (): HostError => new HostError("EFBIG", "the archive unpacks to more than 268435456 bytes");
const damaged = (): HostError => new HostError("EINVAL", "the archive is damaged or cut off");

/** Packs members one after the other: an archive need never be whole in memory. */
export class ZipPacker {
  private readonly compression: Compression;
  private readonly central: Buffer[] = [];
  private at = 0;

  constructor(compression: Compression) {
    this.compression = compression;
  }

  /** What the archive goes on with. */
  add(path: string, content: Uint8Array): Uint8Array {
    if (this.central.length / 2 === maxEntries) throw tooManyEntries();
    const name = Buffer.from(path);
    const deflated = this.compression.encode("deflate", content);
    const isSmaller = deflated.length < content.length;
    const data = isSmaller ? deflated : content;
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(version, 0);
    facts.writeUInt16LE(utf8Flag, 2);
    facts.writeUInt16LE(isSmaller ? 8 : 0, 4);
    facts.writeUInt16LE(firstDay, 8);
    facts.writeUInt32LE(this.compression.crc32(content), 10);
    facts.writeUInt32LE(data.length, 14);
    facts.writeUInt32LE(content.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(centralMark, 0);
    entry.writeUInt16LE(version, 4);
    facts.copy(entry, 6);
    entry.writeUInt32LE(this.at, 42);
    this.central.push(entry, name);
    const local = Buffer.alloc(4);
    local.writeUInt32LE(localMark, 0);
    return this.taken(Buffer.concat([local, facts, name, data]));
  }

  /** What the archive ends with: how many entries there are, how long their directory is and where it begins. */
  end(): Uint8Array {
    const directory = Buffer.concat(this.central);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(endMark, 0);
    end.writeUInt16LE(this.central.length / 2, 8);
    end.writeUInt16LE(this.central.length / 2, 10);
    end.writeUInt32LE(directory.length, 12);
    end.writeUInt32LE(this.at, 16);
    return this.taken(Buffer.concat([directory, end]));
  }

  private taken(bytes: Buffer): Buffer {
    this.at += bytes.length;
    if (this.at > maxSize) throw new HostError("EFBIG", "a zip archive holds at most 4 GB");
    return bytes;
  }
}

export function writeZip(entries: readonly ArchiveEntry[], compression: Compression): Uint8Array {
  const packer = new ZipPacker(compression);
  const pieces = entries.map(({ path, content }) => packer.add(path, content));
  return new Uint8Array(Buffer.concat([...pieces, packer.end()]));
}

interface ZipMember {
  readonly name: string;
  /** Its bytes, unpacked and checked, at most so many. */
  read(maxBytes: number): Uint8Array;
}

/** Files by the central directory; `limit` counts all of them together. Raises `HostError`s. */
export function zipEntries(data: Uint8Array, compression: Compression, limit: number): ArchiveEntry[] {
  let left = limit;
  return zipMembers(data, compression)
    .filter(({ name }) => !name.endsWith("/"))
    .map(({ name, read }) => {
      const content = read(left);
      left -= content.length;
      return { path: name, content, mode: undefined };
    });
}

/** What is in an archive, folders as well. */
export function zipMembers(data: Uint8Array, compression: Compression): readonly ZipMember[] {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return withinZip(() => {
    const end = findEnd(view);
    const count = view.getUint16(end + 10, true);
    if (count > maxEntries) throw tooManyEntries();
    const members: ZipMember[] = [];
    let at = view.getUint32(end + 16, true);
    for (let i = 0; i < count; i++) {
      if (view.getUint32(at, true) !== centralMark) throw damaged();
      const entry = at;
      const field = (from: number): number => view.getUint16(entry + from, true);
      const name = new TextDecoder().decode(data.subarray(at + 46, at + 46 + field(28)));
      if ((field(8) & 1) !== 0) throw new HostError("EINVAL", `'${name}' is encrypted`);
      members.push({ name, read: (max) => withinZip(() => unpacked(data, entry, name, compression, max)) });
      at += 46 + field(28) + field(30) + field(32);
    }
    return members;
  });
}

function withinZip<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    // An offset that points nowhere.
    throw error instanceof RangeError ? damaged() : error;
  }
}

/** `at`: where its record in the central directory begins. */
function unpacked(
  data: Uint8Array,
  at: number,
  name: string,
  compression: Compression,
  max: number,
): Uint8Array {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const local = view.getUint32(at + 42, true);
  if (view.getUint32(local, true) !== localMark) throw damaged();
  const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  const packed = data.subarray(start, start + view.getUint32(at + 20, true));
  const method = view.getUint16(at + 10, true);
  const format = methods[method];
  if (method !== 0 && format === undefined)
    throw new HostError("EINVAL", `'${name}' is compressed in an unknown way (${method})`);
  const size = view.getUint32(at + 24, true);
  if (size > max || (method === 0 && packed.length > max)) throw tooMuch();
  const content = format === undefined ? packed.slice() : unpackedMember(compression, format, packed, max);
  if (content.length !== size || compression.crc32(content) !== view.getUint32(at + 16, true))
    throw new HostError("EINVAL", `'${name}' is damaged`);
  return content;
}

function unpackedMember(
  compression: Compression,
  format: CompressionFormat,
  packed: Uint8Array,
  max: number,
) {
  try {
    return compression.decode(format, packed, max);
  } catch (error) {
    throw error instanceof HostError && error.code === "EFBIG" ? tooMuch() : error;
  }
}

/** The end record stands last, before a comment of at most 65,535 bytes. */
function findEnd(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 22 - 0xffff); at--) {
    if (view.getUint32(at, true) === endMark) return at;
  }
  throw new HostError("EINVAL", "this is no zip archive");
}
