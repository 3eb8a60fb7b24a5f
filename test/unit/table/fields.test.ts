/** Field rows: types, names, strictness, reading (src/table/README.md). */
import { describe, expect, it } from "vitest";
import { builtinTable } from "../../../src/builtins/index.ts";
import type { Task } from "../../../src/interp/index.ts";
import {
  at,
  checkFields,
  checkFieldTypes,
  dictOrLeftOut,
  field,
  fieldTable,
  fitsType,
  tableOf,
  unknownKey,
} from "../../../src/table/index.ts";
import { Bytes, Dict, Duration, Float, List, ScriptError, type Value } from "../../../src/values/index.ts";

const inner = fieldTable(() => [
  field("every", "int", "", { range: [1, null], default: "1" }),
  field("when", "string", "", { values: ["always", "stalled"] }),
]);
const limits = fieldTable(() => [field("tokens", "float", "")], { strict: true });
const table = fieldTable(() => [
  field("name", "string", "", { default: '"x"' }),
  field("cadence", "dict", "", { nested: inner }),
  field("steps", "list<dict>", "", { nested: inner }),
  field("nodes", "dict<string, dict>", "", { nested: inner }),
  field("limits", "dict", "", { nested: limits, bounds: true }),
  field("timeout", "int | duration", "", { default: "30" }),
  field("old", "bool", "", { deprecated: "`name`" }),
]);

/** As much of a task as a report needs. */
function received(): { task: Task; lines: string[] } {
  const lines: string[] = [];
  const states = new Map<object, unknown>();
  const runtime = {
    console: { writeError: (text: string) => lines.push(text.trimEnd()) },
    state(key: { create(): unknown }) {
      if (!states.has(key)) states.set(key, key.create());
      return states.get(key);
    },
  };
  return { task: { runtime, site: undefined } as unknown as Task, lines };
}

function failureOf(body: () => void): Value | undefined {
  try {
    body();
  } catch (error) {
    if (error instanceof ScriptError) return error.value;
    throw error;
  }
  return undefined;
}

const dict = (entries: Record<string, Value>): Dict => Dict.of(entries);

it("names what others call a row is suggested like a misspelling", () => {
  const calls = tableOf(builtinTable().get("llm_mock")?.fields?.entry)?.get("tool_calls")?.nested;
  if (calls === undefined) throw new Error("llm_mock has no rows for its calls");
  expect(["args", "input", "argumets"].map((name) => unknownKey(calls, name, false).hint)).toEqual(
    Array(3).fill('did you mean "arguments"?'),
  );
});

describe("types", () => {
  it.each<[string, Value, boolean]>([
    ["int", 3, true],
    ["int", 9007199254740993n, true],
    ["int", new Float(3), false],
    ["float", 3, true],
    ["float", new Float(0.5), true],
    ["float", "1", false],
    ["string", "", true],
    ["bool", 1, false],
    ["list", new List([]), true],
    ["list<string>", new List(["a", null]), true],
    ["list<string>", new List(["a", 1]), false],
    ["dict<string, dict>", dict({ a: dict({}) }), true],
    ["dict<string, dict>", dict({ a: 1 }), false],
    ["int | duration", new Duration(5), true],
    ["bytes", new Bytes(new Uint8Array()), true],
    ["closure", "f", false],
    ["any", "x", true],
    ['"a" | "b"', "b", true],
    ['"a" | "b"', "c", false],
  ])("%s of %o: %s", (type, value, fits) => {
    expect(fitsType(type, value)).toBe(fits);
  });

  it.each<[Record<string, Value>, string]>([
    [{ name: 3 }, "f: name: expected string, got int 3"],
    [{ cadence: dict({ every: "x" }) }, 'f: cadence.every: expected int, got string "x"'],
    [{ cadence: dict({ every: 0 }) }, "f: cadence.every: expected int >= 1, got int 0"],
    [
      { steps: new List([dict({}), dict({ when: "alway" })]) },
      'f: steps[1].when: expected "always" or "stalled" (did you mean "always"?), got string "alway"',
    ],
    [{ nodes: dict({ a: dict({ every: true }) }) }, "f: nodes.a.every: expected int, got bool true"],
    [{ steps: dict({}) }, "f: steps: expected list<dict>, got dict"],
  ])("%o", (options, message) => {
    expect(failureOf(() => checkFieldTypes(dict(options), table, at("f")))).toBe(message);
  });

  it("nil is not given", () => {
    const nils = dict({ name: null, cadence: null, limits: null });
    expect(failureOf(() => checkFieldTypes(nils, table, at("f")))).toBeUndefined();
  });
});

it("what is no dict is left out with a warning, once", () => {
  const { task, lines } = received();
  expect(dictOrLeftOut(task, "log_info", "fields", new List([1]))).toBeUndefined();
  expect(dictOrLeftOut(task, "log_info", "fields", "a")).toBeUndefined();
  expect(dictOrLeftOut(task, "log_info", "fields", null)).toBeUndefined();
  expect(dictOrLeftOut(task, "log_info", "fields", dict({ a: 1 }))?.size).toBe(1);
  expect(lines).toEqual(["warning: log_info: `fields` is left out; it must be a dict, got list"]);
});

describe("names", () => {
  it("warns once at every depth, with a suggestion", () => {
    const { task, lines } = received();
    const options = dict({
      nam: "a",
      _note: 1,
      cadence: dict({ evry: 1 }),
      steps: new List([dict({ wen: "always" })]),
      nodes: dict({ a: dict({ colour: 1 }) }),
    });
    checkFields(task, "f", options, table);
    checkFields(task, "f", options, table);
    expect(lines.sort()).toEqual([
      'warning: f: cadence: unknown option "evry", did you mean "every"?',
      'warning: f: nodes.a: unknown option "colour"; it has no effect',
      'warning: f: steps[0]: unknown option "wen", did you mean "when"?',
      'warning: f: unknown option "nam", did you mean "name"?',
    ]);
  });

  it("is an error in what bounds something, and for a misspelling of it", () => {
    const { task } = received();
    const check = (options: Record<string, Value>) =>
      failureOf(() => checkFields(task, "f", dict(options), table));
    expect(check({ limits: dict({ token: 1 }) })).toBe(
      'f: limits: unknown option "token", did you mean "tokens"?',
    );
    expect(check({ limits: dict({ zzz: 1 }) })).toBe(
      'f: limits: unknown option "zzz"; expected one of tokens',
    );
    expect(check({ limit: dict({ tokens: 1 }) })).toBe('f: unknown option "limit", did you mean "limits"?');
    expect(check({ limits: dict({ _why: 1 }) })).toBeUndefined();
  });

  it("treats names of JavaScript's own as any other", () => {
    const { task, lines } = received();
    const options = Dict.from([
      ["__proto", 1],
      ["constructor", 1],
      ["toString", 1],
    ]);
    checkFields(task, "f", options, table);
    expect(lines).toHaveLength(2);
    expect(unknownKey(limits, "constructor", false).error).toBe(true);
  });

  it("says what takes the place of a deprecated option", () => {
    const { task, lines } = received();
    checkFields(task, "f", dict({ old: true }), table);
    expect(lines).toEqual(["warning: f: `old` is deprecated; use `name`"]);
  });
});
