/** Items of references are any JSON; what is read of them has its type, and the rest is left out. */
import { describe, expect, it } from "vitest";
import { cslItemOf, exportPaper, type Paper, textFormats } from "../../../../src/writing/text/index.ts";

const odd = {
  title: 5,
  author: [{ family: 7, given: ["x"] }, "no name", null, { literal: "The Group", extra: 1 }],
  issued: { "date-parts": [[2020, "5", { a: 1 }], "2021"] },
  accessed: "yesterday",
  volume: {},
  issue: 3,
  DOI: null,
  own: { kept: true },
};

describe("an item", () => {
  it("keeps what has its type, takes numbers for texts, and leaves what nobody reads", () => {
    expect(cslItemOf(odd)).toEqual({
      title: "5",
      author: [{ family: "7" }, { literal: "The Group", extra: 1 }],
      issued: { "date-parts": [[2020, "5"]] },
      issue: 3,
      own: { kept: true },
    });
  });

  it("that is right stays as it is", () => {
    const right = { type: "book", title: "T", author: [{ family: "F" }], issued: { "date-parts": [[2020]] } };
    expect(cslItemOf(right)).toEqual(right);
  });

  it("of other types is exported all the same", async () => {
    const paper: Paper = {
      title: "T",
      authors: [],
      abstract: "",
      language: "en",
      citationStyle: "author-year",
      sections: [{ id: "s", depth: 1, title: "S", label: "s", body: "As [@odd] says." }],
      references: [{ key: "odd", item: cslItemOf(odd), verified: true, quote: "" }],
    };
    for (const format of textFormats) expect((await exportPaper(paper, format)).files).not.toEqual([]);
  });
});
