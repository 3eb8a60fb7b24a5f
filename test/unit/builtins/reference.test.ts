import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { referencePage, referencePath } from "../../../scripts/make-reference.ts";
import { builtinTable } from "../../../src/builtins/index.ts";

describe("docs/builtins.md", () => {
  it("is what the table says; `npm run docs` renews it", () => {
    expect(readFileSync(referencePath, "utf8") === referencePage()).toBe(true);
  });

  it("has a heading for each builtin and links to all of them", () => {
    const page = referencePage();
    for (const name of builtinTable().keys()) {
      expect(page).toContain(`\n### ${name}\n`);
      expect(page).toContain(`[${name}](#${name.toLowerCase()})`);
    }
  });
});
