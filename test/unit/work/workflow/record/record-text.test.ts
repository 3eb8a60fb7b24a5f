/** The text of a growing record is what `jsonPretty` would write, whatever was remembered of it. */
import { describe, expect, it } from "vitest";
import { type Dict, fromJson, jsonPretty, List } from "../../../../../src/values/index.ts";
import { RecordText } from "../../../../../src/work/workflow/record/record-text.ts";

const dict = (value: unknown): Dict => fromJson(value as never) as Dict;

describe("RecordText", () => {
  it("writes what jsonPretty writes", () => {
    const text = new RecordText();
    const stage = dict({
      id: "a",
      text: 'two\nlines "and" ünï',
      deep: { list: [1, { x: [] }], none: null },
      empty: {},
    });
    const record = dict({ "": 1, __proto__x: true, a: [], b: {}, c: [1, 2], d: null, e: 1.5 })
      .with("stages", new List([stage]))
      .with("__proto__", stage)
      .with("transcript", stage);
    expect(text.of(record)).toBe(`${jsonPretty(record)}\n`);
    const grown = record
      .with("stages", new List([stage, dict({ id: "b" }), dict({})]))
      .with("mixed", new List([stage, 1]));
    expect(text.of(grown)).toBe(`${jsonPretty(grown)}\n`);
    expect(text.of(record)).toBe(`${jsonPretty(record)}\n`);
  });
});
