/** Links of README.md, docs/ and the READMEs of folders: each leads to a file, and to a heading where it names one. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { anchorOf, brokenLink, docLinks, docPages } from "../../support/doc-pages.ts";

describe("links of the documentation", () => {
  const readmes = globSync("{src,test,bench,examples,viewer,grammar}/**/README.md");
  const links = [...docPages(), ...readmes].flatMap((page) =>
    docLinks(page).map((link) => ({ page, ...link })),
  );

  it("are there", () => expect(links.length).toBeGreaterThan(300));

  it("lead somewhere", () => {
    const broken = links
      .map(({ page, place, target }) => ({ place, target, why: brokenLink(page, target) }))
      .filter(({ why }) => why !== undefined);
    expect(broken).toEqual([]);
  });

  it("files that pages name in code are there", () => {
    // Examples and the history of figures name files of their own.
    const own = readmes.filter((page) => !/^(?:examples|bench)\//.test(page));
    const named = [...docPages(), ...own].flatMap((page) =>
      [
        ...readFileSync(page, "utf8").matchAll(
          /`((?:src|test|docs|viewer|stdlib|scripts|grammar|templates|bench)\/[\w./-]+\.\w+)`/g,
        ),
      ].map(([, file = ""]) => ({ page, file })),
    );
    expect(named.length).toBeGreaterThan(200);
    expect(named.filter(({ file }) => !existsSync(file))).toEqual([]);
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
