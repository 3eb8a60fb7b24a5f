/** Rows with types: what a dict reads as, and how a mistake in it is worded. */
import { describe, expect, expectTypeOf, test } from "vitest";
import { at, field, type Read, readRows, row, rows } from "../../../src/table/index.ts";
import { Dict, Duration, Float, List, ScriptError, type Value } from "../../../src/values/index.ts";

const verify = rows(
  () => ({
    min_retention: row.number("The part that stays.", 0.9, { min: 0, max: 1 }),
    model: row.text("Who asks.").secret(),
  }),
  { strict: true },
);

const ladder = rows(
  () => ({
    soft: row.number("From here on.", 0.8, { min: 0, max: 1 }).alias("soft_threshold_percent"),
    rungs: row.list(row.oneOf(["clear", "drop"]), "What a pass may do.", ["clear", "drop"]),
    keep: row.map(row.int("", null, { min: 1 }), "By tool."),
    verify: row.either([row.bool(), row.dict(verify)], "How it is checked."),
    wait: row.duration("Rest.", 250),
    name: row.words("What it is called.").required(),
    all: row.list(row.dict(verify), "Several."),
  }),
  { strict: true, meant: { start: "soft" } },
);

const dict = (entries: Readonly<Record<string, Value>>): Dict => Dict.of(entries);
const place = { caller: "agent_loop", path: "compaction" };
const read = (entries: Readonly<Record<string, Value>>) =>
  readRows(dict({ name: "n", ...entries }), ladder, place);

const mistake = (entries: Readonly<Record<string, Value>>): string => mistakeOf(() => read(entries));

function mistakeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ScriptError) return String(error.value);
    throw error;
  }
  return "";
}

describe("rows with types", () => {
  test("the record is inferred from the rows", () => {
    expectTypeOf<Read<typeof ladder>["soft"]>().toEqualTypeOf<number>();
    expectTypeOf<Read<typeof ladder>["rungs"]>().toEqualTypeOf<readonly ("clear" | "drop")[]>();
    expectTypeOf<Read<typeof ladder>["keep"]>().toEqualTypeOf<ReadonlyMap<string, number> | null>();
    expectTypeOf<Read<typeof ladder>["verify"]>().toEqualTypeOf<boolean | Read<typeof verify> | null>();
    expectTypeOf<Read<typeof verify>>().toEqualTypeOf<{
      readonly minRetention: number;
      readonly model: string | null;
    }>();
    expectTypeOf<Read<typeof ladder>["name"]>().toEqualTypeOf<string>();
  });

  test("absent and nil read as the default, or as null", () => {
    expect(read({ soft: null, verify: null })).toEqual({
      soft: 0.8,
      rungs: ["clear", "drop"],
      keep: null,
      verify: null,
      wait: 250,
      name: "n",
      all: null,
    });
    expect(readRows(null, verify, place)).toEqual({ minRetention: 0.9, model: null });
  });

  test("values are read at every depth", () => {
    expect(
      read({
        soft_threshold_percent: new Float(0.5),
        rungs: new List(["drop"]),
        keep: dict({ read_file: 2 }),
        verify: dict({ min_retention: 1 }),
        wait: new Duration(2000),
        _note: "mine",
      }),
    ).toMatchObject({
      soft: 0.5,
      rungs: ["drop"],
      keep: new Map([["read_file", 2]]),
      verify: { minRetention: 1, model: null },
      wait: 2000,
    });
  });

  test.each<[string, Readonly<Record<string, Value>>]>([
    ['compaction.soft: expected float, got string "x"', { soft: "x" }],
    ["compaction.soft: expected float from 0 to 1, got int 2", { soft: 2 }],
    [
      'compaction.rungs[1]: expected "clear" or "drop" (did you mean "drop"?), got string "drip"',
      { rungs: new List(["clear", "drip"]) },
    ],
    ['compaction.rungs: expected list<string>, got string "clear"', { rungs: "clear" }],
    ["compaction.keep.read_file: expected int >= 1, got int 0", { keep: dict({ read_file: 0 }) }],
    ["compaction.verify: expected bool | dict, got int 3", { verify: 3 }],
    ['compaction.verify: unknown option "modle", did you mean "model"?', { verify: dict({ modle: "m" }) }],
    ["compaction.verify.model: expected string, got int", { verify: dict({ model: 31337 }) }],
    [
      "compaction.all[0].min_retention: expected float from 0 to 1, got int 7",
      { all: new List([dict({ min_retention: 7 })]) },
    ],
    ['compaction: unknown option "start", did you mean "soft"?', { start: 1 }],
    [
      'compaction: unknown option "softThresholdPercent", did you mean "soft_threshold_percent"?',
      { softThresholdPercent: 1 },
    ],
    [
      'compaction: unknown option "zzzzzz"; expected one of soft, soft_threshold_percent, rungs, keep, verify, wait, name, all',
      { zzzzzz: 1 },
    ],
    [
      'compaction.soft_threshold_percent: says the same as "soft"; name one of them',
      { soft: 1, soft_threshold_percent: 1 },
    ],
    ['compaction.name: expected a text that is not blank, got string " "', { name: " " }],
    ["compaction.name: expected string, got nil", { name: null }],
  ])("%s", (text, entries) => {
    expect(mistake(entries)).toBe(`agent_loop: ${text}`);
  });

  test("a text that is not empty; what is absent without a default to show", () => {
    const table = rows(() => ({
      path: row.filled("Where."),
      most: row.int("At most.").or(Number.POSITIVE_INFINITY),
    }));
    expectTypeOf<Read<typeof table>["most"]>().toEqualTypeOf<number>();
    expect(readRows(null, table, place)).toEqual({ path: null, most: Number.POSITIVE_INFINITY });
    expect(table.get("most")?.default).toBeUndefined();
    expect(mistakeOf(() => readRows(dict({ path: "" }), table, place))).toBe(
      'agent_loop: compaction.path: expected a text that is not empty, got string ""',
    );
  });

  test("pages see the same rows", () => {
    expect(ladder.rows.map(({ name, type, default: usual }) => [name, type, usual])).toEqual([
      ["soft", "float", "0.8"],
      ["soft_threshold_percent", "float", "0.8"],
      ["rungs", "list<string>", '["clear", "drop"]'],
      ["keep", "dict<string, int>", undefined],
      ["verify", "bool | dict", undefined],
      ["wait", "int | duration", "250"],
      ["name", "string", undefined],
      ["all", "list<dict>", undefined],
    ]);
    expect(ladder.get("verify")?.nested).toBe(verify);
    expect(ladder.get("all")?.nested).toBe(verify);
  });
});

