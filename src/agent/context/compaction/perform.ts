/** Runs a compaction outside a loop: what the engine asks for is done at once, on a child path of the task. */
import type { Task } from "../../../interp/index.ts";
import { callableOnChild } from "../../../interp/index.ts";
import { callFields, isCallOption, llmCall } from "../../../model/index.ts";
import { Dict, ScriptError, uncaughtText, type Value } from "../../../values/index.ts";
import { renderPromptSource } from "../../options/prompt-source.ts";
import type { SummaryAnswer, TryCallbackAnswer } from "../../state/requests.ts";
import type { CompactionAsk } from "./engine.ts";

/** Drives the engine. `summary` is used where a model would be asked. What fails is thrown: the script asked for it. */
export async function performCompaction<T>(
  task: Task,
  caller: string,
  steps: Generator<CompactionAsk, T, unknown>,
  summary: string | null = null,
): Promise<T> {
  let answer: unknown;
  for (;;) {
    const step = steps.next(answer);
    if (step.done === true) return step.value;
    answer = await performAsk(task, caller, step.value, summary);
  }
}

async function performAsk(
  task: Task,
  caller: string,
  ask: CompactionAsk,
  summary: string | null,
): Promise<Value | SummaryAnswer | TryCallbackAnswer> {
  switch (ask.kind) {
    case "callback":
      return callableOnChild(task, ask.callback, ask.args);
    case "try_callback":
      try {
        return { ok: true, value: await callableOnChild(task, ask.callback, ask.args) };
      } catch (error) {
        if (!(error instanceof ScriptError)) throw error;
        return { ok: false, error: uncaughtText(error) };
      }
    case "template":
      return renderPromptSource(task, ask.source, ask.bindings);
    case "summary": {
      if (summary !== null) return { ok: true, text: summary };
      const answer = await llmCall(task, caller, { prompt: ask.prompt, system: null, options: ask.options });
      const text = answer.get("visible_text");
      return { ok: true, text: typeof text === "string" ? text : "" };
    }
  }
}

/** Those entries of an options dict that a model call understands, and that leave it one question with a text for an answer. */
export function callOptionsIn(task: Task, options: Dict): Dict {
  let picked = new Dict();
  for (const [key, value] of options.entries())
    if (isCallOption(task, key) && !callFields.set("more than text").has(key))
      picked = picked.with(key, value);
  return picked;
}
