/** The grammar files say what the parser does. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { analysedParser, diagrams, lookaheadTables, ruleTexts } from "../../../scripts/grammar-artefacts.ts";
import { words } from "../../../src/syntax/tokens.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** Rule name → its words, comments and layout removed. */
function ebnfRules(): Map<string, string> {
  const text = read("grammar/harn.ebnf").replace(/\(\*[\s\S]*?\*\)(?!')/g, "");
  const rules = new Map<string, string>();
  for (const match of text.matchAll(/(\w+)\s*=\s((?:'[^']*'|[^';])*);/g)) {
    expect(rules.has(match[1]!), `${match[1]} is written twice`).toBe(false);
    rules.set(match[1]!, match[2]!.trim().replace(/\s+/g, " "));
  }
  return rules;
}

test("Chevrotain finds no fault in the grammar", () => {
  expect(Object.keys(analysedParser().getGAstProductions()).length).toBeGreaterThan(80);
});

describe("grammar/harn.ebnf", () => {
  const parser = ruleTexts();
  const file = ebnfRules();
  test("has the parser's rules", () => expect([...file.keys()].sort()).toEqual([...parser.keys()].sort()));
  test.each([...parser.keys()])("%s", (name) => expect(file.get(name)).toBe(parser.get(name)));
});

test("the lookahead tables are up to date (npm run grammar)", () => {
  expect(read("src/syntax/lookahead-tables.ts")).toBe(lookaheadTables());
});

describe("grammar/diagrams.html", () => {
  const page = read("grammar/diagrams.html");
  test("is up to date (npm run grammar)", () => expect(page).toBe(diagrams()));
  test("loads nothing", () => {
    expect(page).not.toMatch(/<(?:script|img|iframe)[^>]*\ssrc=/i);
    expect(page).not.toMatch(/<link\b/i);
    expect(page).not.toMatch(/@import|url\(\s*['"]?http/i);
  });
});

describe("grammar/harn.tmLanguage.json", () => {
  interface Pattern {
    readonly name?: string;
    readonly match?: string;
    readonly begin?: string;
    readonly end?: string;
    readonly include?: string;
    readonly patterns?: readonly Pattern[];
  }
  const grammar = JSON.parse(read("grammar/harn.tmLanguage.json")) as Pattern & {
    repository: Record<string, Pattern>;
  };
  const patterns: Pattern[] = [];
  const collect = (pattern: Pattern): void => {
    patterns.push(pattern);
    for (const inner of pattern.patterns ?? []) collect(inner);
  };
  for (const pattern of [grammar, ...Object.values(grammar.repository)]) collect(pattern);

  test("includes only what exists", () => {
    for (const { include } of patterns)
      if (include !== undefined) expect(grammar.repository).toHaveProperty(include.slice(1));
  });
  test("its expressions are valid", () => {
    for (const { match, begin, end } of patterns) {
      for (const source of [match, begin, end]) {
        if (source !== undefined) expect(() => new RegExp(source.replace("\\A", "^"), "u")).not.toThrow();
      }
    }
  });
  test("knows every reserved word", () => {
    const text = patterns.map((pattern) => pattern.match ?? "").join(" ");
    const known = new Set(text.match(/[a-z_]+/g));
    expect([...words.keys()].filter((word) => !known.has(word)).sort()).toEqual([
      "as",
      "cost_route",
      "default",
      "description",
      "max_concurrent",
      "out",
      "scope",
      "stream",
      "summarize",
      "timeout",
      "where",
      "with",
    ]);
  });
});
