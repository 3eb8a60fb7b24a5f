/** What a tool says of itself, as policies read it (agents.md §6.3). */

import type { ToolEntry } from "../../model/index.ts";
import { Dict, List } from "../../values/index.ts";

/** From harmless to far-reaching. */
export const sideEffectLevels: readonly string[] = [
  "none",
  "read_only",
  "workspace_write",
  "process_exec",
  "network",
];

/** Where a level stands; -1 for what is no level. */
export const levelRank = (level: unknown): number =>
  typeof level === "string" ? sideEffectLevels.indexOf(level) : -1;

const textAt = (annotations: Dict | undefined, key: string): string | null => {
  const text = annotations?.get(key);
  return typeof text === "string" ? text : null;
};
export const sideEffectOf = (annotations: Dict | undefined): string | null =>
  textAt(annotations, "side_effect_level");
export const kindOfTool = (annotations: Dict | undefined): string | null => textAt(annotations, "kind");

/** `cap.op`, in the order of the entry. */
export function annotatedCapabilities(annotations: Dict | undefined): string[] {
  const value = annotations?.get("capabilities");
  if (!(value instanceof Dict)) return [];
  return [...value.entries()].flatMap(([capability, ops]) =>
    ops instanceof List
      ? [...ops].filter((op) => typeof op === "string").map((op) => `${capability}.${op}`)
      : [],
  );
}

/** The entry's own, overridden by a policy's. */
export function annotationsOf(entry: ToolEntry, overrides: Dict | null): Dict | undefined {
  const own = overrides?.get(entry.name);
  if (!(own instanceof Dict)) return entry.annotations;
  return entry.annotations === undefined ? own : entry.annotations.merge(own);
}
