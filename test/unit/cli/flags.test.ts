/** Rows of flags: what they make of texts, and what is said of one that they can't have. */
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  duration,
  type Flag,
  type FlagsOf,
  flagName,
  flagValue,
  int,
  joined,
  many,
  money,
  names,
  needed,
  number,
  oneOf,
  orBare,
  orOff,
  pairs,
  path,
  text,
} from "../../../src/host/command/flags.ts";
import { durationMs } from "../../../src/values/index.ts";

const read = (flag: Flag, ...said: string[]): unknown =>
  said.reduce<unknown>((before, one) => flagValue(flag, "--f", one, before), undefined);

describe("flags", () => {
  it.each<[Flag, string[], unknown]>([
    [text("t", ""), ["x y"], "x y"],
    [int("n", ""), ["12"], 12],
    [int("n", "", { min: 0 }), ["0"], 0],
    [number("n", ""), ["0.05"], 0.05],
    [money("usd", ""), ["$2.50"], 2.5],
    [duration("time", ""), ["90"], 90_000],
    [duration("time", ""), ["1.5h"], 5_400_000],
    [oneOf("w", "", ["a", "b"]), ["b"], "b"],
    [names("x", ""), ["a,b", "c"], ["a", "b", "c"]],
    [many("x", ""), ["a,b", "c"], ["a,b", "c"]],
    [joined("x", ""), ["a", "b,c"], "a,b,c"],
    [pairs("name=value", ""), ["a=1", "b=x=y", "a=2"], { a: "2", b: "x=y" }],
    [int("n", ""), ["1", "2"], 2],
  ])("%j reads %j", (flag, said, value) => expect(read(flag, ...said)).toEqual(value));

  it.each<[Flag, string, string]>([
    [int("n", ""), "0", "--f: expected a whole number from 1 on, got 0"],
    [int("n", "", { max: 5 }), "1e0", "--f: expected a whole number from 1 to 5, got 1e0"],
    [int("n", ""), "", '--f: expected a whole number from 1 on, got ""'],
    [number("n", ""), "-1", "--f: expected a number from 0 on, got -1"],
    [money("usd", ""), "five", "--f: expected a number from 0 on, got five"],
    [duration("time", ""), "0s", "--f: expected a duration such as 500ms, 90s, 5m or 2h, got 0s"],
    [duration("time", ""), "5x", "--f: expected a duration such as 500ms, 90s, 5m or 2h, got 5x"],
    [oneOf("w", "", ["a", "b"]), "c", "--f: expected one of a, b, got c"],
    [pairs("name=value", ""), "=x", "--f: expected NAME=VALUE, got =x"],
  ])("%j refuses %s", (flag, said, message) => expect(() => read(flag, said)).toThrow(message));

  it("have the types that commands get", () => {
    const rows = {
      must: needed(text("t", "")),
      record: orOff(path("file", ""), ""),
      cache: orBare(duration("age", "")),
      how: oneOf("w", "", ["a", "b"]),
    };
    expectTypeOf<FlagsOf<typeof rows>>().toEqualTypeOf<
      { readonly must: string } & {
        readonly record?: string | false;
        readonly cache?: number | true;
        readonly how?: "a" | "b";
      }
    >();
    expect(Object.keys(rows).map(flagName)).toEqual(["--must", "--record", "--cache", "--how"]);
    expect(flagName("llmMockRecord")).toBe("--llm-mock-record");
  });
});

describe("durations", () => {
  it.each<[string, number | undefined]>([
    ["500ms", 500],
    ["90s", 90_000],
    ["5m", 300_000],
    ["5min", 300_000],
    ["1h 30m", 5_400_000],
    ["1d2h", 93_600_000],
    ["2w", 1_209_600_000],
    ["90", undefined],
    ["", undefined],
    ["1m1h", undefined],
    ["1.2.3s", undefined],
    ["-5s", undefined],
  ])("%s", (said, ms) => expect(durationMs(said)).toBe(ms));
  it("of a number alone, where a unit is meant", () => expect(durationMs("90", "s")).toBe(90_000));
});
