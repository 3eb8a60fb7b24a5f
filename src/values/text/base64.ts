/**
 * Bytes as text: UTF-8, Base64 (RFC 4648, padded), hexadecimal digits, and the fingerprint of a text that is made of them. This layer
 * has no Node.
 */

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const PAD = 0x3d;

/** One for all: each has memory outside of V8's heap that goes late. Made at first use. */
let strictDecoder: InstanceType<typeof TextDecoder> | undefined;

/** The text of UTF-8; `undefined` for bytes that are none. */
export function utf8Text(data: Uint8Array): string | undefined {
  strictDecoder ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return strictDecoder.decode(data);
  } catch {
    return undefined;
  }
}

/** The same without the byte order mark that it may begin with. */
export const textWithoutMark = (data: Uint8Array): string | undefined =>
  utf8Text(data)?.replace(/^\ufeff/u, "");

/** Character codes of the digits, and the other way round (-1: no digit). Made at first use. */
let codes: Uint8Array | undefined;
let values: Int8Array | undefined;

/** Bytes as base64. The text is decoded from bytes at once: joined digit by digit, 64 kB leave 3 MB of garbage. */
export function toBase64(data: Uint8Array): string {
  codes ??= new TextEncoder().encode(DIGITS);
  const text = new Uint8Array(Math.ceil(data.length / 3) * 4);
  const whole = data.length - (data.length % 3);
  let at = 0;
  for (let i = 0; i < whole; i += 3, at += 4) {
    digits(text, at, codes, data[i] as number, data[i + 1] as number, data[i + 2] as number);
  }
  if (whole < data.length) {
    digits(text, at, codes, data[whole] as number, data[whole + 1] ?? 0, 0);
    text.fill(PAD, at + 1 + (data.length - whole));
  }
  return new TextDecoder().decode(text);
}

function digits(text: Uint8Array, at: number, codes: Uint8Array, a: number, b: number, c: number): void {
  text[at] = codes[a >> 2] as number;
  text[at + 1] = codes[((a & 3) << 4) | (b >> 4)] as number;
  text[at + 2] = codes[((b & 15) << 2) | (c >> 6)] as number;
  text[at + 3] = codes[c & 63] as number;
}

/** The bytes of base64 that `toBase64` wrote. */
export function fromBase64(text: string): Uint8Array {
  values ??= digitValues();
  let length = text.length;
  while (length > 0 && text.charCodeAt(length - 1) === PAD) length--;
  const data = new Uint8Array(Math.floor((length * 3) / 4));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (let i = 0; i < length; i++) {
    bits = ((bits << 6) | (values[text.charCodeAt(i)] ?? -1)) & 0xffffff;
    held += 6;
    if (held >= 8) {
      held -= 8;
      data[at++] = (bits >> held) & 255;
    }
  }
  return data;
}

function digitValues(): Int8Array {
  const table = new Int8Array(128).fill(-1);
  for (let i = 0; i < DIGITS.length; i++) table[DIGITS.charCodeAt(i)] = i;
  return table;
}

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Bytes as lower-case hexadecimal text. */
export function hexText(data: Uint8Array): string {
  let text = "";
  for (const byte of data) text += hexOfByte[byte];
  return text;
}

/** What hashes: the host's `crypto`. */
export interface Hasher {
  digest(text: string): string;
}

/** Hexadecimal SHA-256 of a text's UTF-8 bytes. */
export const sha256Hex = (crypto: Hasher, text: string): string => crypto.digest(text);
