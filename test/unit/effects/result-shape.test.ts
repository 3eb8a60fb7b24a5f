import { expect, test } from "vitest";
import { type Json, type ResultShape, shape } from "../../../src/effects/index.ts";
import { Bytes, Dict, display } from "../../../src/values/index.ts";

interface Note {
  readonly text: string;
  readonly usage: { readonly count: number };
  readonly more?: readonly string[];
}
const note = shape.record<Note>({
  text: shape.text,
  usage: shape.record<Note["usage"]>({ count: shape.number }),
  more: shape.optional(shape.listOf(shape.text)),
});

test("a record has its fields, and what else it has is nobody's", () => {
  expect(note.decode({ text: "", usage: { count: 1 }, other: 1 })).toEqual({
    text: "",
    usage: { count: 1 },
    other: 1,
  });
  for (const odd of [
    { text: "", usage: {} },
    { text: "", usage: { count: "1" } },
    { text: null, usage: { count: 1 } },
    { text: "", usage: { count: 1 }, more: [1] },
    { text: "", usage: { count: 1 }, more: null },
    Object.create({ text: "", usage: { count: 1 } }) as Json,
    { a: 1 },
    [],
    null,
  ])
    expect(() => note.decode(odd as Json), JSON.stringify(odd)).toThrow("it is not an object");
});

test("of what does not fit the part is told, and what would", () => {
  const answer = shape.either(
    shape.record<{ ok: true; note: Note }>({ ok: shape.only(true), note }),
    shape.record<{ ok: false; why: string }>({ ok: shape.only(false), why: shape.text }),
  );
  expect(answer.words).toBe("an object with `ok`, `note` or an object with `ok`, `why`");
  expect(shape.listOf(note).words).toBe("a list, each an object with `text`, `usage`, `more`");
  expect(shape.listOf(shape.text).words).toBe("a list of texts");
  const usage = { count: 1 };
  for (const [stored, part] of [
    [{ ok: true, note: { text: 5, usage } }, "note.text is not a text"],
    [{ ok: true, note: { text: "", usage: {} } }, "note.usage.count is not a number"],
    [{ ok: true, note: 5 }, "note is not an object with `text`, `usage`, `more`"],
    [5, undefined],
    [null, undefined],
  ] as const)
    expect(answer.unfitPart(stored)).toBe(part);
  expect(shape.orNull(answer).unfitPart({ ok: true, note: { text: 5, usage } })).toBe(
    "note.text is not a text",
  );
});

test.each<[string, ResultShape<never>, readonly Json[], readonly Json[]]>([
  ["text", shape.text as never, ["", "x"], [null, 5, [], {}]],
  ["flag", shape.flag as never, [true, false], [null, 0, "true"]],
  ["integer", shape.integer as never, [-1, 0], [0.5, "1", null]],
  ["count", shape.count as never, [0, 7], [-1, 0.5, "1", null]],
  ["nothing", shape.nothing as never, [null], [0, "", false, [], {}]],
  ["texts", shape.texts as never, [[], ["a"]], ["a", [1], {}, null]],
  ["names", shape.names as never, [{}, { a: "b" }], [{ a: 1 }, [], null]],
  ["numbers", shape.numbers as never, [{}, { a: 1 }], [{ a: "b" }, [], null]],
  ["one of", shape.oneOf("a", "b") as never, ["a", "b"], ["c", null, ["a"]]],
  ["either", shape.either(shape.text, shape.flag) as never, ["a", true], [null, 1]],
  ["or null", shape.orNull(shape.count) as never, [null, 3], [-3, "3"]],
  ["pair", shape.pair(shape.text, shape.count) as never, [["a", 1]], [["a"], ["a", 1, 2], [1, "a"], "a1"]],
])("%s", (_, of, good, bad) => {
  for (const stored of good) expect(of.encode(of.decode(stored))).toEqual(stored);
  for (const stored of bad) expect(() => of.decode(stored), JSON.stringify(stored)).toThrow(of.words);
});

test("what is recorded in one shape may be another type in memory", () => {
  const bytes = shape.orNull(shape.base64).as<Uint8Array | undefined>(
    (data) => data ?? null,
    (stored) => stored ?? undefined,
  );
  expect(bytes.encode(new Uint8Array([104, 105]))).toBe("aGk=");
  expect(bytes.encode(undefined)).toBe(null);
  expect(bytes.decode("aGk=")).toEqual(new Uint8Array([104, 105]));
  expect(bytes.decode(null)).toBe(undefined);
});

test.each<Json>([
  { $: "nobody", v: 1 },
  { $: "int", v: "x" },
  { $: "int", v: null },
  { $: "float", v: "x" },
  { $: "decimal", v: {} },
  { $: "dict", v: 5 },
  { $: "dict", v: [["a"]] },
  { $: "dict", v: [[1, 2]] },
  { $: "set", v: "ab" },
  { $: "bytes", v: 5 },
  { $: "duration", v: "x" },
  { $: "range", v: [1] },
  { $: "range", v: ["a", "b", 1] },
  { $: "pair", v: [1] },
  { $: "pair" },
  { $: "enum", v: [] },
  { $: "enum", name: "A", variant: "B", v: 1 },
  { $: "struct", name: "A", fields: ["a"], v: [["a"]] },
  { $: "struct", name: "A", fields: 5, v: [] },
  { $: "struct", name: "A", fields: ["a"], v: 5 },
])("%j is no stored value", (stored) => {
  expect(() => shape.value().decode(stored)).toThrow(
    expect.objectContaining({ value: expect.stringContaining("is not a stored value") }),
  );
});

test("values come back as they were recorded", () => {
  const value = Dict.of({ $: 1, data: new Bytes(new Uint8Array([1])), big: 2n ** 70n });
  expect(display(shape.dict.decode(shape.dict.encode(value)))).toBe(display(value));
  expect(() => shape.dict.decode({ $: "set", v: [] })).toThrow("it is not a dict");
});
