/** What a fork says that its step gave. */
import type { History, Json, Step } from "../../effects/index.ts";
import { jsonOrText } from "../../values/index.ts";
import { valueForm } from "./human-answers.ts";

/** A step's own result. A model's answer may be given by its text, or by the fields that differ from the recorded one. */
export function ownResult(text: string, step: Step, history: History): Json {
  const given = jsonOrText(text);
  if (step.kind !== "llm.call") return valueForm(given);
  const then = step.result?.v === undefined ? {} : history.whole(step.result.v);
  const { response = {} } = then as { response?: object };
  const fields = typeof given === "object" && given !== null ? given : { text: String(given) };
  return { ok: true, response: { ...response, tool_calls: [], ...fields } } as unknown as Json;
}
