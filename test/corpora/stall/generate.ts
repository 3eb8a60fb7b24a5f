/**
 * Writes the corpus: `node test/corpora/stall/generate.ts` makes `traces.jsonl` anew, the same bytes every time.
 *
 * The families were written down from how agents work and get stuck, before the detector was tuned; a detector that does
 * not manage one of them is mended, not the family.
 */
import { writeFileSync } from "node:fs";
import { healthyFamilies } from "./healthy.ts";
import { Random } from "./random.ts";
import type { Trace } from "./shapes.ts";
import { stalledFamilies } from "./stalled.ts";

const classes: Readonly<Record<string, string>> = {
  read_file: "read_only",
  grep: "read_only",
  glob: "read_only",
  fetch: "read_only",
  fetch_page: "read_only",
  query: "unknown",
  deploy: "mutating",
  bash: "mutating",
  edit_file: "mutating",
  write_file: "mutating",
  job_status: "result_polling",
  work_item_update: "session_control",
  work_item_list: "session_control",
};

const healthyEach = 5;
const stalledEach = 6;

/** All traces, in their order. */
export function makeTraces(): Trace[] {
  const traces: Trace[] = [];
  let seed = 20_261_122;
  const add = (trace: Omit<Trace, "classes">): void => {
    const used = new Set(trace.turns.flatMap(({ calls }) => calls.map(({ tool }) => tool)));
    const known = Object.entries(classes).filter(([tool]) => used.has(tool));
    traces.push({ ...trace, classes: Object.fromEntries(known) });
  };
  for (const [family, make] of Object.entries(healthyFamilies))
    for (let at = 1; at <= healthyEach; at++)
      add({ id: `${family}_${at}`, family, label: "healthy", turns: make(new Random(seed++)) });
  for (const [family, make] of Object.entries(stalledFamilies))
    for (let at = 1; at <= stalledEach; at++) {
      const { turns, from, number } = make(new Random(seed++), at - 1);
      add({ id: `${family}_${at}`, family, label: "stalled", from, number, turns });
    }
  return traces;
}

if (import.meta.main) {
  const lines = makeTraces().map((trace) => JSON.stringify(trace));
  writeFileSync(new URL("traces.jsonl", import.meta.url), `${lines.join("\n")}\n`);
}
