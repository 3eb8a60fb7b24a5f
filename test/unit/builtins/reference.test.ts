import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { pages } from "../../../scripts/make-reference.ts";
import { builtinTable } from "../../../src/builtins/index.ts";

describe("pages made from the sources", () => {
  it.each(pages())("%s is up to date; `npm run docs` renews it", (path, text) => {
    expect(readFileSync(path, "utf8") === text).toBe(true);
  });
});

describe("docs/builtins.md", () => {
  it("has a heading for each builtin and links to all of them", () => {
    const page = pages().find(([path]) => path.endsWith("/docs/builtins.md"))?.[1] ?? "";
    for (const name of builtinTable().keys()) {
      expect(page).toContain(`\n### ${name}\n`);
      expect(page).toContain(`[${name}](#${name.toLowerCase()})`);
    }
  });
});
