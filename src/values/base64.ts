/** Base64 (RFC 4648, padded) for bytes inside JSON; this layer has no Node. */

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Bytes as base64. */
export function toBase64(data: Uint8Array): string {
  let text = "";
  for (let i = 0; i < data.length; i += 3) {
    const left = data.length - i;
    const bits =
      ((data[i] as number) << 16) |
      ((left > 1 ? (data[i + 1] as number) : 0) << 8) |
      (left > 2 ? (data[i + 2] as number) : 0);
    text += DIGITS[bits >> 18];
    text += DIGITS[(bits >> 12) & 63];
    text += left > 1 ? DIGITS[(bits >> 6) & 63] : "=";
    text += left > 2 ? DIGITS[bits & 63] : "=";
  }
  return text;
}

/** The bytes of base64 that `toBase64` wrote. */
export function fromBase64(text: string): Uint8Array {
  const digits = text.replace(/=+$/, "");
  const data = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const digit of digits) {
    bits = ((bits << 6) | DIGITS.indexOf(digit)) & 0xffffff;
    held += 6;
    if (held >= 8) {
      held -= 8;
      data[at++] = (bits >> held) & 255;
    }
  }
  return data;
}
