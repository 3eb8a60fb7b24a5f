/** `transcript_summarize`: a model's summary of everything but the last messages (agents.md §3.2). */
import type { Task } from "../../../interp/index.ts";
import { llmCall } from "../../../model/index.ts";
import { Dict, optionsDict, thrown, typeOf, type Value } from "../../../values/index.ts";
import { isTranscript, transcriptMessages, withMessages } from "../../session/transcript-value.ts";
import { entryOfValue } from "./entries.ts";
import { callOptionsIn } from "./perform.ts";
import { findCut } from "./plan.ts";
import { summarizerPrompt } from "./summarizer-prompt.ts";
import { formatted } from "./summary-text.ts";

const usualKeepLast = 6;

/** The transcript with its last messages, the summary of the others, and how many those were. */
export async function transcriptSummarize(task: Task, value: Value, input: Value): Promise<Value> {
  const caller = "transcript_summarize";
  if (!isTranscript(value)) throw thrown(`${caller}: argument must be a transcript`);
  const options = optionsDict(caller, input);
  const keepLast = options.get("keep_last") ?? usualKeepLast;
  if (typeof keepLast !== "number" || keepLast < 0) throw thrown(`${caller}: keep_last must be >= 0`);
  const own = options.get("prompt") ?? null;
  if (own !== null && typeof own !== "string")
    throw thrown(`${caller}: \`prompt\` must be a string or nil; got ${typeOf(own)}`);
  const messages = transcriptMessages(value);
  const entries = messages.map(entryOfValue);
  const cut = findCut(entries, 0, keepLast);
  const archived = cut === null ? entries : entries.slice(cut.from, cut.to);
  const text = formatted(archived);
  const prompt = own === null ? summarizerPrompt(text, archived.length, null) : `${own}\n\n${text}`;
  const answer = await llmCall(task, caller, {
    prompt,
    system: null,
    options: callOptionsIn(task, options),
  });
  const kept =
    cut === null ? value : withMessages(value, [...messages.slice(0, cut.from), ...messages.slice(cut.to)]);
  return kept.merge(
    Dict.of({
      summary: answer.get("visible_text") ?? answer.get("text") ?? "",
      archived_messages: cut === null ? 0 : archived.length,
    }),
  );
}
