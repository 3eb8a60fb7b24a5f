/** Cassettes: raw server-sent events, one JSON object `{event?, data}` per line, under `test/cassettes/`. */
import { readFileSync } from "node:fs";
import type { Scenario, WireEvent } from "./scenario.ts";

/** Reads `test/cassettes/<name>.jsonl` as a scenario. */
export function readCassette(name: string): Scenario {
  const text = readFileSync(new URL(`../../cassettes/${name}.jsonl`, import.meta.url), "utf8");
  const events = text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as WireEvent);
  return { kind: "raw", events };
}
