/** What a set says of something that neither a script nor a program threw. */
import { expect, it } from "vitest";
import { whyUncaught } from "../../../../../src/eval/engine/running/set-errors.ts";
import { HostError } from "../../../../../src/host/index.ts";

const told: string[] = [];
const whyOf = (error: unknown): string =>
  whyUncaught({ path: "t/default/a.1" }, error, (text) => told.push(text));

it("is the machine's own words, or a sentence whose stack is a warning", () => {
  expect(whyOf(new HostError("ENOSPC", "no space left on device"))).toBe(
    "t/default/a.1: no space left on device",
  );
  expect(told).toEqual([]);
  expect(whyOf(new TypeError("x is not a function"))).toBe(
    "internal error at t/default/a.1: x is not a function",
  );
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(
    /^internal error, please report it: t\/default\/a\.1: TypeError: x is not a function\n {4}at /u,
  );
  expect(whyOf("odd")).toBe("internal error at t/default/a.1: odd");
});
