/** Markdown of papers ▸ tree: the syntax of docs/papers.md, and bounds. */
import { describe, expect, it } from "vitest";
import { type Block, type Inline, parseMarkdown } from "../../../../src/writing/text/index.ts";

const inlines = (text: string): readonly Inline[] => {
  const [block] = parseMarkdown(text).blocks;
  return block?.kind === "paragraph" ? block.children : [];
};
const kinds = (text: string): string =>
  inlines(text)
    .map((one) => one.kind)
    .join(" ");

describe("citations", () => {
  it("in brackets, with words around them and years alone", () => {
    const [citation] = inlines("[@doe2020, p. 3; see @roe2021; -@x]");
    expect(citation).toMatchObject({
      form: "bracketed",
      items: [
        { key: "doe2020", prefix: "", suffix: "p. 3", yearOnly: false },
        { key: "roe2021", prefix: "see", suffix: "", yearOnly: false },
        { key: "x", prefix: "", suffix: "", yearOnly: true },
      ],
    });
  });

  it("in running text, where no word stands in front", () => {
    expect(kinds("As @doe2020 says.")).toBe("text citation text");
    expect(inlines("(@doe2020).")[1]).toMatchObject({ kind: "citation", items: [{ key: "doe2020" }] });
    expect(kinds("joe@example.com")).toBe("link");
    expect(kinds("a_@b")).toBe("text");
    expect(kinds("`@a`")).toBe("code_span");
    expect(kinds("\\@a")).toBe("text");
  });

  it("know where they stand, also in quotes and behind the same in code", () => {
    const text = "> `[@a]` and\n> [@a,\n> p. 3]";
    const [quote] = parseMarkdown(text).blocks;
    const [paragraph] = quote?.kind === "quote" ? quote.children : [];
    const citation = paragraph?.kind === "paragraph" ? paragraph.children.at(-1) : undefined;
    expect(citation?.kind === "citation" ? text.slice(citation.span.from, citation.span.to) : "").toBe(
      "[@a,\n> p. 3]",
    );
  });
});

describe("formulas", () => {
  it.each([
    ["$x$", "math"],
    ["costs $5 and $6", "text"],
    ["$ x$", "text"],
    ["$x $", "text"],
    ["$x$2", "text"],
    ["\\$x$", "text"],
    ["$a_b *c* d_e$", "math"],
    ["a $$x$$ b", "text math text"],
  ])("%s", (text, kind) => {
    expect(kinds(text)).toBe(kind);
  });

  it("of their own paragraph", () => {
    expect(parseMarkdown("text\n$$\nx\n$$\nmore").blocks.map((one) => one.kind)).toEqual([
      "paragraph",
      "display_math",
      "paragraph",
    ]);
  });
});

describe("notes, references, figures", () => {
  it("are told apart", () => {
    expect(kinds("A[^1] @sec:intro @fig:one")).toBe(
      "text note_reference text cross_reference text cross_reference",
    );
    expect(inlines("![a *b*](p.png){#fig:one}")).toMatchObject([
      { kind: "image", path: "p.png", label: "one" },
    ]);
    const [note] = parseMarkdown("[^1]: one\n    two\n\n    three\n\nafter").blocks;
    expect(note).toMatchObject({
      kind: "note",
      label: "1",
      children: [{ kind: "paragraph" }, { kind: "paragraph" }],
    });
  });

  it("raw HTML is text", () => {
    expect(parseMarkdown("<div>\nx\n</div>\n\na <b>c</b>").blocks).toMatchObject([
      { kind: "html_block", text: "<div>\nx\n</div>" },
      {
        kind: "paragraph",
        children: [{}, { kind: "html", text: "<b>" }, {}, { kind: "html", text: "</b>" }],
      },
    ]);
  });
});

describe("bounds", () => {
  const depthOf = (blocks: readonly Block[]): number =>
    blocks.reduce((most, one) => Math.max(most, one.kind === "quote" ? 1 + depthOf(one.children) : 1), 0);

  it("quotes beyond 32 levels are plain text", () => {
    expect(depthOf(parseMarkdown(`${">".repeat(20_000)}a`).blocks)).toBeLessThanOrEqual(33);
  });

  it.each([
    ["marks", "_a__b".repeat(50_000)],
    ["brackets", "[".repeat(200_000)],
    ["angles", "<a ".repeat(80_000)],
    ["dollars", "$a ".repeat(50_000)],
    ["addresses", "a.b+c".repeat(50_000)],
    ["citations", "[@a; ".repeat(50_000)],
  ])("a paragraph of %s is plain text", (_name, text) => {
    expect(parseMarkdown(text).blocks).toMatchObject([{ kind: "paragraph" }]);
    expect(inlines(text).filter((one) => one.kind === "math" || one.kind === "link")).toEqual([]);
  });
});

it("quotes nest to a bound, also where a line without a mark follows", () => {
  const depthOf = (block: Block | undefined): number =>
    block?.kind === "quote" ? 1 + depthOf(block.children.at(-1)) : 0;
  const [block] = parseMarkdown(`${"> ".repeat(3000)}x\nand on`).blocks;
  expect(depthOf(block)).toBeGreaterThan(20);
  expect(depthOf(block)).toBeLessThan(100);
});
