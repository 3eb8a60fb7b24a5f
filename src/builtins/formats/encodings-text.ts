/**
 * Base64, base32 and hex. Written here rather than taken from the platform, because the platform's decoders accept
 * what the language rejects (missing padding, stray characters).
 */
import type { ScriptError } from "../../values/index.ts";

/** Makes the script's error from the reason. */
export type Refuse = (why: string) => ScriptError;

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const urlDigits = `${base64Digits.slice(0, 62)}-_`;
const base32Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** `bits` per digit; padded with `=` to a multiple of `group` when that is not 0. */
function encodeText(data: Uint8Array, digits: string, bits: number, group: number): string {
  const out: string[] = [];
  let buffer = 0;
  let held = 0;
  for (const byte of data) {
    buffer = (buffer << 8) | byte;
    held += 8;
    while (held >= bits) {
      held -= bits;
      out.push(digits[(buffer >> held) & ((1 << bits) - 1)] as string);
    }
    buffer &= (1 << held) - 1;
  }
  if (held > 0) out.push(digits[(buffer << (bits - held)) & ((1 << bits) - 1)] as string);
  while (group > 0 && out.length % group !== 0) out.push("=");
  return out.join("");
}

function decodeText(text: string, digits: string, bits: number, refuse: Refuse): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * bits) / 8));
  let at = 0;
  let buffer = 0;
  let held = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = digits.indexOf(text[i] as string);
    if (digit < 0) throw refuse(`Invalid symbol ${text.charCodeAt(i)}, offset ${i}.`);
    buffer = (buffer << bits) | digit;
    held += bits;
    if (held >= 8) {
      held -= 8;
      bytes[at++] = (buffer >> held) & 0xff;
    }
    buffer &= (1 << held) - 1;
  }
  if (held >= bits) throw refuse(`Invalid input length: ${text.length}`);
  if (buffer !== 0)
    throw refuse(`Invalid last symbol ${text.charCodeAt(text.length - 1)}, offset ${text.length - 1}.`);
  return bytes;
}

/** Removes padding that must fill the last group exactly. */
function unpadded(text: string, group: number, refuse: Refuse): string {
  const plain = text.replace(/={1,6}$/, "");
  if (text.length % group !== 0) throw refuse("Invalid padding");
  if (text.length - plain.length >= group) throw refuse("Invalid padding");
  return plain;
}

export const encodeBase64 = (data: Uint8Array): string => encodeText(data, base64Digits, 6, 4);
export const encodeBase64Url = (data: Uint8Array): string => encodeText(data, urlDigits, 6, 0);
export const encodeBase32 = (data: Uint8Array): string => encodeText(data, base32Digits, 5, 8);

export function decodeBase64(text: string, refuse: Refuse): Uint8Array {
  return decodeText(unpadded(text, 4, refuse), base64Digits, 6, refuse);
}
export function decodeBase64Url(text: string, refuse: Refuse): Uint8Array {
  return decodeText(text, urlDigits, 6, refuse);
}
export function decodeBase32(text: string, refuse: Refuse): Uint8Array {
  return decodeText(unpadded(text, 8, refuse), base32Digits, 5, refuse);
}

export function decodeHex(text: string, refuse: Refuse): Uint8Array {
  const bad = text.search(/[^0-9a-fA-F]/);
  if (text.length % 2 !== 0) throw refuse("Odd number of digits");
  if (bad >= 0)
    throw refuse(
      `Invalid character '${String.fromCodePoint(text.codePointAt(bad) as number)}' at position ${bad}`,
    );
  return Uint8Array.from({ length: text.length / 2 }, (_, i) =>
    Number.parseInt(text.slice(i * 2, i * 2 + 2), 16),
  );
}
