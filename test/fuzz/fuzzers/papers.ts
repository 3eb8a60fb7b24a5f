/** BibTeX that people paste, and Markdown that models write: read, checked, and exported in every format. */

import { jsonNestsTooDeep } from "../../../src/values/index.ts";
import {
  checkPaper,
  exportPaper,
  type Paper,
  referencesOfBibtex,
  textFormats,
} from "../../../src/writing/text/index.ts";
import type { Dice } from "../../support/fuzz-text.ts";
import { damageJson, damageText, jsonText } from "../damage.ts";
import type { Fuzzer } from "../fuzzer.ts";

const entries: readonly string[] = [
  '@article{knuth84, author = {Knuth, Donald E.}, title = {Literate {P}rogramming}, journal = "Comput. J.", year = 1984, volume = 27, pages = {97--111}, doi = {10.1093/comjnl/27.2.97}}',
  "@string{acm = {ACM Press}}\n@book{b:1, editor = {van der Berg, Jr., An and {The Group}}, title = {\\'E t\\\"ud {\\ss} \\LaTeX}, publisher = acm # { Inc.}, date = {2020-05/2021-06}}",
  "@misc{x, title = {A {nested {deep} brace} % no comment}, howpublished = {\\url{https://a.b/c_d?e=%20}}, eprint = {2101.00001}, archiveprefix = {arXiv}}",
  "@comment{left out}\n@preamble{ {\\newcommand{\\x}{y}} }\n@inproceedings(p9, title = {Round}, author = {others}, crossref = {b:1}, month = jan)",
];
const bodies: readonly string[] = [
  "As [@knuth84, p. 3; -@b:1] says, and @x too; [see @nobody]. <https://a.b> `code` **bold _both_** ~~gone~~ x^2^ H~2~O.[^n]\n\n[^n]: A note with [@x].\n",
  "# One\n\n## Two {#sec:two}\n\n1. a\n   - b\n     > c\n2. d\n\n| a | b |\n|:--|--:|\n| `|` | $x_1$ |\n\n: Caption {#tbl:t}\n",
  "$$\n\\begin{aligned} a &= b \\\\ \\frac{1}{2} &< \\sqrt[3]{x} \\end{aligned}\n$$ {#eq:e}\n\nSee [@sec:two] and [@fig:f].\n\n![A *figure*](img/a b.png){#fig:f width=50%}\n",
  "```python title=\"x\"\nprint('[@knuth84]')\n```\n\n<div onclick=x>html</div>\n\n[link](javascript:alert(1)) [ref][r]\n\n[r]: http://x 'y'\n\n***\n\n- [ ] todo\n- [x] done\\\nbreak\n",
];
const bits = [
  "[@",
  "]",
  "{#",
  "}",
  "$",
  "$$",
  "\\",
  "|",
  "```",
  "*",
  "_",
  "> ",
  "    ",
  "<",
  "&",
  "^[",
  "![](",
  "\u202e",
  "é",
  "\t",
];

function textOf(dice: Dice, parts: readonly string[]): string {
  let text = Array.from({ length: 1 + dice.below(4) }, () => dice.pick(parts)).join("\n\n");
  for (let more = dice.below(4); more > 0; more--) {
    const at = dice.below(text.length + 1);
    text = text.slice(0, at) + dice.pick(bits).repeat(dice.below(20) === 0 ? 5000 : 1) + text.slice(at);
  }
  return dice.below(3) === 0 ? text : damageText(dice, text);
}

const item = {
  type: "article-journal",
  title: "A title",
  author: [{ family: "Doe", given: "J.", "non-dropping-particle": "van" }, { literal: "The Group" }],
  issued: { "date-parts": [[2020, 5, 1]] },
  "container-title": "J",
  volume: 3,
  page: "1-9",
  DOI: "10.1/x",
  URL: "https://a.b/c",
};

export const papers: Fuzzer = {
  name: "papers",
  make: (dice) => ({
    bibtex: textOf(dice, entries),
    body: textOf(dice, bodies),
    abstract: dice.below(3) === 0 ? textOf(dice, bodies) : "An abstract.",
    title: dice.below(3) === 0 ? textOf(dice, bits) : "A title",
    item: dice.below(2) === 0 ? jsonText(item) : damageJson(dice, jsonText(item)),
  }),
  run: async ({ bibtex = "", body = "", abstract = "", title = "", item: csl = "{}" }) => {
    const { references, problems } = referencesOfBibtex(bibtex);
    const paper: Paper = {
      title,
      authors: ["A. B.", title],
      abstract,
      language: "en",
      citationStyle: body.length % 2 === 0 ? "numeric" : "author-year",
      sections: [
        { id: "s1", depth: 1, title, label: "one", body },
        { id: "s2", depth: 5, title: "Two", label: "two", body: bodies[1] ?? "" },
      ],
      references: [
        ...references.map(({ key, item: read }) => ({ key, item: read, verified: false, quote: "" })),
        ...asItem(csl),
      ],
    };
    const said = [...problems, ...checkPaper(paper)].map((one) => JSON.stringify(one));
    for (const format of textFormats) {
      const { files } = await exportPaper(paper, format);
      // What is exported may quote the input; that there is something is what counts here.
      if (files.length === 0) throw new Error(`nothing was exported as ${format}`);
    }
    return said.join("\n");
  },
};

/** The store takes any object for an item (`reference_add`), so exporters may see any. */
function asItem(text: string): Paper["references"] {
  // Bodies and values that nest deeper are refused before anybody sees an item.
  if (jsonNestsTooDeep(text)) return [];
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return [];
  }
  const isItem = typeof read === "object" && read !== null && !Array.isArray(read);
  return isItem ? [{ key: "odd", item: read as Record<string, never>, verified: true, quote: "odd" }] : [];
}
