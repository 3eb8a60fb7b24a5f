/**
 * ZIP archives, in which logs and sets are carried. Read: members that are stored, deflated, or compressed with zstd; the file is
 * somebody else's, so every offset is checked, and no member becomes larger than what it may be. Written: deflated members, one after
 * the other, so that an archive is never whole in memory.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { crc32, deflateRawSync, inflateRawSync, zstdDecompressSync } from "node:zlib";
import { ownPath } from "../../../process/index.ts";
import { ImportProblem } from "../../report/index.ts";

/** Bytes of a member when it is unpacked. */
const maxMember = 256 * 1024 * 1024;
const maxMembers = 2_000_000;

const endMark = 0x06054b50;
const entryMark = 0x02014b50;
const localMark = 0x04034b50;
const methods = { stored: 0, deflated: 8, zstd: 93 } as const;

export interface ZipMember {
  readonly name: string;
  /** Its bytes, unpacked and checked. */
  read(): Buffer;
}

/** Throws an `ImportProblem` for what is no ZIP archive. */
export function zipMembers(bytes: Buffer): readonly ZipMember[] {
  const end = endOf(bytes);
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  if (at === 0xffffffff || count === 0xffff)
    throw new ImportProblem("it is a ZIP archive of more than 4 GB or 65,534 members");
  if (count > maxMembers) throw new ImportProblem("it has too many members");
  const members: ZipMember[] = [];
  for (let n = 0; n < count; n++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== entryMark) throw damaged();
    const [nameLength, extra, comment] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const entry = {
      name: bytes.toString("utf8", at + 46, at + 46 + nameLength),
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      packed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      from: bytes.readUInt32LE(at + 42),
    };
    members.push({ name: entry.name, read: () => unpacked(bytes, entry) });
    at += 46 + nameLength + extra + comment;
  }
  return members;
}

const damaged = (): ImportProblem => new ImportProblem("the ZIP archive is damaged");

/** Where the list of members is described: at the end, before a comment. */
function endOf(bytes: Buffer): number {
  for (let at = bytes.length - 22; at >= Math.max(0, bytes.length - 65_557); at--)
    if (bytes.readUInt32LE(at) === endMark) return at;
  throw new ImportProblem("it is not a ZIP archive, or its end is missing");
}

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly from: number;
}

function unpacked(bytes: Buffer, { name, method, crc, packed, size, from }: ZipEntry): Buffer {
  if (size > maxMember) throw new ImportProblem(`its member ${name} is larger than 256 MB`);
  if (from + 30 > bytes.length || bytes.readUInt32LE(from) !== localMark) throw damaged();
  const begin = from + 30 + bytes.readUInt16LE(from + 26) + bytes.readUInt16LE(from + 28);
  if (begin + packed > bytes.length) throw damaged();
  const data = bytes.subarray(begin, begin + packed);
  let content: Buffer;
  try {
    if (method === methods.stored) content = data;
    else if (method === methods.deflated) content = inflateRawSync(data, { maxOutputLength: maxMember });
    else if (method === methods.zstd) content = zstdDecompressSync(data, { maxOutputLength: maxMember });
    else throw new ImportProblem(`its member ${name} is compressed in a way that is not known (${method})`);
  } catch (error) {
    if (error instanceof ImportProblem) throw error;
    throw new ImportProblem(`its member ${name} can't be unpacked`);
  }
  if (content.length !== size || crc32(content) !== crc)
    throw new ImportProblem(`its member ${name} is damaged`);
  return content;
}

/** The first moment that an archive can tell (1980): what is written depends on nothing but what is in it. */
const noDate = 0x0021;
/** Names are UTF-8. */
const utf8Names = 0x0800;
const version = 20;

/** Writes an archive to a file, member by member. Errors of the file system are thrown as they are. */
export class ZipWriter {
  private readonly file: number;
  private readonly entries: Buffer[] = [];
  private at = 0;

  constructor(path: string) {
    this.file = openSync(ownPath(path), "w", 0o600);
  }

  add(name: string, text: string): void {
    const content = Buffer.from(text);
    const data = deflateRawSync(content);
    const title = Buffer.from(name);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(version, 0);
    facts.writeUInt16LE(utf8Names, 2);
    facts.writeUInt16LE(methods.deflated, 4);
    facts.writeUInt16LE(noDate, 8);
    facts.writeUInt32LE(crc32(content), 10);
    facts.writeUInt32LE(data.length, 14);
    facts.writeUInt32LE(content.length, 18);
    facts.writeUInt16LE(title.length, 22);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(entryMark, 0);
    entry.writeUInt16LE(version, 4);
    facts.copy(entry, 6);
    entry.writeUInt32LE(this.at, 42);
    this.entries.push(entry, title);
    const local = Buffer.alloc(4);
    local.writeUInt32LE(localMark, 0);
    this.write(Buffer.concat([local, facts, title, data]));
  }

  /** Writes the list of members; without it the file is no archive. */
  close(): void {
    const list = Buffer.concat(this.entries);
    const count = this.entries.length / 2;
    const end = Buffer.alloc(22);
    end.writeUInt32LE(endMark, 0);
    end.writeUInt16LE(count, 8);
    end.writeUInt16LE(count, 10);
    end.writeUInt32LE(list.length, 12);
    end.writeUInt32LE(this.at, 16);
    this.write(Buffer.concat([list, end]));
    closeSync(this.file);
  }

  private write(bytes: Buffer): void {
    if (this.at + bytes.length > 0xffffffff || this.entries.length / 2 >= 0xffff)
      throw new ArchiveFull("a ZIP archive holds at most 4 GB and 65,534 members");
    for (let done = 0; done < bytes.length; ) done += writeSync(this.file, bytes, done);
    this.at += bytes.length;
  }
}

/** Thrown for what does not fit into one archive. */
export class ArchiveFull extends Error {}
