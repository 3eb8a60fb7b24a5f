/** language.md §28.1: how diagnostics look, and that nothing of a script acts on the terminal. */
import { describe, expect, test } from "vitest";
import {
  diagnostic,
  renderDiagnostic,
  renderDiagnostics,
  renderProblem,
  showText,
} from "../../../src/diagnostics/index.ts";
import { SourceFile } from "../../../src/source/index.ts";

function rendered(text: string, mark: string, options = {}): string {
  const start = text.indexOf(mark);
  const source = new SourceFile("demo.harn", text);
  const { line, column } = source.position(start);
  const span = { start, end: start + mark.length };
  const made = diagnostic("HARN-PAR-001", source, span, {
    expected: "expression",
    found: mark,
    at: `${line}:${column}`,
  });
  return renderDiagnostic(made, options);
}

/** The source line and the caret line. */
const excerpt = (text: string, mark: string): string =>
  rendered(text, mark).split("\n").slice(3, 5).join("\n");

test("the whole form", () => {
  expect(rendered("let a = 1\nlet b = ;\n", ";")).toBe(
    [
      "error: Expected expression, got ; at 2:9 (HARN-PAR-001)",
      "  --> demo.harn:2:9",
      "   |",
      " 2 | let b = ;",
      "   |         ^ unexpected token",
    ].join("\n"),
  );
});

test("help, notes, and a wide gutter", () => {
  const source = new SourceFile("demo.harn", `${"\n".repeat(99)}f(`);
  const made = diagnostic("HARN-PAR-002", source, { start: 101, end: 101 }, { expected: ")" });
  expect(renderDiagnostic({ ...made, notes: ["called from pipeline at demo.harn:6"] })).toBe(
    [
      "error: Unexpected end of file, expected ) (HARN-PAR-002)",
      "    --> demo.harn:100:3",
      "     |",
      " 100 | f(",
      "     |   ^ file ends here",
      " = help: add a closing `)` to finish this expression or parameter list",
      " = note: called from pipeline at demo.harn:6",
    ].join("\n"),
  );
});

test("several, and problems without a place", () => {
  const problem = { severity: "error" as const, message: "no" };
  expect(renderProblem(problem)).toBe("error: no");
  expect(renderProblem({ ...problem, severity: "lint", code: "HARN-LNT-001" })).toBe(
    "warning: no (HARN-LNT-001)",
  );
  const source = new SourceFile("a", "x");
  const made = diagnostic("HARN-NAM-001", source, { start: 0, end: 1 }, { name: "x" });
  expect(renderDiagnostics([made, made]).split("\n\n")).toHaveLength(2);
});

describe("carets stand under what they mean", () => {
  test("one for each character", () =>
    expect(excerpt("let abc = 1", "abc")).toBe(" 1 | let abc = 1\n   |     ^^^ unexpected token"));
  test("tabs", () => expect(excerpt("\tx\ty", "y")).toBe(" 1 |     x   y\n   |         ^ unexpected token"));
  test("wide characters", () =>
    expect(excerpt("漢字 😀 x", "x")).toBe(" 1 | 漢字 😀 x\n   |         ^ unexpected token"));
  test("under wide characters", () =>
    expect(excerpt("a 漢字", "漢字")).toBe(" 1 | a 漢字\n   |   ^^^^ unexpected token"));
  test("combining marks", () =>
    expect(excerpt("e\u0301 x", "x")).toBe(" 1 | e\u0301 x\n   |   ^ unexpected token"));
  test("control characters", () =>
    expect(excerpt("\u001b[31m x", "x")).toBe(" 1 | ␛[31m x\n   |       ^ unexpected token"));
  test("direction marks", () =>
    expect(excerpt("\u202e x", "x")).toBe(" 1 | \\u{202e} x\n   |          ^ unexpected token"));
  test("lone surrogates", () =>
    expect(excerpt("\ud800 x", "x")).toBe(" 1 | \\u{d800} x\n   |          ^ unexpected token"));
  test("a carriage return at the end of the line", () =>
    expect(excerpt("a x\r\nb", "x")).toBe(" 1 | a x\n   |   ^ unexpected token"));
  test("a span over several lines ends with the first", () => {
    const source = new SourceFile("d", "ab {\n}");
    const made = diagnostic("HARN-PAR-002", source, { start: 3, end: 6 }, { expected: "x" });
    expect(renderDiagnostic(made).split("\n")[4]).toBe("   |    ^ file ends here");
  });
});

describe("long lines", () => {
  const long = `${"a".repeat(5000)}${"漢".repeat(10)};${"b".repeat(5000)}`;
  test("are cut round the caret", () => {
    const lines = rendered(long, ";", { width: 60 }).split("\n");
    expect(lines[3]!.length).toBeLessThan(70);
    expect(lines[3]).toMatch(/^ 1 \| …a+漢{10};b+…$/);
    // Each of the ten wide characters takes two columns, the ellipsis one.
    expect(lines[4]!.indexOf("^")).toBe(lines[3]!.indexOf(";") + 10);
  });
  test("at their ends too", () => {
    expect(rendered(`;${"b".repeat(500)}`, ";", { width: 40 }).split("\n")[3]).toMatch(/^ 1 \| ;b+…$/);
    expect(rendered(`${"b".repeat(500)};`, ";", { width: 40 }).split("\n")[3]).toMatch(/^ 1 \| …b+;$/);
  });
  test("of ten megabytes, quickly", () => {
    expect(rendered(`${"a".repeat(10_000_000)};`, ";").length).toBeLessThan(500);
  });
  test("no surrogate pair is cut", () => {
    expect(rendered(`${"😀".repeat(300)};`, ";", { width: 51 })).not.toContain("\\u{d");
  });
});

test("colours only when asked", () => {
  expect(rendered("x ;", ";")).not.toContain("\u001b");
  expect(rendered("x ;", ";", { colour: true })).toContain("\u001b[1;31merror\u001b[0m");
});

test("messages and file names are harmless too", () => {
  expect(showText("a\u001b]0;x\u0007b\nc")).toBe("a␛]0;x␇b\nc");
  const source = new SourceFile("\u001b[2Jx.harn", "a");
  const made = diagnostic("HARN-PAR-003", source, { start: 0, end: 1 }, { char: "\u001b", at: "1:1" });
  expect(renderDiagnostic(made)).not.toContain("\u001b");
});
