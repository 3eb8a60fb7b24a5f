/** Lines and columns as people count them. */
import { expect, test } from "vitest";
import { SourceFile } from "../../../src/source/index.ts";

const source = new SourceFile("a.harn", "ab\r\n😀x\n\nend");

test("positions count lines from 1 and columns in characters", () => {
  expect(source.position(0)).toEqual({ line: 1, column: 1 });
  expect(source.position(4)).toEqual({ line: 2, column: 1 });
  expect(source.position(6)).toEqual({ line: 2, column: 2 });
  expect(source.position(8)).toEqual({ line: 3, column: 1 });
  expect(source.position(source.text.length)).toEqual({ line: 4, column: 4 });
});

test("line texts come without their line break", () => {
  expect([1, 2, 3, 4, 5].map((line) => source.lineText(line))).toEqual(["ab", "😀x", "", "end", ""]);
  expect(new SourceFile("a", "\r").lineText(1)).toBe("");
  expect(new SourceFile("a", "").lineText(1)).toBe("");
});

test("line starts", () =>
  expect([1, 2, 3, 4, 5].map((line) => source.lineStart(line))).toEqual([0, 4, 8, 9, 12]));

test("slices", () => expect(source.slice({ start: 9, end: 12 })).toBe("end"));
