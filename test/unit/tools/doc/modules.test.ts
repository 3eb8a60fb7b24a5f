/** What is read off the text of a module. */
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../../src/source/index.ts";
import { exportText, moduleDoc, modulesText, moduleText } from "../../../../src/tools/doc/index.ts";

const docOf = (text: string) => moduleDoc("std/demo", new SourceFile("demo.harn", text));

describe("documentation of a module that passes others on", () => {
  const inner = docOf("/** One. */\npub fn one() { 1 }\n/** Two. */\npub fn two() { 2 }\nfn three() { 3 }\n");
  const facade = (text: string) =>
    moduleDoc("std/facade", new SourceFile("facade.harn", text), (path) =>
      path === "std/demo" ? inner : undefined,
    );

  it("has its exports too, all or the named ones, and says whose they are", () => {
    const all = facade('pub import "std/demo"\npub fn own() { 0 }\n');
    expect(all.functions.map(({ name, from }) => [name, from])).toEqual([
      ["own", undefined],
      ["one", "std/demo"],
      ["two", "std/demo"],
    ]);
    const named = facade('pub import { two } from "std/demo"\n');
    expect(moduleText(named)).toContain("\n\nfn two()\n    Two.\n    (of std/demo)\n");
    expect(named.functions.length).toBe(1);
    expect(exportText(named, "two")).toBeUndefined();
  });

  it("has nothing of modules that it only uses, or that are not there", () => {
    expect(facade('import "std/demo"\nfn own() { 0 }\n').functions.map(({ name }) => name)).toEqual(["own"]);
    expect(facade('pub import "./other"\n').functions).toEqual([]);
  });
});

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
