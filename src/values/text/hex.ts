/** Hexadecimal digits of bytes, and the fingerprint of a text that is made of them. */

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
