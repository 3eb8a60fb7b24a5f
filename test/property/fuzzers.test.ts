/**
 * Every fuzzer for some inputs, so that none of them rots, and everything that one of them once found. How long an input
 * takes is not looked at: that is the command's work (`npm run fuzz`, docs/testing.md).
 */
// long: fuzzes
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { fuzz, Runner, readFinding } from "../fuzz/campaign.ts";
import { fuzzerNamed, fuzzerNames } from "../fuzz/fuzzers/index.ts";
import { leakIn } from "../fuzz/judge.ts";
import { Dice } from "../support/fuzz-text.ts";
import { projectRoot } from "../support/project.ts";

const CASES = 12;
const corpus = join(projectRoot, "test/fuzz/corpus");
const found = readdirSync(corpus)
  .filter((name) => name.endsWith(".json"))
  .map((name) => ({ name, ...readFinding(join(corpus, name)) }));

describe("fuzzers", () => {
  test("there are ten", () => {
    const names = [
      "source",
      "tapes",
      "journals",
      "providers",
      "mcp",
      "manifests",
      "snapshots",
      "papers",
      "evaluations",
      "server",
    ];
    expect(fuzzerNames).toEqual(names);
  });

  for (const name of fuzzerNames) {
    // To load the sources takes longer than the inputs do.
    const runner = new Runner(name);
    afterAll(() => runner.end());

    test(`${name}: a seed gives one input, another one another`, () => {
      const make = (seed: number): string => JSON.stringify(fuzzerNamed(name).make(new Dice(seed)));
      expect(make(1)).toBe(make(1));
      expect(new Set([1, 2, 3, 4].map(make)).size).toBeGreaterThan(1);
    });

    test(`${name}: ${CASES} inputs`, async () => {
      const { cases, findings } = await fuzz({ name, seed: 1, cases: CASES, runner });
      expect(findings).toEqual([]);
      expect(cases).toBe(CASES);
    });

    for (const { name: file, input } of found.filter(({ fuzzer }) => fuzzer === name)) {
      test(`what was found once: ${file}`, async () => {
        expect(await runner.judge({ seed: 0, input })).toBeUndefined();
      });
    }
  }

  test("all that was found is of one of them", () => {
    expect(found.filter(({ fuzzer }) => !fuzzerNames.includes(fuzzer))).toEqual([]);
  });
});

test("what must never be said is noticed", () => {
  expect(leakIn("x\n    at run (file:///a/b.ts:1:2)", "")).toContain("b.ts");
  expect(leakIn("harn: internal error, please report it:", "")).toBe("internal error");
  expect(leakIn("Cannot read properties of undefined", "")).toBe("Cannot read propert");
  expect(leakIn("[object Object]", 'println("[object Object]")')).toBeUndefined();
  expect(leakIn("error: undefined variable 'x'\n  --> a.harn:1:1", "")).toBeUndefined();
});
