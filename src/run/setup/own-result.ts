/** What a fork says that its step gave. */
import type { History, HistoryStep, Json } from "../../effects/index.ts";
import { jsonOrText } from "../../values/index.ts";
import { valueForm } from "./human-answers.ts";

/** A step's own result. A model's answer may be given by its text, or by the fields that differ from the recorded one. */
export function ownResult(text: string, step: HistoryStep, history: History): Json {
  const value = jsonOrText(text);
  if (step.kind !== "llm.call") return valueForm(value);
  const then = step.result?.v === undefined ? {} : history.whole(step.result.v);
  const { response = {} } = then as { response?: object };
  const fields = typeof value === "object" && value !== null ? value : { text: String(value) };
  return { ok: true, response: { ...response, tool_calls: [], ...fields } } as unknown as Json;
}
