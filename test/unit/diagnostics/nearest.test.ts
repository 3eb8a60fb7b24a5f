/** Did you mean (language.md §7.1, §17.4). */
import { expect, test } from "vitest";
import { editDistance, nearest } from "../../../src/diagnostics/index.ts";

test.each([
  ["x", ["y", "abc"], "y"],
  ["ab", ["cd", "ac"], "ac"],
  ["ab", ["cd"], undefined],
  ["count", ["counts", "amount"], "counts"],
  ["fooo", ["foo", "bar"], "foo"],
  ["abcde", ["abxyz"], undefined],
  ["abcdef", ["abcxyz"], "abcxyz"],
  ["abcdef", ["abwxyz"], undefined],
  ["foo", ["foo"], undefined],
  ["read_fil", ["read_file", "read_lines"], "read_file"],
  ["log", ["dog", "cog"], "cog"],
  ["x", [], undefined],
])("%s among %j", (name, candidates, wanted) => expect(nearest(name, candidates)).toBe(wanted));

test("the distance can be fixed", () => {
  expect(nearest("abcdef", ["abcxyz"], 2)).toBeUndefined();
  expect(nearest("abcdef", ["abcdxy"], 2)).toBe("abcdxy");
});

test("distances", () => {
  expect(editDistance("kitten", "sitting", 9)).toBe(3);
  expect(editDistance("", "abc", 9)).toBe(3);
  expect(editDistance("abc", "xyz", 1)).toBe(2);
  expect(editDistance("a", "abcdefgh", 2)).toBe(3);
});
