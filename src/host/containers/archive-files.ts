/**
 * What `cp NAME:FOLDER -` of an engine prints: an archive, looked at file by file while it comes. Nothing of it is unpacked, and
 * nothing that runs in the container has a say in it. Links, devices and folders are no files.
 */
import { createHash } from "node:crypto";

export interface ArchivedFile {
  /** Below the folder. */
  readonly path: string;
  /** SHA-256 in hex. */
  readonly digest: string;
  readonly bytes: number;
  /** Null: it is larger than what is kept of one file. */
  readonly content: Buffer | null;
}

const block = 512;
/** Names of more characters are no names of files. */
const maxHeader = 64 * 1024;

export class BrokenArchive extends Error {}

/** `take` is told of each file once it has come. `maxKept`: bytes of a file that are handed over. */
export class ArchiveReader {
  private readonly take: (file: ArchivedFile) => void;
  private readonly maxKept: number;
  private rest: Buffer = Buffer.alloc(0);
  private longName: string | undefined;
  private longSize: number | undefined;
  private entry: TarEntry | undefined;

  constructor(take: (file: ArchivedFile) => void, maxKept: number) {
    this.take = take;
    this.maxKept = maxKept;
  }

  push(piece: Uint8Array): void {
    this.rest = this.rest.length === 0 ? Buffer.from(piece) : Buffer.concat([this.rest, piece]);
    while (this.step());
  }

  /** Throws when it was cut off. */
  end(): void {
    if (this.entry !== undefined) throw new BrokenArchive("the archive is cut off");
  }

  private step(): boolean {
    const { entry } = this;
    if (entry === undefined) {
      if (this.rest.length < block) return false;
      this.begin(this.taken(block));
      return true;
    }
    if (entry.left > 0) {
      if (this.rest.length === 0) return false;
      entry.add(this.taken(Math.min(entry.left, this.rest.length)));
      return true;
    }
    if (this.rest.length < entry.padding) return false;
    this.taken(entry.padding);
    this.entry = undefined;
    this.finish(entry);
    return true;
  }

  private taken(count: number): Buffer {
    const piece = this.rest.subarray(0, count);
    this.rest = this.rest.subarray(count);
    return piece;
  }

  private begin(head: Buffer): void {
    if (head.every((byte) => byte === 0)) return;
    if (tarChecksum(head) !== octal(head, 148, 8)) throw new BrokenArchive("the archive is damaged");
    const type = String.fromCharCode(head[156] as number);
    const size = this.longSize ?? octal(head, 124, 12);
    const isMeta = type === "x" || type === "L" || type === "g";
    if (!Number.isSafeInteger(size) || size < 0 || (isMeta && size > maxHeader))
      throw new BrokenArchive("the archive is damaged");
    const prefix = tarText(head, 257, 5) === "ustar" ? tarText(head, 345, 155) : "";
    const name = tarText(head, 0, 100);
    const path = this.longName ?? (prefix === "" ? name : `${prefix}/${name}`);
    this.entry = new TarEntry(type, path, size, isMeta ? maxHeader : this.maxKept);
    if (!isMeta) {
      this.longName = undefined;
      this.longSize = undefined;
    }
  }

  private finish(entry: TarEntry): void {
    const content = entry.content();
    if (entry.type === "x") {
      const text = content?.toString("utf8") ?? "";
      this.longName = /(?:^|\n)\d+ path=([^\n]*)\n/u.exec(text)?.[1] ?? this.longName;
      const size = /(?:^|\n)\d+ size=(\d+)\n/u.exec(text)?.[1];
      if (size !== undefined) this.longSize = Number(size);
    } else if (entry.type === "L") this.longName = content?.toString("utf8").replace(/\0.*$/su, "");
    else if (entry.type === "0" || entry.type === "\0")
      this.take({ path: belowTop(entry.path), digest: entry.digest(), bytes: entry.size, content });
  }
}

class TarEntry {
  readonly type: string;
  readonly path: string;
  readonly size: number;
  readonly padding: number;
  left: number;
  private readonly hash = createHash("sha256");
  private readonly pieces: Buffer[] | null;

  constructor(type: string, path: string, size: number, maxKept: number) {
    this.type = type;
    this.path = path;
    this.size = size;
    this.left = size;
    this.padding = (block - (size % block)) % block;
    this.pieces = size <= maxKept ? [] : null;
  }

  add(piece: Buffer): void {
    this.left -= piece.length;
    this.hash.update(piece);
    this.pieces?.push(Buffer.from(piece));
  }

  content(): Buffer | null {
    return this.pieces === null ? null : Buffer.concat(this.pieces);
  }

  digest(): string {
    return this.hash.digest("hex");
  }
}

/** The archive has the folder itself as its top. */
const belowTop = (path: string): string => path.replace(/^(?:\.\/)?[^/]*\//u, "");

const tarText = (head: Buffer, from: number, length: number): string =>
  head
    .subarray(from, from + length)
    .toString("utf8")
    .replace(/\0.*$/su, "");

/** What octal digits have no room for is a binary number after the highest bit. */
function octal(head: Buffer, from: number, length: number): number {
  const field = head.subarray(from, from + length);
  if (((field[0] ?? 0) & 0x80) !== 0)
    return field.subarray(1).reduce((value, byte) => value * 256 + byte, (field[0] as number) & 0x7f);
  return Number.parseInt(tarText(head, from, length).trim() || "0", 8);
}

const tarChecksum = (head: Buffer): number =>
  head.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
