import { describe, expect, it } from "vitest";
import type { Task } from "../../../src/interp/index.ts";
import { defineBuiltins } from "../../../src/table/index.ts";
import { Dict, List, ScriptError, type Value } from "../../../src/values/index.ts";

function call(sig: string, ...args: Value[]): unknown {
  const [spec] = defineBuiltins("test", { f: { doc: "", sig, effect: "pure", run: () => "ran" } });
  try {
    return spec!.run(undefined as unknown as Task, ...args);
  } catch (error) {
    return error instanceof ScriptError ? error.value : error;
  }
}

describe("a parameter that takes what its signature says and nothing else", () => {
  it.each<[string, Value[], string]>([
    ["(a!: list)", [], "f: a: expected list, got nil"],
    ["(a!: dict)", ["x"], 'f: a: expected dict, got string "x"'],
    ["(a!: fn(any) -> any)", [1], "f: a: expected closure, got int 1"],
    ["(a: int >= 1 <= 9)", [0], "f: a: expected int from 1 to 9, got int 0"],
    ['(a: string != "")', [""], 'f: a: expected a text that is not empty, got string ""'],
    ['(a!: "left" | "right")', ["both"], 'f: a: expected "left" or "right", got string "both"'],
    ["(a!: list<string>)", [new List(["x", 2])], "f: a[1]: expected string, got int 2"],
    ["(a!: list<string>)", [new List([null])], "f: a[0]: expected string, got nil"],
    ["(a: any, ...b!: int)", [1, 2, "x"], 'f: b: expected int, got string "x"'],
    ["(a: string)", [1], "ran"],
    ["(a?!: dict)", [], "ran"],
    ["(a!: dict?)", [null], "ran"],
    ["(a!: dict)", [new Dict()], "ran"],
  ])("%s", (sig, args, expected) => {
    expect(call(`${sig} -> nil`, ...args)).toBe(expected);
  });

  it("is shown without its mark", () => {
    const [spec] = defineBuiltins("test", {
      f: { doc: "", sig: "(a!: int) -> nil", effect: "pure", run: () => null },
    });
    expect(spec!.sig).toBe("(a: int) -> nil");
  });
});
