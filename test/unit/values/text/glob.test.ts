/** Patterns over texts: what they cover, and that they cost no more than they should. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nameMatches, pathMatches, starMatches } from "../../../../src/values/index.ts";

describe("names", () => {
  test.each([
    ["*", "anything", true],
    ["read_*", "read_file", true],
    ["read_*", "unread_file", false],
    ["r?n", "run", true],
    ["r?n", "ruin", false],
    ["{get,put}_x", "put_x", true],
    ["git *", "git push a/b", true],
    ["", "", true],
    ["", "a", false],
  ])("%s / %s", (pattern, name, fits) => expect(nameMatches(pattern, name)).toBe(fits));
});

describe("paths", () => {
  test.each([
    ["src/*", "src/a.ts", true],
    ["src/*", "src/a/b.ts", false],
    ["src/**", "src/a/b.ts", true],
    ["**/.env", ".env", true],
    ["**/.env", "a/b/.env", true],
    ["**/.env", "a/b.env", false],
    ["a/**/z", "a/z", true],
    ["a/**/z", "a/b/c/z", true],
    ["?.ts", "/.ts", false],
  ])("%s / %s", (pattern, path, fits) => expect(pathMatches(pattern, path)).toBe(fits));
});

test("a text covers itself and a star covers everything", () => {
  const plain = fc.string().filter((text) => !/[*?{}]/.test(text));
  fc.assert(
    fc.property(plain, fc.string(), (text, other) => {
      expect(nameMatches(text, text)).toBe(true);
      expect(nameMatches(`${text}*`, text + other)).toBe(true);
    }),
  );
});

test("hostile patterns take linear time", () => {
  // Trying every way to match would never end.
  expect(nameMatches("*a".repeat(30), "a".repeat(20_000))).toBe(true);
  expect(nameMatches(`${"*a".repeat(30)}b`, "a".repeat(20_000))).toBe(false);
  expect(nameMatches("{a,b}".repeat(40), "c")).toBe(false);
});

describe("patterns with stars alone", () => {
  test("agree with a regular expression", () => {
    const piece = fc.constantFrom("a", "b", "ab", "*", ".", "\n");
    const texts = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(texts, texts, (pattern, text) => {
        const source = pattern.replace(/[.\n]/g, (char) => `\\${char}`).replaceAll("*", "[^]*");
        expect(starMatches(pattern, text)).toBe(new RegExp(`^${source}$`).test(text));
      }),
      { numRuns: 2000 },
    );
  });

  test("take linear time", () => {
    expect(starMatches("*a".repeat(2000), `${"a".repeat(1999)}b`.repeat(20))).toBe(false);
  });
});
