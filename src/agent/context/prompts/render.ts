/** Prompts looked at from outside a loop: what `std/agent/prompts` is made of. */
import type { Task } from "../../../interp/index.ts";
import { at, meantField, readRows, unknownOption } from "../../../table/index.ts";
import { Dict, thrown } from "../../../values/index.ts";
import { isPromptId, promptIds } from "../../options/prompt-ids.ts";
import { type PromptOverrides, promptOverridesOf, promptRows } from "../../options/prompt-overrides.ts";
import { renderPromptSource } from "../../options/prompt-source.ts";
import { assetOf, type Bindings, usualPrompt } from "./catalogue.ts";

const overridesIn = (caller: string, options: Dict | null): PromptOverrides =>
  promptOverridesOf(readRows(options, promptRows, at(caller)));

/** Id → the name of its text; overridden ids show their entry. */
export function promptAssets(options: Dict | null): Dict {
  overridesIn("agent_prompt_assets", options);
  let assets = Dict.of(Object.fromEntries(promptIds.map((id) => [id, assetOf(id)])));
  for (const key of ["prompt_overrides", "prompts"]) {
    const overrides = options?.get(key);
    if (overrides instanceof Dict)
      for (const [id, entry] of overrides.entries()) if (entry !== null) assets = assets.with(id, entry);
  }
  return assets;
}

/** The words of one prompt. */
export async function renderPromptId(
  task: Task,
  id: string,
  bindings: Dict,
  options: Dict | null,
): Promise<string> {
  const caller = "agent_prompt_render";
  if (!isPromptId(id))
    throw thrown(unknownOption(at(caller, "id"), id, meantField(id, promptIds, "expected one of ")));
  const source = overridesIn(caller, options).get(id);
  if (source !== undefined) return renderPromptSource(task, source, bindings);
  return usualPrompt(id, Object.fromEntries(bindings.entries()) as Bindings);
}
