/**
 * A 64-bit checksum in plain JavaScript. It names cache entries and finds damaged ones; it is no defence against somebody
 * who means harm. Node's own hashes are not used because loading them costs more than all of a cached start.
 */

/** Sixteen hexadecimal digits; two lanes of multiply-and-rotate over 32-bit words. */
export function checksum(bytes: Uint8Array): string {
  let a = 0x9e3779b9 ^ bytes.length;
  let b = 0x85ebca6b + bytes.length;
  const words = int32Words(bytes);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as number;
    a = Math.imul(a ^ word, 0x01000193);
    a ^= a >>> 15;
    b = Math.imul(((b << 13) | (b >>> 19)) + word, 0x5bd1e995);
  }
  for (let at = bytes.length & ~3; at < bytes.length; at++) {
    a = Math.imul(a ^ (bytes[at] as number), 0x01000193);
    b = Math.imul(((b << 13) | (b >>> 19)) + (bytes[at] as number), 0x5bd1e995);
  }
  return checksumHex(mixedChecksum(a ^ (b >>> 16))) + checksumHex(mixedChecksum(b ^ (a >>> 13)));
}

/** In the machine's byte order: checksums stay on their machine. A copy, because words must lie at multiples of four. */
function int32Words(bytes: Uint8Array): Int32Array {
  const whole = bytes.length & ~3;
  return new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + whole));
}

function mixedChecksum(word: number): number {
  let h = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

const checksumHex = (word: number): string => (word >>> 0).toString(16).padStart(8, "0");
