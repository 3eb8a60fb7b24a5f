/**
 * Twenty thousand programs that nobody wrote: each ends within its step limit, in a value or in the language's own
 * error, and never shows anything of JavaScript. `HARN_FUZZ_CASES` runs more of them, `HARN_FUZZ_SEED` others.
 */
// long: fuzzes
import { describe, expect, test } from "vitest";
import { renderDiagnostics } from "../../src/diagnostics/index.ts";
import { leakIn } from "../fuzz/judge.ts";
import { Dice, realPrograms, TextMaker } from "../support/fuzz-text.ts";
import { createMemoryHost } from "../support/memory-host.ts";
import { runScript } from "../support/run-script.ts";

const cases = Number(process.env.HARN_FUZZ_CASES ?? 20_000);
const first = Number(process.env.HARN_FUZZ_SEED ?? 1);

/** A model that answers at once: tries to reach one that is not there take seconds, in a loop for ever. */
const withMock = () => createMemoryHost({ env: { HARN_LLM_PROVIDER: "mock" } });

/** Real time that one program may take: far more than its steps need, for machines that are busy. */
const PATIENCE = 20_000;

async function run(text: string): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("it never ended")), PATIENCE);
  });
  try {
    const ran = await Promise.race([
      runScript(text, { runtime: { limits: { steps: 3000, depth: 300 }, host: withMock() } }),
      tooLong,
    ]);
    return `${renderDiagnostics(ran.diagnostics)}\n${ran.error}\n${ran.stderr}`;
  } finally {
    clearTimeout(timer);
  }
}

async function check(seed: number, programs: readonly string[]): Promise<string | undefined> {
  const text = new TextMaker(new Dice(seed), programs).text();
  const fault = (what: string): string => `seed ${seed}: ${what}\n${text}\n${"-".repeat(40)}`;
  try {
    const said = await run(text);
    return leakIn(said, text) === undefined ? undefined : fault(said);
  } catch (error) {
    return fault(
      error instanceof Error ? `${error.stack}\n${String((error.cause as Error)?.stack)}` : String(error),
    );
  }
}

/** Programs of a test: a busy machine has its time for each. */
const perTest = 2000;
const ranges = Array.from({ length: Math.ceil(cases / perTest) }, (_, at) => {
  const from = first + at * perTest;
  return [from, Math.min(from + perTest, first + cases)] as const;
});

describe(`${cases} generated programs end in the language's own words`, () => {
  const programs = realPrograms();
  test.each(ranges)("seeds %i to %i", async (from, to) => {
    const faults: string[] = [];
    for (let seed = from; seed < to && faults.length < 5; seed++) {
      if (process.env.HARN_FUZZ_SHOW !== undefined) console.error(seed);
      const fault = await check(seed, programs);
      if (fault !== undefined) faults.push(fault);
    }
    expect(faults.join("\n\n")).toBe("");
  });
});
