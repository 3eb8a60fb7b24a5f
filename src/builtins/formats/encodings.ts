/** Encodings of texts and bytes, URLs' escapes, hashes (builtins.md §2.12). Bytes count by their content. */
import type { HashAlgorithm } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { hexText, runtimeError, type Value } from "../../values/index.ts";
import { type Argument, bytesOfArgument, textOf, utf8 } from "../arguments.ts";
import { decodeLossy } from "../data/bytes.ts";
import {
  decodeBase32,
  decodeBase64,
  decodeBase64Url,
  decodeHex,
  encodeBase32,
  encodeBase64,
  encodeBase64Url,
  type Refuse,
} from "./encodings-text.ts";

function encoder(doc: string, example: string, encode: (data: Uint8Array) => string) {
  return {
    doc,
    sig: "(data: string | bytes) -> string",
    effect: "pure" as const,
    example,
    run: (_task: unknown, data: Argument): Value => encode(bytesOfArgument(data)),
  };
}

function decoder(
  doc: string,
  example: string,
  name: string,
  decode: (text: string, refuse: Refuse) => Uint8Array,
) {
  return {
    doc: `${doc} What is no UTF-8 becomes U+FFFD.`,
    sig: "(text: string) -> string",
    effect: "pure" as const,
    example,
    run: (_task: unknown, text: Argument): Value =>
      decodeLossy(decode(textOf(text), (why) => runtimeError(`${name} decode error: ${why}`))),
  };
}

function hash(algorithm: HashAlgorithm, example?: string) {
  return {
    doc: `The ${algorithm.toUpperCase()} hash of a text or bytes, in lower-case hex.`,
    sig: "(data: string | bytes) -> string",
    effect: "pure" as const,
    oneWay: true,
    ...(example === undefined ? {} : { example }),
    run: (task: Task, data: Argument): Value =>
      hexText(task.runtime.host.crypto.hash(algorithm, bytesOfArgument(data))),
  };
}

const unreserved = /[A-Za-z0-9\-._~]/;

/** Everything but RFC 3986's unreserved characters escaped. */
export function urlEncode(text: string): string {
  let out = "";
  for (const byte of utf8(text)) {
    const char = String.fromCharCode(byte);
    out += unreserved.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return out;
}

/** Escapes undone, `+` as a blank; malformed escapes stay. */
export function urlDecode(text: string): string {
  const out: number[] = [];
  const data = utf8(text);
  for (let i = 0; i < data.length; i++) {
    const digits = data[i] === 0x25 ? String.fromCharCode(data[i + 1] ?? 0, data[i + 2] ?? 0) : "";
    if (/^[0-9A-Fa-f]{2}$/.test(digits)) {
      out.push(Number.parseInt(digits, 16));
      i += 2;
    } else out.push(data[i] === 0x2b ? 0x20 : (data[i] as number));
  }
  return decodeLossy(Uint8Array.from(out));
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < Math.max(a.length, b.length); i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}

const hmac = (task: Task, key: Argument, message: Argument): Uint8Array =>
  task.runtime.host.crypto.hmac("sha256", bytesOfArgument(key), bytesOfArgument(message));

export const encodings = defineBuiltins("encodings", {
  base64_encode: encoder("Base64 with padding.", 'base64_encode("hi")  // aGk=', encodeBase64),
  base64_decode: decoder(
    "The text that base64 with padding stands for.",
    'base64_decode("aGk=")  // hi',
    "base64",
    decodeBase64,
  ),
  base64url_encode: encoder(
    "URL-safe base64 without padding.",
    'base64url_encode("??>")  // Pz8-',
    encodeBase64Url,
  ),
  base64url_decode: decoder(
    "The text that URL-safe base64 without padding stands for.",
    'base64url_decode("Pz8-")  // ??>',
    "base64url",
    decodeBase64Url,
  ),
  base32_encode: encoder("Base32 with padding.", 'base32_encode("hi")  // NBUQ====', encodeBase32),
  base32_decode: decoder(
    "The text that base32 with padding stands for.",
    'base32_decode("NBUQ====")  // hi',
    "base32",
    decodeBase32,
  ),
  hex_encode: encoder("Lower-case hex digits.", 'hex_encode("hi")  // 6869', hexText),
  hex_decode: decoder("The text that hex digits stand for.", 'hex_decode("6869")  // hi', "hex", decodeHex),
  url_encode: {
    doc: "Escaped for a URL: only letters, digits and `-._~` stay.",
    sig: "(text: any) -> string",
    effect: "pure",
    example: 'url_encode("a b/ü")  // a%20b%2F%C3%BC',
    run: (_task, text: Argument) => urlEncode(textOf(text)),
  },
  url_decode: {
    doc: "URL escapes undone, `+` as a blank; malformed escapes stay.",
    sig: "(text: any) -> string",
    effect: "pure",
    example: 'url_decode("a+b%2F%zz")  // a b/%zz',
    run: (_task, text: Argument) => urlDecode(textOf(text)),
  },
  sha256: hash("sha256", 'substring(sha256("abc"), 0, 8)  // ba7816bf'),
  sha512: hash("sha512", 'substring(sha512("abc"), 0, 8)  // ddaf35a1'),
  sha224: hash("sha224", 'substring(sha224("abc"), 0, 8)  // 23097d22'),
  sha384: hash("sha384", 'substring(sha384("abc"), 0, 8)  // cb00753f'),
  sha512_256: hash("sha512-256", 'substring(sha512_256("abc"), 0, 8)  // 53048e26'),
  sha1: hash("sha1", 'substring(sha1("abc"), 0, 8)  // a9993e36'),
  md5: hash("md5", 'md5("abc")  // 900150983cd24fb0d6963f7d28e17f72'),
  sha3_256: hash("sha3-256", 'substring(sha3_256("abc"), 0, 8)  // 3a985da7'),
  sha3_512: hash("sha3-512", 'substring(sha3_512("abc"), 0, 8)  // b751850b'),
  blake3: {
    doc: "The BLAKE3 hash of a text or bytes, in lower-case hex.",
    sig: "(data: string | bytes) -> string",
    effect: "pure",
    oneWay: true,
    example: 'substring(blake3(""), 0, 16)  // af1349b9f5f9a1a6',
    run: (task, data: Argument) => hexText(task.runtime.host.libraries.blake3()(bytesOfArgument(data))),
  },
  hmac_sha256: {
    doc: "The HMAC-SHA256 of a message, in lower-case hex. The key comes first.",
    sig: "(key: string | bytes, message: string | bytes) -> string",
    effect: "pure",
    oneWay: true,
    example: 'substring(hmac_sha256("key", "message"), 0, 8)  // 6e9ef29b',
    run: (task, key: Argument, message: Argument) => hexText(hmac(task, key, message)),
  },
  hmac_sha256_base64: {
    doc: "The HMAC-SHA256 of a message, in base64. The key comes first.",
    sig: "(key: string | bytes, message: string | bytes) -> string",
    effect: "pure",
    oneWay: true,
    example: 'len(hmac_sha256_base64("key", "message"))  // 44',
    run: (task, key: Argument, message: Argument) => encodeBase64(hmac(task, key, message)),
  },
  constant_time_eq: {
    doc: "Whether two texts or bytes are equal, in a time that doesn't tell where they differ.",
    sig: "(a: string | bytes, b: string | bytes) -> bool",
    effect: "pure",
    example: 'constant_time_eq("a", "a")  // true',
    run: (_task, a: Argument, b: Argument) => sameBytes(bytesOfArgument(a), bytesOfArgument(b)),
  },
});