describe("what rows may be besides", () => {
  const more = rows(
    () => ({
      ...row.alike({ below: "holds" }, { first: row.int(), second: row.int().with({ below: "delegates" }) }),
      watch: row.switched(watch, "On or off."),
      ceiling: row.unlessFalse(verify, "Or none."),
      tools: row.texts("Some.").to((names): ReadonlySet<string> => new Set(names)),
      roots: row.texts("Or nil.").orNull(),
      rules: row.list(row.dict(verify), "", []).full(),
      id: row.id("A name."),
      rest: row.duration("Rest.", null, { min: 1 }),
    }),
    { strict: true, beside: (own) => [field("theirs", "int", `Beside ${[...own].length}.`)] },
  );
  const watch = rows(() => ({ enabled: row.bool("", true), turns: row.int("", 3) }));
  const readMore = (entries: Readonly<Record<string, Value>>) => readRows(dict(entries), more, place);
  const refusedMore = (entries: Readonly<Record<string, Value>>): string => {
    try {
      readMore(entries);
    } catch (error) {
      return error instanceof ScriptError ? String(error.value) : "";
    }
    return "";
  };

  test("switches, and what off is", () => {
    expect(readMore({ watch: true, ceiling: dict({}) })).toMatchObject({
      watch: { enabled: true, turns: 3 },
      ceiling: { minRetention: 0.9 },
    });
    for (const off of [false, dict({ enabled: false })]) expect(readMore({ watch: off }).watch).toBeNull();
    expect(readMore({ ceiling: false }).ceiling).toBeNull();
    expect(refusedMore({ ceiling: true })).toContain("ceiling: expected false, got bool true");
  });

  test("texts, alone or in a list; a default is converted, too", () => {
    expect(readMore({}).tools).toEqual(new Set());
    expect(readMore({ tools: "ls", roots: new List(["a"]) })).toMatchObject({
      tools: new Set(["ls"]),
      roots: ["a"],
    });
    expect(readMore({}).roots).toBeNull();
  });

  test("without options nothing is made anew", () => expect(readMore({})).toBe(more.usual));

  test("who has the same table for others", () => {
    expect(readMore({ theirs: 5 })).toEqual(more.usual);
    expect(more.get("theirs")?.doc).toBe("Beside 9.");
    expect([more.get("first")?.below, more.get("second")?.below]).toEqual(["holds", "delegates"]);
  });

  test.each<[string, Readonly<Record<string, Value>>]>([
    ["tools[1]: expected string, got nil", { tools: new List(["ls", null]) }],
    ["rules[0]: expected dict, got nil", { rules: new List([null]) }],
    ['id: expected 1 to 64 letters, digits, `_`, `.` or `-`, got string "a b"', { id: "a b" }],
    ["rest: expected int >= 1, got duration 0ms", { rest: new Duration(0) }],
  ])("%s", (text, entries) => expect(refusedMore(entries)).toBe(`agent_loop: compaction.${text}`));
});

describe("texts and times in any form", () => {
  const table = rows(() => ({
    name: row.shown("Its name.", "none"),
    limit: row.time("How long.", null, { min: 0 }),
    token: row
      .text("Never shown.")
      .secret()
      .where("a token", (read) => read.startsWith("t")),
  }));
  const readTable = (entries: Readonly<Record<string, Value>>) => readRows(dict(entries), table, at("f"));

  test("read as text and as milliseconds", () => {
    expect(readTable({})).toEqual({ name: "none", limit: null, token: null });
    expect(readTable({ name: 5, limit: new Float(2.5) })).toMatchObject({ name: "5", limit: 2.5 });
    expect(readTable({ limit: new Duration(3) }).limit).toBe(3);
  });

  test("a secret that does not fit is not told", () => {
    const read = (): unknown => readTable({ token: "secret" });
    expect(read).toThrow(expect.objectContaining({ value: "f: token: expected a token, got string" }));
  });
});
