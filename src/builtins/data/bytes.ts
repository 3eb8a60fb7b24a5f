/** Bytes (builtins.md §2.12). This family is strict: a string is not bytes. */
import { defineBuiltins } from "../../table/index.ts";
import { Bytes, hexText, runtimeError, utf8Text } from "../../values/index.ts";
import { type Argument, intOr, needBytes, textOf, utf8 } from "../arguments.ts";
import { decodeBase64, decodeHex, encodeBase64 } from "../formats/encodings-text.ts";

function decodeStrictly(data: Uint8Array): string {
  const text = utf8Text(data);
  if (text === undefined)
    throw runtimeError(`bytes_to_string: invalid utf-8 sequence in ${data.length} bytes`);
  return text;
}

/** Bytes as text; what is no UTF-8 becomes U+FFFD. */
export function decodeLossy(data: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(data);
}

function needPosition(name: string, value: Argument, position: number): number {
  if (value === undefined) throw runtimeError(`${name}: missing argument ${position}`);
  const index = intOr(value, undefined);
  if (index === undefined) throw runtimeError(`${name}: expected int at argument ${position}`);
  return index;
}

/** The pieces one after the other. */
export function joinedBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

export const bytes = defineBuiltins("bytes", {
  bytes_from_string: {
    doc: "The UTF-8 bytes of a text.",
    sig: "(text: any) -> bytes",
    effect: "pure",
    example: 'bytes_from_string("hé")  // b"68c3a9"',
    run: (_task, text: Argument) => new Bytes(utf8(textOf(text))),
  },
  bytes_to_string: {
    doc: "The text of UTF-8 bytes; an error when they are none.",
    sig: "(bytes: bytes) -> string",
    effect: "pure",
    example: 'bytes_to_string(bytes_from_string("hé"))  // hé',
    run: (_task, data: Argument) => decodeStrictly(needBytes("bytes_to_string", data, 1)),
  },
  bytes_to_string_lossy: {
    doc: "The text of UTF-8 bytes; what is no UTF-8 becomes U+FFFD.",
    sig: "(bytes: bytes) -> string",
    effect: "pure",
    example: 'bytes_to_string_lossy(bytes_from_hex("41ff"))  // A\ufffd',
    run: (_task, data: Argument) => decodeLossy(needBytes("bytes_to_string_lossy", data, 1)),
  },
  bytes_to_hex: {
    doc: "Lower-case hex digits.",
    sig: "(bytes: bytes) -> string",
    effect: "pure",
    example: 'bytes_to_hex(bytes_from_string("hi"))  // 6869',
    run: (_task, data: Argument) => hexText(needBytes("bytes_to_hex", data, 1)),
  },
  bytes_from_hex: {
    doc: "Bytes from hex digits.",
    sig: "(hex: string) -> bytes",
    effect: "pure",
    example: 'bytes_from_hex("00fF")  // b"00ff"',
    run: (_task, hex: Argument) =>
      new Bytes(decodeHex(textOf(hex), (why) => runtimeError(`bytes_from_hex: ${why}`))),
  },
  bytes_to_base64: {
    doc: "Base64 with padding.",
    sig: "(bytes: bytes) -> string",
    effect: "pure",
    example: 'bytes_to_base64(bytes_from_string("hi"))  // aGk=',
    run: (_task, data: Argument) => encodeBase64(needBytes("bytes_to_base64", data, 1)),
  },
  bytes_from_base64: {
    doc: "Bytes from base64 with padding.",
    sig: "(text: string) -> bytes",
    effect: "pure",
    example: 'bytes_from_base64("aGk=")  // b"6869"',
    run: (_task, text: Argument) =>
      new Bytes(decodeBase64(textOf(text), (why) => runtimeError(`bytes_from_base64: ${why}`))),
  },
  bytes_len: {
    doc: "How many bytes.",
    sig: "(bytes: bytes) -> int",
    effect: "pure",
    example: 'bytes_len(bytes_from_string("hé"))  // 3',
    run: (_task, data: Argument) => needBytes("bytes_len", data, 1).length,
  },
  bytes_concat: {
    doc: "The bytes of both, one after the other.",
    sig: "(a: bytes, b: bytes) -> bytes",
    effect: "pure",
    example: 'bytes_concat(bytes_from_hex("01"), bytes_from_hex("02"))  // b"0102"',
    run: (_task, a: Argument, b: Argument) => {
      const left = needBytes("bytes_concat", a, 1);
      const right = needBytes("bytes_concat", b, 2);
      return new Bytes(joinedBytes([left, right]));
    },
  },
  bytes_slice: {
    doc: "The bytes from `start` up to, but not including, `end`; both are clamped.",
    sig: "(bytes: bytes, start: int, end: int) -> bytes",
    effect: "pure",
    example: 'bytes_slice(bytes_from_hex("010203"), 1, 9)  // b"0203"',
    run: (_task, data: Argument, start: Argument, end: Argument) => {
      const all = needBytes("bytes_slice", data, 1);
      const from = Math.max(needPosition("bytes_slice", start, 2), 0);
      const to = Math.max(needPosition("bytes_slice", end, 3), from);
      return new Bytes(all.slice(from, to));
    },
  },
  bytes_eq: {
    doc: "Whether both have the same bytes.",
    sig: "(a: bytes, b: bytes) -> bool",
    effect: "pure",
    example: 'bytes_eq(bytes_from_hex("01"), bytes_from_hex("01"))  // true',
    run: (_task, a: Argument, b: Argument) => {
      const left = needBytes("bytes_eq", a, 1);
      const right = needBytes("bytes_eq", b, 2);
      return left.length === right.length && left.every((byte, index) => byte === right[index]);
    },
  },
});
