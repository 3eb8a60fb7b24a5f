/** Bytes that may be text. */
import { expect, test } from "vitest";
import { textWithoutMark, utf8Text } from "../../../../src/values/index.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each([
  ["a byte that begins nothing", [0x61, 0xff]],
  ["a character that is cut", [0xe2, 0x82]],
  ["a half of a surrogate pair", [0xed, 0xa0, 0x80]],
  ["a character in more bytes than it needs", [0xc0, 0xaf]],
])("%s is no UTF-8, and what comes next is read as ever", (_what, bytes) => {
  expect(utf8Text(Uint8Array.from(bytes))).toBeUndefined();
  expect(textWithoutMark(Uint8Array.from(bytes))).toBeUndefined();
  expect(utf8Text(bytesOf("ü 💡\0"))).toBe("ü 💡\0");
});

test("the mark at the beginning is part of the text, or left out; any other one stays", () => {
  expect(utf8Text(bytesOf("\ufeffa\ufeff"))).toBe("\ufeffa\ufeff");
  expect(textWithoutMark(bytesOf("\ufeff\ufeffa\ufeff"))).toBe("\ufeffa\ufeff");
  expect(textWithoutMark(new Uint8Array())).toBe("");
});
