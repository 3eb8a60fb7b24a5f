/** Pieces of a journal that was damaged: none of them keeps whoever reads it going round in a circle. */
import { expect, test } from "vitest";
import { MissingBlob, unpack } from "../../../src/effects/blobs.ts";
import type { Json } from "../../../src/values/index.ts";

test("a group of a list that names itself is damage", () => {
  const hash = "a".repeat(32);
  const pieces = new Map<string, Json>([[hash, [{ $blob: hash }, 1, 2, 3]]]);
  const list: Json = { $list: ["+", { $blob: hash }, [4]] };
  expect(() => unpack(list, (wanted) => pieces.get(wanted))).toThrow(MissingBlob as never);
  pieces.set(hash, [null, 1, 2, 3]);
  expect(unpack(list, (wanted) => pieces.get(wanted))).toEqual([1, 2, 3, 4]);
});
