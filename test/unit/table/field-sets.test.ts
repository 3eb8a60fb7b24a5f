import { describe, expect, it } from "vitest";
import { field, fieldTable } from "../../../src/table/index.ts";

describe("sets of a field table", () => {
  const table = fieldTable(() => [
    field("a", "int", "One.", { sets: ["odd"] }),
    field("b", "int", "Two.", { sets: ["even", "prime"] }),
    field("c", "int", "Three.", { sets: ["odd", "prime"] }),
    field("d", "int", "Four."),
  ]);

  it("are the names of their rows, in the order of the table", () => {
    expect([...table.set("odd")]).toEqual(["a", "c"]);
    expect([...table.set("prime")]).toEqual(["b", "c"]);
    expect(table.set("odd")).toBe(table.set("odd"));
  });

  it("are known by name: a misspelt one is an error", () => {
    expect(() => table.set("od")).toThrow("no field is in the set od");
  });
});
