/** The options `skills`, `skill_match` and `working_files` of a loop (agents.md §15.3). */
import { Dict, failing, List, shownValue, typeOf, type Value } from "../values/index.ts";
import { isSkillRegistry, skillEntries, skillName } from "./skill-entries.ts";

export type MatchStrategy = "metadata" | "host" | "embedding" | "catalog";

export interface SkillOptions {
  /** By name; of equal names the last one. */
  readonly entries: readonly Dict[];
  readonly strategy: MatchStrategy;
  readonly topN: number;
  readonly sticky: boolean;
  readonly workingFiles: readonly string[];
}

const strategies: readonly MatchStrategy[] = ["metadata", "host", "embedding", "catalog"];

const names = ["skills", "skill_match", "working_files"] as const;

/** `null` without skills. `caller` begins error texts: `agent_loop: `. */
export function readSkillOptions(options: Dict, caller: string): SkillOptions | null {
  if (!names.some((name) => options.has(name))) return null;
  const fail: Fail = failing(caller);
  const value = (name: string): Value => options.get(name) ?? null;
  const entries = readEntries(value("skills"), fail);
  const match = value("skill_match") ?? new Dict();
  if (!(match instanceof Dict)) return fail(`\`skill_match\` must be a dict or nil; got ${typeOf(match)}`);
  const strategy = match.get("strategy") ?? "metadata";
  const known = strategies.find((name) => name === strategy);
  if (known === undefined)
    fail(`\`skill_match.strategy\` must be one of ${strategies.join(", ")}; got ${shownValue(strategy)}`);
  const topN = match.get("top_n") ?? 1;
  if (typeof topN !== "number" || topN < 1)
    fail(`\`skill_match.top_n\` must be a positive integer; got ${shownValue(topN)}`);
  const sticky = match.get("sticky") ?? true;
  if (typeof sticky !== "boolean") fail(`\`skill_match.sticky\` must be a bool; got ${typeOf(sticky)}`);
  const workingFiles = readFiles(value("working_files"), fail);
  if (entries.length === 0) return null;
  return {
    entries,
    strategy: known as MatchStrategy,
    topN: topN as number,
    sticky: sticky as boolean,
    workingFiles,
  };
}

type Fail = (text: string) => never;

/** A registry, a list of registries and entries, or one entry. */
function readEntries(value: Value, fail: Fail): Dict[] {
  if (value === null || value === false) return [];
  const byName = new Map<string, Dict>();
  for (const item of value instanceof List ? value.toArray() : [value]) {
    const found = isSkillRegistry(item) ? skillEntries(item) : isEntry(item) ? [item] : undefined;
    if (found === undefined)
      return fail(`\`skills\` must be a skill_registry or a list of skills; got ${typeOf(item)}`);
    for (const entry of found) byName.set(skillName(entry), entry);
  }
  return [...byName.values()];
}

const isEntry = (value: Value): value is Dict =>
  value instanceof Dict && value.get("_type") === undefined && typeof value.get("name") === "string";

function readFiles(value: Value, fail: Fail): string[] {
  if (value === null) return [];
  const files = value instanceof List ? value.toArray() : [value];
  return files.map((file) =>
    typeof file === "string"
      ? file
      : fail(`\`working_files\` must be a string or a list of strings; got ${typeOf(file)}`),
  );
}
