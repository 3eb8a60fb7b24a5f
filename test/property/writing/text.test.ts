/** Any text: a tree, LaTeX without an active character, BibTeX that comes back the same. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bibtexOf,
  type CslItem,
  exportPaper,
  type Paper,
  parseMarkdown,
  referencesOfBibtex,
  textFormats,
} from "../../../src/writing/text/index.ts";
import { escapeLatex } from "../../../src/writing/text/latex/index.ts";

const odd = fc.constantFrom(
  ...[
    "\\",
    "{",
    "}",
    "$",
    "&",
    "%",
    "#",
    "_",
    "~",
    "^",
    "<",
    ">",
    "|",
    '"',
    "`",
    "'",
    "-",
    "--",
    "---",
    "[",
    "]",
    "*",
    ",",
  ],
  ..."?` !` ,, \\end{verbatim} \\input{x} ^^5c \u00a0 – — … é é Ṩ α ≤ 漢 🙂 \ud800 \u0000 \u0007 \u2028 \u202e \t \n \n\n".split(
    " ",
  ),
  ...[
    "[@doe2020]",
    "@doe2020",
    "[-@x, p. 3; see @doe2020]",
    "[^1]",
    "\n[^1]: note\n",
    "$x^2$",
    "$$\\frac{1}{2}$$",
    "$\\write18{x}$",
  ],
  ...[
    "![a](b.png)",
    "![a](b.png){#fig:b}",
    "[a](http://x.y/z?a=1&b=%20#c)",
    "http://a.b/c_d",
    "**a**",
    "*b*",
    "~~c~~",
    "`d`",
  ],
  ...[
    "\n- ",
    "\n1. ",
    "\n> ",
    "\n# ",
    "\n```\n",
    "\n| a | b |\n|---|--:|\n| c | d |\n",
    "\n\n    code\n",
    "<b>",
    "<!-- x -->",
    "@sec:a",
    "@fig:b",
  ],
);
const text = fc
  .array(fc.oneof(odd, fc.string({ maxLength: 6 }), fc.constantFrom(" ", "a", "word")), { maxLength: 40 })
  .map((parts) => parts.join(""));

/** What `escapeLatex` may give, piece by piece; everything else must be an ordinary character. */
const pieces =
  /\\textbackslash\{\}|\\textasciitilde\{\}|\\textasciicircum\{\}|\\textless\{\}|\\textgreater\{\}|\\textbar\{\}|\\textquotedbl\{\}|\\[{}$&%#_]|[`']\{\}|\{[[\]*]\}|\{\}|~/g;

describe("any text", () => {
  it("is escaped: braces balance and nothing active is left", () => {
    fc.assert(
      fc.property(text, fc.boolean(), (one, start) => {
        const escaped = escapeLatex(one, start);
        expect(escaped.replaceAll(pieces, ".")).not.toMatch(/[\\{}$&%#_~^<>|"`']|--/);
        expect(escaped).not.toMatch(/\n\n/);
      }),
      { numRuns: 2_000 },
    );
  });

  it("becomes a tree and every export", async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (body, other) => {
        expect(parseMarkdown(body).blocks).toBeInstanceOf(Array);
        const paper: Paper = {
          title: other,
          authors: [other],
          abstract: body,
          language: "en",
          citationStyle: "author-year",
          sections: [
            { id: "s_1", depth: 1, title: other, label: "a", body },
            { id: "s_2", depth: 2, title: body, label: "b", body: other },
          ],
          references: [
            {
              key: "doe2020",
              item: { title: other, author: [{ literal: body }] },
              verified: false,
              quote: "",
            },
          ],
        };
        for (const format of textFormats) {
          const { files } = await exportPaper(paper, format);
          const content = files[0]?.content as string;
          if (format !== "bib" || content !== "") expect(content).toMatch(/[^\n]\n$/);
          expect(content).not.toContain("\r");
        }
        const tex = (await exportPaper(paper, "latex")).files[0]?.content as string;
        expect(problemOf(tex)).toBe("");
      }),
      { numRuns: 400 },
    );
  });
});

/** A small reader of LaTeX: braces balance, environments nest, and nothing active stands where it must not. */
function problemOf(tex: string): string {
  const body = tex
    .slice(tex.indexOf("\\title{"))
    .replaceAll(/\\begin\{verbatim\}[\s\S]*?\\end\{verbatim\}/g, "")
    .replaceAll(/\\(?:url|href)\{[^{}]*\}/g, "")
    .replaceAll(/\\\\/g, " ");
  let depth = 0;
  const open: string[] = [];
  for (const [token, which, name] of body.matchAll(
    /\\(begin|end)\{([^{}]*)\}|\\[a-zA-Z]+|\\[\s\S]|[{}%#]/g,
  )) {
    if (token === "{") depth++;
    else if (token === "}" && --depth < 0) return "a brace too many";
    else if (token === "%" || token === "#") return `${token} is active`;
    else if (which === "begin") open.push(name as string);
    else if (which === "end" && open.pop() !== name) return `\\end{${name}} ends another environment`;
  }
  return depth === 0 ? open.join(", ") : `${depth} braces are open`;
}

const field = fc.option(text, { nil: undefined });
const name = fc.oneof(
  fc.record({ literal: text }),
  fc.record({
    family: text,
    given: field,
    suffix: field,
    "non-dropping-particle": fc.option(fc.constantFrom("van", "von der"), { nil: undefined }),
  }),
  fc.record({
    family: fc.constantFrom("Doe", "de Souza", "O'Neill", "Smith and Sons", "Berg, van"),
    given: fc.constantFrom("Jane", "J. R.", "Ann, Jr.", "and", ""),
  }),
);
const item: fc.Arbitrary<CslItem> = fc.record({
  type: fc.constantFrom(
    "article-journal",
    "paper-conference",
    "book",
    "chapter",
    "thesis",
    "report",
    "webpage",
    "article",
    "nonsense",
  ),
  title: text,
  author: fc.array(name, { maxLength: 3 }),
  issued: fc.option(
    fc.record({ "date-parts": fc.tuple(fc.tuple(fc.oneof(fc.integer({ min: 1, max: 2030 }), text))) }),
    { nil: undefined },
  ),
  accessed: fc.constantFrom(undefined, { "date-parts": [[2026, 3, 5]] }, { "date-parts": [[2026]] }),
  "container-title": field,
  volume: field,
  issue: field,
  number: field,
  page: fc.option(fc.oneof(fc.constantFrom("86-91", "S1 – S5", "7", "1--3"), text), { nil: undefined }),
  publisher: field,
  DOI: field,
  URL: field,
  archive: field,
  archive_location: field,
  note: field,
});

describe("BibTeX", () => {
  it("export, import, export gives the same bytes", () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 3 }), (items) => {
        const first = bibtexOf(items.map((one, at) => ({ key: `key${at}`, item: one })));
        const { references, problems } = referencesOfBibtex(first);
        expect(problems).toEqual([]);
        expect(bibtexOf(references)).toBe(first);
      }),
      { numRuns: 2_000 },
    );
  });

  it("reads any text without failing", () => {
    fc.assert(
      fc.property(text, (one) => void referencesOfBibtex(`@article{a, ${one}`)),
      { numRuns: 500 },
    );
  });
});
