/** `prompts` / `prompt_overrides` (agents.md §11.11): other words for prompts of the runtime, read and used. */
import { Dict, thrown, typeOf, type Value } from "../../../values/index.ts";
import { type PromptSource, readPromptSource } from "../../options/prompt-source.ts";
import type { Loop } from "../../state/loop-state.ts";
import type { Turn } from "../../state/requests.ts";
import { type Bindings, isPromptId, type PromptId, promptIds, usualPrompt } from "./catalogue.ts";

export type PromptOverrides = ReadonlyMap<PromptId, PromptSource>;

const none: PromptOverrides = new Map();

/** Reads both spellings; an id that does not exist is an error that names those that do. */
export function readPromptOverrides(options: Dict): PromptOverrides {
  const found = new Map<PromptId, PromptSource>();
  for (const key of ["prompt_overrides", "prompts"])
    for (const [id, source] of readOne(options.get(key) ?? null, key)) found.set(id, source);
  return found.size === 0 ? none : found;
}

function readOne(value: Value, key: string): Map<PromptId, PromptSource> {
  const found = new Map<PromptId, PromptSource>();
  if (value === null || value === false) return found;
  if (!(value instanceof Dict))
    throw thrown(`agent_prompt_catalog: \`${key}\` must be a dict of prompt ids; got ${typeOf(value)}`);
  for (const [id, entry] of value.entries()) {
    if (!isPromptId(id))
      throw thrown(`agent_prompt_catalog: unknown prompt id ${id}; expected one of: ${promptIds.join(", ")}`);
    const source = readPromptSource(entry, `agent_prompt_catalog: prompt override ${id}`);
    if (source !== null) found.set(id, source);
  }
  return found;
}

/** The words of a prompt in this loop. */
export function* promptText(loop: Loop, id: PromptId, bindings: Bindings): Turn<string> {
  const source = loop.options.prompts.get(id);
  if (source === undefined) return usualPrompt(id, bindings);
  return (yield { kind: "template", source, bindings: Dict.of(bindings) }) as string;
}

/** What contracts and nudges are told of a loop. */
export const loopBindings = ({ mode, sentinel, usesTools, options }: Loop): Bindings => ({
  done_sentinel: sentinel,
  tool_mode: mode,
  has_tools: usesTools,
  allow_done_sentinel: options.turnPolicy.allowDoneSentinel,
  require_action: options.turnPolicy.requireActionOrYield,
});
