/** Zip archives in memory: entries stored or deflated, no encryption, no parts. Times are fixed: 1980-01-01. */
import { type Compression, HostError } from "../../host/index.ts";
import { utf8 } from "../arguments.ts";
import { joinedBytes } from "../data/bytes.ts";
import type { ArchiveEntry } from "./archive-entry.ts";

const localMark = 0x0403_4b50;
const centralMark = 0x0201_4b50;
const endMark = 0x0605_4b50;
/** One less than what the 16 bits of the count hold: the last value means zip64, which is not read or written. */
const maxEntries = 65_534;
/** Names are UTF-8. */
const utf8Flag = 0x0800;
const firstDay = 0x0021;

const decoder = new TextDecoder();

/** Little-endian numbers of 2 and 4 bytes. */
function littleEndian(...fields: readonly (readonly [2 | 4, number])[]): Uint8Array {
  const data = new Uint8Array(fields.reduce((size, [width]) => size + width, 0));
  const view = new DataView(data.buffer);
  let at = 0;
  for (const [width, value] of fields) {
    if (width === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += width;
  }
  return data;
}

export function writeZip(entries: readonly ArchiveEntry[], compression: Compression): Uint8Array {
  if (entries.length > maxEntries) throw tooManyEntries();
  const pieces: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let offset = 0;
  for (const { path, content } of entries) {
    const name = utf8(path);
    const deflated = compression.encode("deflate", content);
    const smaller = deflated.length < content.length;
    const data = smaller ? deflated : content;
    const common: readonly (readonly [2 | 4, number])[] = [
      [2, 20],
      [2, utf8Flag],
      [2, smaller ? 8 : 0],
      [2, 0],
      [2, firstDay],
      [4, compression.crc32(content)],
      [4, data.length],
      [4, content.length],
      [2, name.length],
      [2, 0],
    ];
    const local = joinedBytes([littleEndian([4, localMark], ...common), name, data]);
    const rest: readonly (readonly [2 | 4, number])[] = [
      [2, 0],
      [2, 0],
      [2, 0],
      [4, 0],
      [4, offset],
    ];
    central.push(joinedBytes([littleEndian([4, centralMark], [2, 20], ...common, ...rest), name]));
    pieces.push(local);
    offset += local.length;
  }
  const directory = joinedBytes(central);
  return joinedBytes([...pieces, directory, endOfDirectory(entries.length, directory.length, offset)]);
}

/** The record at the end: how many entries there are, how long their directory is and where it begins. */
const endOfDirectory = (count: number, length: number, offset: number): Uint8Array =>
  littleEndian([4, endMark], [2, 0], [2, 0], [2, count], [2, count], [4, length], [4, offset], [2, 0]);

/** Reads files by the central directory. Raises `HostError`s; `limit` counts all of them together. */
export function readZip(data: Uint8Array, compression: Compression, limit: number): ArchiveEntry[] {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  try {
    return readZipEntries(data, view, compression, limit);
  } catch (error) {
    // An offset that points nowhere.
    if (error instanceof RangeError) throw new HostError("EINVAL", "the archive is damaged or cut off");
    throw error;
  }
}

function readZipEntries(
  data: Uint8Array,
  view: DataView,
  compression: Compression,
  limit: number,
): ArchiveEntry[] {
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (count > maxEntries) throw tooManyEntries();
  const found: ArchiveEntry[] = [];
  let left = limit;
  for (let i = 0; i < count; i++) {
    if (view.getUint32(at, true) !== centralMark)
      throw new HostError("EINVAL", "the archive is damaged or cut off");
    const field = (from: number): number => view.getUint16(at + from, true);
    const path = decoder.decode(data.subarray(at + 46, at + 46 + field(28)));
    if ((field(8) & 1) !== 0) throw new HostError("EINVAL", `'${path}' is encrypted`);
    if (!path.endsWith("/")) {
      const content = unpackZipEntry({ data, view, at, path }, field(10), compression, left);
      left -= content.length;
      found.push({ path, content, mode: undefined });
    }
    at += 46 + field(28) + field(30) + field(32);
  }
  return found;
}

interface Central {
  readonly data: Uint8Array;
  readonly view: DataView;
  /** Where its record in the central directory begins. */
  readonly at: number;
  readonly path: string;
}

function unpackZipEntry(
  { data, view, at, path }: Central,
  method: number,
  compression: Compression,
  left: number,
): Uint8Array {
  const local = view.getUint32(at + 42, true);
  if (view.getUint32(local, true) !== localMark)
    throw new HostError("EINVAL", "the archive is damaged or cut off");
  const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  const packed = data.subarray(start, start + view.getUint32(at + 20, true));
  if (method !== 0 && method !== 8)
    throw new HostError("EINVAL", `'${path}' is compressed in an unknown way (${method})`);
  const size = view.getUint32(at + 24, true);
  if (size > left || (method === 0 && packed.length > left)) throw tooMuch();
  const content = method === 0 ? packed.slice() : inflate(compression, packed, left);
  if (compression.crc32(content) !== view.getUint32(at + 16, true))
    throw new HostError("EINVAL", `'${path}' is damaged`);
  return content;
}

function inflate(compression: Compression, packed: Uint8Array, left: number): Uint8Array {
  try {
    return compression.decode("deflate", packed, left);
  } catch (error) {
    if (error instanceof HostError && error.code === "EFBIG") throw tooMuch();
    throw error;
  }
}

const tooManyEntries = (): HostError =>
  new HostError("EFBIG", `the archive has more than ${maxEntries} entries`);

const tooMuch = (): HostError => new HostError("EFBIG", "the archive unpacks to more than 268435456 bytes");

/** The end record stands last, before a comment of at most 65,535 bytes. */
function findEnd(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 22 - 0xffff); at--) {
    if (view.getUint32(at, true) === endMark) return at;
  }
  throw new HostError("EINVAL", "this is no zip archive");
}
