/**
 * Mutated programs never crash the runtime: golden programs with a few tokens changed, removed, doubled or swapped are
 * compiled and, where that works, run. Diagnostics and script errors are fine; bugs of ours, hangs and JavaScript's own
 * words in a message are not.
 */
// long: fuzzes

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { programsBelow } from "../support/programs.ts";
import { runScript } from "../support/run-script.ts";
import { tenthOf } from "../support/smoke.ts";

const CASES = tenthOf(20_000);

/** Programs that touch nothing but the memory host. */
const areas = ["language", "errors", "values", "methods"];

function programs(): string[][] {
  const found: string[][] = [];
  for (const area of areas) {
    for (const path of programsBelow(`test/golden/${area}`)) found.push(tokens(readFileSync(path, "utf8")));
  }
  return found;
}

const tokens = (text: string): string[] => text.match(/"(?:[^"\\\n]|\\.)*"|\w+|\s+|[^\w\s]/g) ?? [];

/** A small generator of random numbers: the same cases each time. */
function randomly(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
}

function mutate(
  original: readonly string[],
  pool: readonly string[],
  pick: (below: number) => number,
): string {
  const words = [...original];
  for (let n = 1 + pick(3); n > 0; n--) {
    const at = pick(words.length);
    const other = pool[pick(pool.length)]!;
    const kind = pick(5);
    if (kind < 2) words[at] = other;
    else if (kind === 2) words.splice(at, 1);
    else if (kind === 3) words.splice(at, 0, other);
    else [words[at], words[pick(words.length)]] = [words[pick(words.length)]!, words[at]!];
  }
  return words.join("");
}

/** What would take long or end in a hang by design: endless loops, huge counts. */
const slow = /while true|\d{5,}|\bnat\b|9{6,}/;

describe("mutated programs", () => {
  it("end in a value, a diagnostic or a script error", async () => {
    const all = programs();
    const pool = all.flat().filter((word) => word.trim() !== "");
    const pick = randomly(20261121);
    let ran = 0;
    for (let i = 0; i < CASES; i++) {
      const text = mutate(all[pick(all.length)]!, pool, pick);
      if (slow.test(text)) continue;
      const run = await runScript(text, { runtime: { limits: { depth: 200, steps: 200_000 } } }).catch(
        (error: unknown) => {
          throw new Error(`a bug of ours, with the program\n${text}`, { cause: error });
        },
      );
      if (run.outcome !== undefined) ran++;
      const said = run.error + run.diagnostics.map((one) => one.message).join("\n");
      expect(said, text).not.toMatch(
        /undefined is not|Cannot read propert|is not a function|\[object |Promise/,
      );
    }
    expect(ran).toBeGreaterThan(CASES / 10);
  });
});
