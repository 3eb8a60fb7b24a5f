/** What golden programs are held against: the keys that the checker knows of results. */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { builtinTable } from "../../../src/builtins/index.ts";
import { liveEventTypes } from "../../../src/events/index.ts";
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
  expect(unlistedKeys(result, known, "call")).toEqual([
    "call.extra",
    "call.status: mine",
    "call.usage.inner",
  ]);
  expect(unlistedKeys(result, known, "call", true)).toEqual(["call.extra", "call.usage.inner"]);
});

test("builtins whose keys are known give a dict, or something that may be one", () => {
  const known = [...builtinTable().values()].filter(({ resultKeys }) => resultKeys !== undefined);
  expect(known.length).toBeGreaterThan(30);
  expect(known.filter(({ sig }) => !/-> dict/.test(sig)).map(({ name }) => name)).toEqual([]);
});

test("the types of live events that the runtime publishes have rows", () => {
  const sources = globSync(["src/**/*.ts", "stdlib/**/*.harn"]).map((file) => readFileSync(file, "utf8"));
  const published = sources.flatMap((text) =>
    [
      ...text.matchAll(
        /\b(?:emitNamed|publishNamed|agent_emit_event|_emit)\((?:[^"()]|\([^()]*\))*"([\w.]+)"/g,
      ),
    ].map(([, name = ""]) => name),
  );
  expect(new Set(published).size).toBeGreaterThan(30);
  expect(published.filter((name) => !liveEventTypes.includes(name))).toEqual([]);
});
