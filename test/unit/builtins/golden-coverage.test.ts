/**
 * Issue 5: every builtin and every exported function of a standard module is used by a golden program, and every builtin
 * has one that shows what it answers to bad input. What can't have one is listed with where it is tested instead.
 */
import { describe, expect, it } from "vitest";
import { builtinTable } from "../../../src/builtins/index.ts";
import { goldenUses, standardModules } from "../../support/golden-uses.ts";

/** It reads what the test's own terminal is given; `secrets.test.ts` and `cli/std-io.test.ts` give it. */
const readsTheTerminal = ["read_password"];

/** A probe could not show its line: `builtins/environment/exit.harn`, `outside.test.ts`. */
const endsTheProgram = ["exit"];

/** Only the command line runs sets: `test/unit/cli/eval/program.test.ts`, and `evals/bad_sets.harn` for what is wrong. */
const runsSets = ["eval_run", "eval_result", "eval_trials", "eval_compare"];

describe("golden programs", () => {
  const uses = goldenUses();
  const builtins = [...builtinTable().keys()];

  it("call every builtin", () => {
    const excepted = [...readsTheTerminal, ...runsSets];
    const without = builtins.filter((name) => !uses.builtins.has(name) && !excepted.includes(name));
    expect(without, "write a golden program that calls it").toEqual([]);
  });

  it("show what every builtin answers to bad input", () => {
    const excepted = [...readsTheTerminal, ...endsTheProgram];
    const without = builtins.filter((name) => !uses.probed.has(name) && !excepted.includes(name));
    expect(without, 'write `show("NAME(…)", fn() { NAME(…) })` in a golden `bad_….harn`').toEqual([]);
  });

  it.each([...standardModules()])("use every exported function of %s", (module, functions) => {
    const own = [...functions].filter(([, home]) => home === module).map(([name]) => name);
    const without = own.filter(
      (name) => !uses.exports.has(`${module}.${name}`) && !readsTheTerminal.includes(name),
    );
    expect(without, "write a golden program that imports and calls it").toEqual([]);
  });

  it("need every exception that is made for them", () => {
    const calls = [...readsTheTerminal, ...runsSets].filter((name) => uses.builtins.has(name));
    expect(calls).toEqual([]);
    expect([...readsTheTerminal, ...endsTheProgram].filter((name) => uses.probed.has(name))).toEqual([]);
  });
});
