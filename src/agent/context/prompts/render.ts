/** Prompts looked at from outside a loop: what `std/agent/prompts` is made of. */
import type { Task } from "../../../interp/index.ts";
import { at, refusal } from "../../../table/index.ts";
import { Dict, optionsDict, thrown, type Value } from "../../../values/index.ts";
import { isPromptId, promptIds } from "../../options/prompt-ids.ts";
import { promptOverridesOf } from "../../options/prompt-overrides.ts";
import { renderPromptSource } from "../../options/prompt-source.ts";
import { assetOf, type Bindings, usualPrompt } from "./catalogue.ts";

const optionsOf = (input: Value): Dict => optionsDict("agent_prompt_catalog", input);

/** Id → the name of its text; overridden ids show their entry. */
export function promptAssets(value: Value): Dict {
  const options = optionsOf(value);
  promptOverridesOf(options);
  let assets = Dict.of(Object.fromEntries(promptIds.map((id) => [id, assetOf(id)])));
  for (const key of ["prompt_overrides", "prompts"]) {
    const overrides = options.get(key);
    if (overrides instanceof Dict)
      for (const [id, entry] of overrides.entries()) if (entry !== null) assets = assets.with(id, entry);
  }
  return assets;
}

/** The words of one prompt. */
export async function renderPromptId(task: Task, id: string, bindings: Value, value: Value): Promise<string> {
  if (!isPromptId(id))
    throw thrown(`agent_prompt_catalog: unknown prompt id ${id}; expected one of: ${promptIds.join(", ")}`);
  if (bindings !== null && !(bindings instanceof Dict))
    throw refusal(at("agent_prompt_catalog", "bindings"), "dict", bindings);
  const values = bindings ?? new Dict();
  const source = promptOverridesOf(optionsOf(value)).get(id);
  if (source !== undefined) return renderPromptSource(task, source, values);
  return usualPrompt(id, Object.fromEntries(values.entries()) as Bindings);
}
