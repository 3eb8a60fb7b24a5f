/**
 * Puts a resource into Node's executable for Linux, where Node looks for it: in a note segment of its own (the place that
 * `postject` uses). Newer Nodes do that themselves (`--build-sea`); those from before bring nothing for it, and the tool that did it
 * for them weighs more than this whole package.
 *
 *   ELF header ─▶ program headers, written anew behind everything else, with two more:
 *     PT_LOAD   the new part of the file
 *     PT_NOTE   in it, the resource
 *
 * The new part lies so far in the file that its address is that of the first segment plus its offset: kernels before 5.18 work
 * out by that where a program finds its headers. Symbols for debuggers, which nothing loads, are left out: 18 of 126 MB.
 */
import { stackStub } from "./stack-stub.ts";

const headerSize = 56;
const types = { load: 1, note: 4, headers: 6 } as const;
const flags = { execute: 1, read: 4 } as const;
/** The largest page of any machine that Node is made for. */
const page = 0x10000;

interface Segment {
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly address: number;
  readonly fileSize: number;
  readonly memorySize: number;
  readonly align: number;
}

/** What the file is to become: the part of the old one that stays, and what follows it. */
export interface Injected {
  /** Written over the beginning. */
  readonly header: Buffer;
  /** How much of the old file stays. */
  readonly keep: number;
  /** Where the rest begins. */
  readonly offset: number;
  readonly rest: readonly Uint8Array[];
}

/** `undefined` when it is no program for a 64-bit Linux. */
export function injected(file: Buffer, name: string, resource: Uint8Array): Injected | undefined {
  if (file.toString("latin1", 0, 6) !== "\x7fELF\x02\x01") return undefined;
  const old = elfSegments(file);
  const loads = old.filter(({ type }) => type === types.load);
  const [first] = loads;
  if (first === undefined) return undefined;
  const base = first.address - first.offset;
  const keep = Math.max(...loads.map(({ offset, fileSize }) => offset + fileSize));
  const offset = alignedUp(Math.max(keep, ...loads.map((one) => one.address + one.memorySize - base)), page);
  const entry = Number(file.readBigUInt64LE(24));
  const stub = stackStub(file.readUInt16LE(18));
  const count = old.length + (stub === undefined ? 2 : 3);
  const note = elfNote(name, resource);
  const noteAt = alignedUp(count * headerSize, 16);
  const size = noteAt + note.length + resource.length;
  const at = (from: number, length: number, more: Pick<Segment, "type" | "flags" | "align">): Segment => ({
    ...more,
    offset: offset + from,
    address: base + offset + from,
    fileSize: length,
    memorySize: length,
  });
  const readable = { flags: flags.read } as const;
  const stubAt = alignedUp(size, page);
  const code = stub?.(base + offset + stubAt, entry);
  const added = [
    at(0, size, { type: types.load, ...readable, align: page }),
    ...(code === undefined
      ? []
      : [at(stubAt, code.length, { type: types.load, flags: flags.read | flags.execute, align: page })]),
  ];
  // Segments to load stand in the order of their addresses.
  const last = old.lastIndexOf(loads.at(-1) as Segment);
  const segments = [
    ...old.slice(0, last + 1),
    ...added,
    ...old.slice(last + 1),
    at(noteAt, note.length + resource.length, { type: types.note, ...readable, align: 4 }),
  ].map((one) =>
    one.type === types.headers
      ? at(0, count * headerSize, { type: types.headers, ...readable, align: 8 })
      : one,
  );
  const header = Buffer.from(file.subarray(0, 64));
  header.writeBigUInt64LE(BigInt(offset), 32);
  header.writeUInt16LE(count, 56);
  // No sections: the table of them and the symbols are what is left out.
  header.writeBigUInt64LE(0n, 40);
  header.writeUInt16LE(0, 60);
  header.writeUInt16LE(0, 62);
  const rest = [paddedUp(Buffer.concat(segments.map(elfHeader)), noteAt), note, resource];
  if (code !== undefined) {
    header.writeBigUInt64LE(BigInt(base + offset + stubAt), 24);
    rest.push(Buffer.alloc(stubAt - size), code);
  }
  return { header, keep, offset, rest };
}

const alignedUp = (value: number, to: number): number => Math.ceil(value / to) * to;

const paddedUp = (bytes: Buffer, length: number): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(length - bytes.length)]);

function elfSegments(file: Buffer): Segment[] {
  const table = Number(file.readBigUInt64LE(32));
  return Array.from({ length: file.readUInt16LE(56) }, (_, index) => {
    const at = table + index * headerSize;
    const number = (field: number): number => Number(file.readBigUInt64LE(at + field));
    return {
      type: file.readUInt32LE(at),
      flags: file.readUInt32LE(at + 4),
      offset: number(8),
      address: number(16),
      fileSize: number(32),
      memorySize: number(40),
      align: number(48),
    };
  });
}

function elfHeader(one: Segment): Buffer {
  const bytes = Buffer.alloc(headerSize);
  bytes.writeUInt32LE(one.type, 0);
  bytes.writeUInt32LE(one.flags, 4);
  const fields = [one.offset, one.address, one.address, one.fileSize, one.memorySize, one.align];
  for (const [index, value] of fields.entries()) bytes.writeBigUInt64LE(BigInt(value), 8 + 8 * index);
  return bytes;
}

/** A note before its content: the lengths of name and content, a type, the name. */
function elfNote(name: string, { length }: Uint8Array): Buffer {
  const text = Buffer.from(`${name}\0`);
  const note = Buffer.alloc(12 + alignedUp(text.length, 4));
  note.writeUInt32LE(text.length, 0);
  note.writeUInt32LE(length, 4);
  text.copy(note, 12);
  return note;
}
