/** Any text at all: the parser ends, throws nothing, and its spans lie inside the text. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { renderDiagnostics } from "../../src/diagnostics/index.ts";
import { SourceFile } from "../../src/source/index.ts";
import { parse, parseExpression, tokenize } from "../../src/syntax/index.ts";
import { punctuationTokens, words } from "../../src/syntax/tokens.ts";
import { nodesOf, withoutSpans } from "../support/syntax-text.ts";

const program = readFileSync(join(import.meta.dirname, "../unit/syntax/every-construct.harn"), "utf8");

/** Words, punctuationTokens, literals, and what trips lexers. */
const piece = fc.oneof(
  fc.constantFrom(...words.keys()),
  fc.constantFrom(...punctuationTokens.map((type) => type.LABEL!)),
  fc.constantFrom(
    "x",
    "Point",
    "_",
    "f(",
    "1",
    "1.5",
    "5s",
    '"a"',
    '"${',
    '"""',
    'r"',
    'r#"',
    "\n",
    "\n\n",
    ";",
    "//",
    "/*",
    "*/",
    "///",
    "/**",
  ),
  fc.constantFrom(
    "\\",
    "\\\n",
    "\r\n",
    "\t",
    "'",
    "#!",
    "\ufeff",
    "é",
    "😀",
    "\ud800",
    "\u202e",
    "99999999999999999999",
    "${",
    "<<EOF",
  ),
);
const soup = fc
  .array(fc.tuple(piece, fc.constantFrom("", " ", "", "\n")), { maxLength: 60 })
  .map((parts) => parts.flat().join(""));

/** A right program with a few pieces cut out, doubled or put in. */
const mutated = fc
  .array(fc.tuple(fc.nat(program.length), fc.nat(40), fc.oneof(piece, fc.constant(""))), {
    minLength: 1,
    maxLength: 4,
  })
  .map((edits) =>
    edits.reduce((text, [at, length, put]) => text.slice(0, at) + put + text.slice(at + length), program),
  );

/** What would act on a terminal or is no character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]|\p{Surrogate}/u;

function check(text: string): void {
  const source = new SourceFile("fuzz.harn", text);
  const { tokens } = tokenize(source);
  let last = 0;
  for (const token of tokens) {
    expect(token.startOffset).toBeGreaterThanOrEqual(last);
    expect(token.endOffset).toBeLessThan(Math.max(text.length, 1));
    last = token.startOffset;
  }
  const { program: tree, diagnostics } = parse(source);
  for (const { span } of diagnostics) {
    expect(span.start).toBeGreaterThanOrEqual(0);
    expect(span.start).toBeLessThanOrEqual(span.end);
    expect(span.end).toBeLessThanOrEqual(text.length + 1);
  }
  expect(diagnostics.length).toBeLessThanOrEqual(40);
  expect(UNSAFE.test(renderDiagnostics(diagnostics))).toBe(false);
  for (const { node } of nodesOf(tree)) {
    expect(node.start).toBeGreaterThanOrEqual(0);
    expect(node.end).toBeLessThanOrEqual(text.length);
    if (diagnostics.length === 0) expect(node.kind).not.toBe("ErrorExpr");
  }
  parseExpression(source);
}

test("token soup", () => {
  fc.assert(fc.property(soup, check), { numRuns: 1500 });
});

test("mutated programs", () => {
  fc.assert(fc.property(mutated, check), { numRuns: 150 });
});

test("any characters", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 200 }), check), { numRuns: 500 });
});

test("the parser keeps nothing from one text to the next", () => {
  const clean = withoutSpans(parse(new SourceFile("a", program)).program);
  fc.assert(
    fc.property(soup, (text) => {
      parse(new SourceFile("b", text));
      expect(withoutSpans(parse(new SourceFile("a", program)).program)).toEqual(clean);
    }),
    { numRuns: 30 },
  );
});
