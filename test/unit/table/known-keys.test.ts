/** What golden programs are held against: the keys that the checker knows of results. */
import { expect, test } from "vitest";
import { builtinTable } from "../../../src/builtins/index.ts";
import { Dict } from "../../../src/values/index.ts";
import { unlistedKeys } from "../../support/checked-builtins.ts";

test("keys that a list lacks are found at every depth", () => {
  const known = { status: ["done"], usage: { total: null }, data: null };
  const result = Dict.of({
    status: "mine",
    extra: 1,
    usage: Dict.of({ total: 1, inner: 2 }),
    data: Dict.of({ free: 1 }),
  });
  expect(unlistedKeys(result, known, "call")).toEqual(["call.extra", "call.usage.inner"]);
});

test("builtins whose keys are known give a dict, or something that may be one", () => {
  const known = [...builtinTable().values()].filter(({ resultKeys }) => resultKeys !== undefined);
  expect(known.length).toBeGreaterThan(30);
  expect(known.filter(({ sig }) => !/-> dict/.test(sig)).map(({ name }) => name)).toEqual([]);
});
