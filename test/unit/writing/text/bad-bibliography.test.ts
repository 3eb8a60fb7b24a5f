/** Names in BibTeX and CSL-JSON that mean something to JavaScript, and letters of every script. */
// suite: slow
import { describe, expect, it } from "vitest";
import {
  bibtexOf,
  checkPaper,
  exportPaper,
  type Paper,
  type Reference,
  referenceKey,
  referencesOfBibtex,
  textFormats,
} from "../../../../src/writing/text/index.ts";
import { characterDeclaration } from "../../../../src/writing/text/latex/characters.ts";

const paperOf = (references: readonly Reference[], body = ""): Paper => ({
  title: "题 — Ünïcödé 🙂 عنوان",
  authors: ["王小明", "Ægir Þórsson"],
  abstract: "",
  language: "zh",
  citationStyle: "author-year",
  sections: [{ id: "s_1", depth: 1, title: "第一节 𝔘", label: "one", body }],
  references,
});
const polluted = (): unknown => ({}).constructor === Object && ({} as { polluted?: unknown }).polluted;

describe("names of JavaScript", () => {
  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "%s as a key, a field, a type",
    async (name) => {
      const { references, problems } = referencesOfBibtex(
        `@misc{${name}, title = {T}, ${name} = {polluted}, year = 2020}\n@${name}{b, title = {U}}`,
      );
      expect(polluted()).toBeUndefined();
      expect(references.length + problems.length).toBeGreaterThan(0);
      const item = JSON.parse(`{"type": "book", "title": "T", "${name}": {"polluted": true}}`);
      const reference: Reference = { key: name, item, verified: false, quote: "" };
      const paper = paperOf([reference], `See [@${name}], @sec:${name}, @fig:${name} and [^${name}].`);
      for (const format of textFormats) {
        const { files } = await exportPaper(paper, format);
        expect(files.length, format).toBeGreaterThan(0);
      }
      expect(checkPaper(paper).map(({ kind }) => kind)).toContain("unverified-reference");
      expect(bibtexOf([reference])).toContain(name);
      expect(polluted()).toBeUndefined();
    },
  );

  it("an item without anything, or with things of other types, still makes a reference", async () => {
    const items = [
      {},
      { title: 7 },
      { author: "Ann" },
      { issued: "2020" },
      { author: [null, 7, {}] },
    ] as never[];
    for (const item of items) {
      expect(referenceKey(item, () => false)).toMatch(/^[a-z0-9]/);
      for (const format of textFormats)
        expect(
          (await exportPaper(paperOf([{ key: "k", item, verified: false, quote: "" }], "[@k]"), format))
            .files,
        ).not.toEqual([]);
    }
  });
});

it("titles of every script go through every export", async () => {
  for (const format of textFormats) {
    const content = String((await exportPaper(paperOf([], "正文"), format)).files[0]?.content);
    if (format !== "bib") expect(content, format).toContain("第一节");
  }
});

it("ten thousand sections are exported in time that grows with their number", async () => {
  const sections = Array.from({ length: 10_000 }, (_, at) => ({
    id: `s_${at}`,
    depth: (at % 5) + 1,
    title: `Section ${at}`,
    label: `l-${at}`,
    body: `Text ${at}, @sec:l-${(at * 7) % 10_000}.`,
  }));
  for (const format of ["md", "latex", "html", "json"] as const) {
    const { files } = await exportPaper({ ...paperOf([]), sections }, format);
    expect(String(files[0]?.content)).toContain("Section 9999");
  }
});

it("a key that is there twice is told with the one that its entry has now", () => {
  const { references, problems } = referencesOfBibtex("@misc{k, title={a}}\n@misc{k, title={The b}}\n@misc{");
  expect(references.map(({ key }) => key)).toEqual(["k", "b"]);
  expect(problems).toEqual([
    { line: 2, message: "the key k is there twice: this one is b" },
    { line: 3, message: "@misc{ has no comma after its key" },
  ]);
});

it("logos are words", () => {
  const [one] = referencesOfBibtex("@misc{k, title={{\\TeX} and \\LaTeX{} with \\emph{care}}}").references;
  expect(one?.item.title).toBe("TeX and LaTeX with care");
});

it("what LaTeX is told of a mapped character is one command", () => {
  for (const text of ["≤", "→", "►", "∑", "𝔼", "₀"])
    expect(characterDeclaration(text)).toMatch(/^\\ensuremath\{(?:\\[a-zA-Z]+(?:\{\w\})?|[_^]\{\w\})\}$/);
});
