/** Tar archives (POSIX ustar, with pax headers for long names), in memory. Times are 0: the same files, the same bytes. */
import { runtimeError } from "../../values/index.ts";
import { utf8 } from "../arguments.ts";
import { joinedBytes } from "../data/bytes.ts";
import type { ArchiveEntry } from "./archive-entry.ts";

const block = 512;
const decoder = new TextDecoder();

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
  return joinedBytes([...pieces, new Uint8Array(2 * block)]);
}

/** `LENGTH key=value\n`, where the length counts itself. */
function paxRecord(key: string, value: string): Uint8Array {
  const rest = utf8(` ${key}=${value}\n`);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return joinedBytes([utf8(String(length)), rest]);
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

/** Reads files; raises for what is no tar archive or is cut off. */
export function readTar(data: Uint8Array): ArchiveEntry[] {
  const found: ArchiveEntry[] = [];
  let longName: string | undefined;
  for (let at = 0; at + block <= data.length; ) {
    const head = data.subarray(at, at + block);
    if (head.every((byte) => byte === 0)) break;
    const { path, size, mode, type } = readHeader(head);
    const start = at + block;
    if (start + size > data.length) throw runtimeError(`tar_extract: the archive is cut off in '${path}'`);
    const content = data.subarray(start, start + size);
    if (type === "x") longName = paxPath(content) ?? longName;
    else if (type === "L") longName = decoder.decode(content).replace(/\0.*$/s, "");
    else {
      if (type === "0" || type === "\0" || type === "7")
        found.push({ path: longName ?? path, content: content.slice(), mode });
      longName = undefined;
    }
    at = start + Math.ceil(size / block) * block;
  }
  if (found.length === 0 && data.length > 0 && data.length < block)
    throw runtimeError("tar_extract: this is no tar archive");
  return found;
}

/** How archivers write what octal digits have no room for, such as 8 GiB: the highest bit, then a plain binary number. */
function binary(field: Uint8Array): number | undefined {
  if (((field[0] ?? 0) & 0x80) === 0) return undefined;
  return field.subarray(1).reduce((value, byte) => value * 256 + byte, (field[0] as number) & 0x7f);
}

function readHeader(head: Uint8Array): { path: string; size: number; mode: number; type: string } {
  const text = (from: number, length: number): string =>
    decoder.decode(head.subarray(from, from + length)).replace(/\0.*$/s, "");
  const number = (from: number, length: number): number =>
    binary(head.subarray(from, from + length)) ?? Number.parseInt(text(from, length).trim() || "0", 8);
  const sum = head.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (sum !== number(148, 8))
    throw runtimeError("tar_extract: this is no tar archive (a header's checksum is wrong)");
  const prefix = text(257, 5) === "ustar" ? text(345, 155) : "";
  const name = text(0, 100);
  const size = number(124, 12);
  if (!Number.isSafeInteger(size) || size < 0)
    throw runtimeError(`tar_extract: the size of '${name}' is not a number`);
  return {
    path: prefix === "" ? name : `${prefix}/${name}`,
    size,
    mode: number(100, 8),
    type: String.fromCharCode(head[156] as number),
  };
}

function paxPath(content: Uint8Array): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(decoder.decode(content))?.[1];
}
