/** Chunks of files in the journal: every byte comes back, whatever a chunk's ends cut through, and text stays text. */
import { expect, test } from "vitest";
import { chunkShape } from "../../../../src/builtins/formats/chunk-record.ts";

const text = `\u{feff}plain, näïve, 日本語, 😀👩‍👩‍👧, \u{10ffff}, \0 end`;
const bytes = new TextEncoder().encode(text);

test("text cut anywhere comes back byte for byte, and is kept as text", () => {
  for (let start = 0; start <= bytes.length; start++) {
    for (let end = start; end <= bytes.length; end++) {
      const data = bytes.subarray(start, end);
      const record = chunkShape.encode({ data, size: data.length });
      expect(typeof record).toBe("object");
      expect(chunkShape.decode(JSON.parse(JSON.stringify(record)))).toEqual({
        data: Uint8Array.from(data),
        size: data.length,
      });
    }
  }
});

test("what is no text is kept as base64", () => {
  for (const values of [
    [0x41, 0xff, 0x41, 0x41, 0x41],
    [0xc0, 0x80],
    [0x41, 0xed, 0xa0, 0x80, 0x42],
    [0xe2, 0x28, 0xa1, 0x41, 0x41],
  ]) {
    const data = Uint8Array.from(values);
    const record = chunkShape.encode({ data, size: data.length });
    expect(typeof record).toBe("string");
    expect(chunkShape.decode(record)).toEqual({ data, size: data.length });
  }
});

test("journals of earlier versions hold base64 only", () => {
  expect(chunkShape.decode("aGVsbG8=")).toEqual({ data: new TextEncoder().encode("hello"), size: 5 });
});
