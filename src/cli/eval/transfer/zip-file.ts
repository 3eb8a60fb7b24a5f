/**
 * The members of a ZIP archive, as other tools write their logs: stored, deflated, or compressed with zstd. The file is somebody
 * else's: every offset is checked, and no member becomes larger than what it may be.
 */
import { crc32, inflateRawSync, zstdDecompressSync } from "node:zlib";
import { ImportProblem } from "../../../eval/report/index.ts";

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

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly from: number;
}

function unpacked(bytes: Buffer, { name, method, crc, packed, size, from }: Entry): Buffer {
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
