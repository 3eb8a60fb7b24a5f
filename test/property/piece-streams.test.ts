/** Streaming readers give what the whole text gives, wherever its pieces are cut. */
import "../support/property-seed.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Bytes, display, jsonStringify, List, type Value } from "../../src/values/index.ts";
import { machine } from "../support/builtin-call.ts";
import { createMemoryHost } from "../support/memory-host.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The bytes of a text, cut at any places: also within a character. */
function cut(text: string, places: readonly number[]): List {
  const data = utf8(text);
  const at = [...new Set(places.map((place) => place % (data.length + 1)))].sort((a, b) => a - b);
  const edges = [0, ...at, data.length];
  return new List(edges.slice(1).map((end, i): Value => new Bytes(data.slice(edges[i], end))));
}

const run = machine(createMemoryHost());
const listOf = (value: unknown): Value[] => {
  const iter = value as { next(task: unknown): Value | undefined };
  const items: Value[] = [];
  for (let item = iter.next(run.task); item !== undefined; item = iter.next(run.task)) items.push(item);
  return items;
};

const places = fc.array(fc.nat(400), { maxLength: 12 });
const text = fc.string({ unit: "grapheme", maxLength: 60 });
const json = fc.jsonValue({ maxDepth: 3 });

describe("streaming readers", () => {
  it("split as a whole text is split", () => {
    fc.assert(
      fc.property(fc.array(text), fc.constantFrom(",", "aa", "\n", "é", "<=>"), places, (words, by, at) => {
        const whole = words.join(by);
        const pieces = listOf(run.call("split_stream", cut(whole, at), by));
        expect(pieces).toEqual(whole.split(by));
      }),
    );
  });

  it("find the elements of JSON lists, the values of JSON texts and of JSON lines", () => {
    fc.assert(
      fc.property(fc.array(json), places, fc.constantFrom(0, 1, 2), (values, at, indent) => {
        const shown = (items: Value[]): string => jsonStringify(new List(items));
        const list = JSON.stringify(values, undefined, indent);
        const expected = jsonStringify(run.call("json_parse", list) as Value);
        expect(shown(listOf(run.call("json_stream", cut(list, at))))).toBe(expected);
        const lines = values.map((value) => `${JSON.stringify(value)}\n`).join("");
        expect(shown(listOf(run.call("jsonl_stream", cut(lines, at))))).toBe(expected);
        // A text that begins with a list is that list.
        if (!Array.isArray(values[0]))
          expect(shown(listOf(run.call("json_stream", cut(lines, at))))).toBe(expected);
      }),
    );
  });

  it("read CSV as a whole text is read", () => {
    const cell = fc.oneof(text, fc.constantFrom('"', '""', "\r\n", "\n", ",", 'a"b', " x"));
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 4 })), places, (rows, at) => {
        const whole = String(run.call("csv_stringify", new List(rows.map((row) => new List(row)))));
        const streamed = listOf(run.call("csv_stream", cut(whole, at)));
        expect(display(new List(streamed))).toBe(display(run.call("csv_parse", whole) as Value));
      }),
    );
  });

  it("end with an error of the script, not with another one, whatever they are given", () => {
    const names = fc.constantFrom("split_stream", "jsonl_stream", "json_stream", "csv_stream");
    fc.assert(
      fc.property(names, fc.array(fc.uint8Array({ maxLength: 20 })), (name, chunks) => {
        const source = new List(chunks.map((chunk): Value => new Bytes(chunk)));
        try {
          listOf(run.call(name, source));
        } catch (error) {
          expect(error).toHaveProperty("kind");
        }
      }),
    );
  });
});
