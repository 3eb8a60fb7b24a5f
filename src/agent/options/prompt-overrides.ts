/** `prompts` / `prompt_overrides` (agents.md §11.11): other words for prompts of the runtime, read. */

import { at, refusal, row, rows } from "../../table/index.ts";
import type { Value } from "../../values/index.ts";
import { Dict, thrown } from "../../values/index.ts";
import type { PromptId } from "./prompt-ids.ts";
import { isPromptId, promptIds } from "./prompt-ids.ts";
import type { PromptSource } from "./prompt-source.ts";
import { promptSourceRow } from "./prompt-source.ts";

export type PromptOverrides = ReadonlyMap<PromptId, PromptSource>;

export const promptRows = rows(() => ({
  prompts: row
    .either([row.dict(null), row.bool()], "Other words for the runtime's prompts, by id (std/agent/prompts).")
    .with({ below: "delegates" }),
  prompt_overrides: row
    .either([row.dict(null), row.bool()], "Another name for `prompts`.")
    .with({ below: "delegates" }),
}));

const none: PromptOverrides = new Map();

/** Reads both spellings; an id that does not exist is an error that names those that do. */
export function promptOverridesOf(options: Dict): PromptOverrides {
  const found = new Map<PromptId, PromptSource>();
  for (const key of ["prompt_overrides", "prompts"])
    for (const [id, source] of options.has(key) ? promptSourcesOf(options.get(key) ?? null, key) : [])
      found.set(id, source);
  return found.size === 0 ? none : found;
}

function promptSourcesOf(value: Value, key: string): Map<PromptId, PromptSource> {
  const found = new Map<PromptId, PromptSource>();
  if (value === null || value === false) return found;
  if (!(value instanceof Dict)) throw refusal(at("agent_prompt_catalog", key), "dict", value);
  for (const [id, entry] of value.entries()) {
    if (!isPromptId(id))
      throw thrown(`agent_prompt_catalog: unknown prompt id ${id}; expected one of: ${promptIds.join(", ")}`);
    if (entry !== null)
      found.set(id, promptSourceRow().read(entry, at("agent_prompt_catalog", `${key}.${id}`)));
  }
  return found;
}
