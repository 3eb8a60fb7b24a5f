/** What is read off the text of a module. */
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../../src/source/index.ts";
import { exportText, moduleDoc, modulesText, moduleText } from "../../../../src/tools/doc/index.ts";

const docOf = (text: string) => moduleDoc("std/demo", new SourceFile("demo.harn", text));

describe("documentation of a module", () => {
  const demo = docOf(`// std/demo: things to see. And more
// of them.
//
//     a drawing

/** Private. */
fn _hidden() {
  1
}

/**
 * Adds. First line,
 * second line.
 */
@test
pub fn add(
  a: int,
  b = 2,
) -> int {
  a + b
}

pub gen fn count() { yield 1 }

/** A point. */
type Point = {x: int,
  y: int}
`);

  it("is its head, its exports with their comments, its types", () => {
    expect(demo.about).toBe("std/demo: things to see. And more\nof them.\n\n    a drawing");
    expect(demo.functions.map(({ signature, doc }) => [signature, doc])).toEqual([
      ["fn add(a: int, b = 2) -> int", "Adds. First line,\nsecond line."],
      ["gen fn count()", ""],
    ]);
    expect(demo.types.map(({ signature }) => signature)).toEqual(["type Point = {x: int, y: int}"]);
  });

  it("is shown whole, by function, and in one sentence", () => {
    expect(moduleText(demo)).toContain("\n\ngen fn count()\n\ntypes:\n    type Point");
    expect(exportText(demo, "add")).toMatch(
      /^fn add.+\n\nAdds\..+\n\nmodule: import \{ add \} from "std\/demo"\n$/s,
    );
    expect(exportText(demo, "_hidden")).toBeUndefined();
    expect(modulesText([demo])).toBe("1 modules\n\nstd/demo\n    things to see.\n");
  });

  it("without `pub` is all that does not begin with an underscore; an empty module is its name", () => {
    expect(docOf("fn a() { 1 }\nfn _b() { 2 }").functions.map(({ name }) => name)).toEqual(["a"]);
    expect(moduleText(docOf(""))).toBe('std/demo\n\nimport "std/demo"\n');
    expect(docOf("fn broken(").functions).toEqual([]);
  });
});
