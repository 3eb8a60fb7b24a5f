/** Every code has words, an explanation and a name of the right form. */
import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  bySourceOrder,
  type Code,
  catalogue,
  diagnostic,
  diagnosticToJson,
  explain,
  wordsOf,
} from "../../../src/diagnostics/index.ts";
import { SourceFile } from "../../../src/source/index.ts";

const entries = Object.entries(catalogue);

/** What the tests say of codes: `HARN-PAR-001`, and `//~ PAR-001` in programs. Not this file, nor words about codes. */
const cases = (): ReadonlySet<string> => {
  const files = globSync("test/**/*.{ts,harn,expected,error}").filter(
    (path) => !path.startsWith("test/unit/diagnostics/"),
  );
  const found = files.flatMap((path) => [
    ...readFileSync(path, "utf8").matchAll(/\bHARN-([A-Z]{3}-\d{3})\b|\/\/~\^* ([A-Z]{3}-\d{3})\b/g),
  ]);
  return new Set(found.map(([, whole, marked]) => `HARN-${whole ?? marked}`));
};

test("every code has a case", () => {
  const cased = cases();
  const missing = entries.map(([code]) => code).filter((code) => !cased.has(code));
  expect(
    missing,
    "write a program that produces it: a chunk with `//~ FAMILY-NNN` in test/diagnostics/programs.harn (or syntax, types, lint), or a test that names the code",
  ).toEqual([]);
});

describe.each(entries)("%s", (code, words) => {
  test("has a code of the catalogue's form", () => expect(code).toMatch(/^HARN-[A-Z]{3}-\d{3}$/));
  test("is explained in sentences", () => {
    expect(words.explain.length).toBeGreaterThan(60);
    expect(words.explain.trim()).toMatch(/^[A-Z`].*[.)]$/s);
  });
});

test.each(entries)("%s has a title in words", (code) => {
  const { title, advice = "" } = wordsOf(code as Code);
  expect(title).toMatch(/[a-z]{3}/);
  expect(`${title} ${advice}`).not.toMatch(/undefined|\[object/);
});

test("a title is the message with the names of what it is about, or what the message means", () => {
  expect(wordsOf("HARN-PAR-001").title).toBe("Expected EXPECTED, got FOUND at AT");
  expect(wordsOf("HARN-RUN-007").title).toMatch(/^An int was divided by zero/);
  expect(wordsOf("HARN-NAM-009").advice).toBe("declared variants: `VARIANTS`");
  expect(wordsOf("HARN-PAR-001").advice).toBeUndefined();
});

test("explain finds a code in any spelling", () => {
  expect(explain("HARN-PAR-001")?.text).toBe(catalogue["HARN-PAR-001"].explain);
  expect(explain("par-1")?.code).toBe("HARN-PAR-001");
  expect(explain(" PAR-001 ")?.severity).toBe("error");
  expect(explain("PAR-999")).toBeUndefined();
  expect(explain("toString")).toBeUndefined();
  expect(explain("")).toBeUndefined();
});

const source = new SourceFile("a.harn", "let a = 1\nlet 漢 = ;\n");

test("a diagnostic carries its words", () => {
  const made = diagnostic(
    "HARN-PAR-001",
    source,
    { start: 18, end: 19 },
    { expected: "}", found: ";", at: "2:9" },
  );
  expect(made).toMatchObject({
    code: "HARN-PAR-001",
    severity: "error",
    message: "Expected }, got ; at 2:9",
    label: "unexpected token",
    help: "add a closing `}` to finish this block",
  });
});

test("as JSON", () => {
  const made = diagnostic("HARN-NAM-002", source, { start: 14, end: 15 }, { name: "foo", near: "fob" });
  expect(diagnosticToJson(made)).toEqual({
    code: "HARN-NAM-002",
    severity: "error",
    message: "call target `foo` is not defined or imported — did you mean `fob`?",
    file: "a.harn",
    start: { line: 2, column: 5, offset: 14 },
    end: { line: 2, column: 6, offset: 15 },
    label: "not a function",
    help: "did you mean `fob`?",
    notes: [],
  });
});

test("sorted as a reader meets them", () => {
  const at = (code: Code, start: number) =>
    diagnostic(code, source, { start, end: start + 1 }, { name: "x" } as never);
  const sorted = [at("HARN-NAM-002", 5), at("HARN-NAM-015", 1), at("HARN-NAM-002", 1)].sort(bySourceOrder);
  expect(sorted.map((one) => [one.code, one.span.start])).toEqual([
    ["HARN-NAM-002", 1],
    ["HARN-NAM-015", 1],
    ["HARN-NAM-002", 5],
  ]);
});
