/**
 * Tar archives (POSIX ustar, with pax headers for long names). Written in memory, times are 0: the same files, the same bytes. Read
 * while they come, and nothing of them is unpacked: folders, links and devices are passed over.
 */
import { HostError } from "../ports.ts";
import type { ArchiveEntry } from "./zip.ts";

const block = 512;
/** Names of more bytes are no names of files. */
const maxHeader = 1024 * 1024;

const utf8 = (text: string): Buffer => Buffer.from(text, "utf8");

export function writeTar(entries: readonly ArchiveEntry[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (const { path, content, mode } of entries) {
    const name = utf8(path);
    if (name.length > 100) {
      const record = paxRecord("path", path);
      pieces.push(header("PaxHeader", record.length, 0o644, "x"), padded(record));
    }
    pieces.push(header(path, content.length, mode ?? 0o644, "0"), padded(content));
  }
  return new Uint8Array(Buffer.concat([...pieces, new Uint8Array(2 * block)]));
}

/** `LENGTH key=value\n`, where the length counts itself. */
function paxRecord(key: string, value: string): Uint8Array {
  const rest = utf8(` ${key}=${value}\n`);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([utf8(String(length)), rest]);
}

function padded(data: Uint8Array): Uint8Array {
  const whole = new Uint8Array(Math.ceil(data.length / block) * block);
  whole.set(data);
  return whole;
}

function header(path: string, size: number, mode: number, type: string): Uint8Array {
  const head = new Uint8Array(block);
  const put = (at: number, text: string): void => head.set(utf8(text), at);
  const octal = (value: number, width: number): string => value.toString(8).padStart(width - 1, "0");
  head.set(utf8(path).subarray(0, 100), 0);
  put(100, octal(mode & 0o7777, 8));
  put(108, octal(0, 8));
  put(116, octal(0, 8));
  put(124, octal(size, 12));
  put(136, octal(0, 12));
  put(148, "        ");
  put(156, type);
  put(257, "ustar\0" + "00");
  const sum = head.reduce((total, byte) => total + byte, 0);
  put(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return head;
}

export class BrokenArchive extends HostError {
  constructor(message: string) {
    super("EINVAL", message);
  }
}

/** Gets the content of a file, piece by piece; pieces are not its own. */
interface TarSink {
  add(piece: Buffer): void;
  end(): void;
}

interface TarFile {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
}

/** Throws `BrokenArchive` for what is no tar archive, damaged or cut off. */
export class TarReader {
  private readonly begin: (file: TarFile) => TarSink;
  private rest: Buffer = Buffer.alloc(0);
  /** What fills the last block of a file. */
  private padding = 0;
  private isBegun = false;
  private isOver = false;
  private longName: string | undefined;
  private longSize: number | undefined;
  private open: { readonly path: string; left: number; readonly sink: TarSink | undefined } | undefined;

  constructor(begin: (file: TarFile) => TarSink) {
    this.begin = begin;
  }

  push(piece: Uint8Array): void {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    while (!this.isOver && this.step());
  }

  end(): void {
    if (this.open !== undefined) throw new BrokenArchive(`the archive is cut off in '${this.open.path}'`);
    if (this.rest.length > 0 && !this.isBegun) throw new BrokenArchive("this is no tar archive");
  }

  private step(): boolean {
    const { open } = this;
    if (open === undefined) {
      if (this.rest.length < this.padding + block) return false;
      this.taken(this.padding);
      this.enter(this.taken(block));
    } else if (this.rest.length === 0) return false;
    else {
      const piece = this.taken(Math.min(open.left, this.rest.length));
      open.left -= piece.length;
      open.sink?.add(piece);
    }
    // A file of no bytes has ended as well.
    if (this.open?.left === 0) {
      const { sink } = this.open;
      this.open = undefined;
      sink?.end();
    }
    return true;
  }

  private taken(count: number): Buffer {
    const piece = this.rest.subarray(0, count);
    this.rest = this.rest.subarray(count);
    return piece;
  }

  private enter(head: Buffer): void {
    this.isBegun = true;
    this.isOver = head.every((byte) => byte === 0);
    if (this.isOver) return;
    if (headerChecksum(head) !== octalAt(head, 148, 8))
      throw new BrokenArchive("this is no tar archive (a header's checksum is wrong)");
    const type = String.fromCharCode(head[156] as number);
    const name = textAt(head, 0, 100);
    const isMeta = type === "x" || type === "L" || type === "g";
    const size = (isMeta ? undefined : this.longSize) ?? octalAt(head, 124, 12);
    if (!Number.isSafeInteger(size) || size < 0)
      throw new BrokenArchive(`the size of '${name}' is not a number`);
    if (isMeta && size > maxHeader) throw new BrokenArchive(`a header is longer than ${maxHeader} bytes`);
    const prefix = textAt(head, 257, 5) === "ustar" ? textAt(head, 345, 155) : "";
    const path = this.longName ?? (prefix === "" ? name : `${prefix}/${name}`);
    this.open = { path, left: size, sink: this.sinkOf(type, { path, size, mode: octalAt(head, 100, 8) }) };
    this.padding = (block - (size % block)) % block;
    if (isMeta) return;
    this.longName = undefined;
    this.longSize = undefined;
  }

  private sinkOf(type: string, file: TarFile): TarSink | undefined {
    if (type === "0" || type === "\0" || type === "7") return this.begin(file);
    if (type !== "x" && type !== "L") return undefined;
    return kept(file.size, (content) => {
      const text = content.toString("utf8");
      if (type === "L") this.longName = text.replace(/\0.*$/su, "");
      else {
        this.longName = /(?:^|\n)\d+ path=([^\n]*)\n/u.exec(text)?.[1] ?? this.longName;
        const size = /(?:^|\n)\d+ size=(\d+)\n/u.exec(text)?.[1];
        if (size !== undefined) this.longSize = Number(size);
      }
    });
  }
}

/** Keeps what comes. */
function kept(size: number, end: (content: Buffer) => void): TarSink {
  const content = Buffer.alloc(size);
  let at = 0;
  const add = (piece: Buffer): void => {
    at += piece.copy(content, at);
  };
  return { add, end: () => end(content) };
}

export function tarEntries(data: Uint8Array): ArchiveEntry[] {
  const found: ArchiveEntry[] = [];
  const reader = new TarReader(({ path, size, mode }) => {
    // No buffer before it is known that there are so many bytes.
    const pieces: Buffer[] = [];
    const end = (): void => {
      found.push({ path, content: new Uint8Array(Buffer.concat(pieces, size)), mode });
    };
    return { add: (piece) => void pieces.push(piece), end };
  });
  reader.push(data);
  reader.end();
  return found;
}

const textAt = (head: Buffer, from: number, length: number): string =>
  head
    .subarray(from, from + length)
    .toString("utf8")
    .replace(/\0.*$/su, "");

/** What octal digits have no room for, such as 8 GiB, is a plain binary number after the highest bit. */
function octalAt(head: Buffer, from: number, length: number): number {
  const field = head.subarray(from, from + length);
  if (((field[0] ?? 0) & 0x80) !== 0)
    return field.subarray(1).reduce((value, byte) => value * 256 + byte, (field[0] as number) & 0x7f);
  return Number.parseInt(textAt(head, from, length).trim() || "0", 8);
}

const headerChecksum = (head: Buffer): number =>
  head.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
