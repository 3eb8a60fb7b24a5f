/** Of Node's warnings one is held back, while SQLite is loaded; all others are told, and nothing stays changed. */
import { afterEach, expect, it, vi } from "vitest";
import { sqliteModule, withoutExperimentalWarning } from "../../../src/process/sqlite-module.ts";

afterEach(() => vi.restoreAllMocks());

it("holds back the one that is meant, and no other", () => {
  const told = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const { emitWarning } = process;
  const load = (): string => {
    // As Node 22 says it: by the process's own function.
    process.emitWarning(
      "SQLite is an experimental feature and might change at any time",
      "ExperimentalWarning",
    );
    process.emitWarning("VM Modules is an experimental feature", "ExperimentalWarning");
    process.emitWarning("SQLite is old", "DeprecationWarning");
    process.emitWarning(new Error("SQLite fails"));
    return "loaded";
  };
  expect(withoutExperimentalWarning("SQLite", load)).toBe("loaded");
  expect(told.mock.calls.map(([warning, kind]) => [String(warning), kind])).toEqual([
    ["VM Modules is an experimental feature", "ExperimentalWarning"],
    ["SQLite is old", "DeprecationWarning"],
    ["Error: SQLite fails", undefined],
  ]);
  expect(process.emitWarning).toBe(emitWarning);
});

it("is back where loading fails, too; and the module is Node's own", () => {
  const { emitWarning } = process;
  const fails = (): never => {
    throw new Error("no such module");
  };
  expect(() => withoutExperimentalWarning("SQLite", fails)).toThrow("no such module");
  expect(process.emitWarning).toBe(emitWarning);
  expect(sqliteModule()).toBe(process.getBuiltinModule("node:sqlite"));
});
