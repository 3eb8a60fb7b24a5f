/**
 * Nobody keeps names that the table has: what a stage must know of a builtin is a trait of its declaration, and what is an
 * option is a row.
 */
import { describe, expect, it } from "vitest";
import { builtinTable } from "../../../src/builtins/index.ts";
import { namedArgumentCalls } from "../../../src/syntax/grammar/suffixes.ts";
import { hasTrait } from "../../../src/table/index.ts";
import { nameLists } from "../../support/name-lists.ts";

const specs = builtinTable();

/** Lists whose texts are names of builtins by accident: they list other things. */
const otherThings: readonly RegExp[] = [
  /^src\/agent\/skills\/active-skills\.ts/, // parts of a template: env, cwd
  /^src\/types\/members\.ts/, // methods of values
  /^src\/work\/artifacts\/record\.ts/, // kinds of artifacts
  /^src\/work\/execution\//, // options: cwd, env
  /^src\/cli\/(?:eval|test|torture)\//, // columns and options of processes
  /^src\/host\/mcp\/mcp-stdio\.ts/, // options of processes
];

describe("names of builtins", () => {
  it("are listed nowhere outside of the table", () => {
    const found = nameLists()
      .filter(({ file }) => !file.startsWith("src/builtins/") && !file.startsWith("src/table/"))
      .filter(({ file }) => !otherThings.some((pattern) => pattern.test(file)))
      .filter(({ names }) => {
        const known = names.filter((name) => specs.has(name)).length;
        return known >= 2 && known / names.length > 0.5;
      })
      .filter(({ names }) => names.join() !== [...namedArgumentCalls].join())
      .map(({ place, names }) => `${place} ${names.join(", ")}`);
    expect(found).toEqual([]);
  });

  it("in the grammar are those with the trait", () => {
    const marked = [...specs.values()].filter((spec) => hasTrait(spec, "namedArguments"));
    expect(marked.map(({ name }) => name).sort()).toEqual([...namedArgumentCalls].sort());
  });

  it("with a trait exist for every trait", () => {
    for (const trait of ["borrows", "takesSchema", "specialForm", "systemSecond", "approves"] as const)
      expect([...specs.values()].filter((spec) => hasTrait(spec, trait)).length, trait).toBeGreaterThan(1);
    for (const trait of [
      "uncheckedText",
      "unvalidated",
      "converts",
      "opens",
      "asserts",
      "resultVaries",
    ] as const)
      expect([...specs.values()].filter((spec) => hasTrait(spec, trait)).length, trait).toBeGreaterThan(2);
  });
});
