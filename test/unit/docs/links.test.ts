/** Links of README.md and docs/: each leads to a file, and to a heading where it names one. */
import { describe, expect, it } from "vitest";
import { anchorOf, brokenLink, docLinks, docPages } from "../../support/doc-pages.ts";

describe("links of the documentation", () => {
  const links = docPages().flatMap((page) => docLinks(page).map((link) => ({ page, ...link })));

  it("are there", () => expect(links.length).toBeGreaterThan(300));

  it("lead somewhere", () => {
    const broken = links
      .map(({ page, place, target }) => ({ place, target, why: brokenLink(page, target) }))
      .filter(({ why }) => why !== undefined);
    expect(broken).toEqual([]);
  });

  it("every page can be reached from docs/README.md", () => {
    const reached = new Set(
      docLinks("docs/README.md").map(({ target }) => `docs/${target.split("#")[0]}`.replace("docs/../", "")),
    );
    expect(docPages().filter((page) => !page.endsWith("README.md") && !reached.has(page))).toEqual([]);
  });

  it("a link to nowhere is noticed", () => {
    expect(brokenLink("README.md", "docs/nothing.md")).toBe("there is no docs/nothing.md");
    expect(brokenLink("README.md", "docs/types.md#nothing")).toBe("docs/types.md has no heading #nothing");
    expect(anchorOf("8.7 The `|>` pipe, and *more*")).toBe("87-the--pipe-and-more");
  });
});
