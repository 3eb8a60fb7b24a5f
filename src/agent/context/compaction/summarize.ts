/** `transcript_summarize`: a model's summary of everything but the last messages (agents.md §3.2). */
import type { Task } from "../../../interp/index.ts";
import { llmCall } from "../../../model/index.ts";
import { Dict, optionsDict, thrown, typeOf, type Value } from "../../../values/index.ts";
import { isTranscript, transcriptMessages, withMessages } from "../../session/transcript-value.ts";
import { pickedFrom, planned } from "./engine.ts";
import { entryOfValue } from "./entries.ts";
import { libraryText } from "./library.ts";
import { callOptionsIn } from "./perform.ts";

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
  const plan = planned(messages.map(entryOfValue), { keepFirst: 0, keepLast, unpinned: true }, "llm");
  const { gone } = plan;
  const archived = gone.length === 0 ? plan.messages : pickedFrom(plan);
  const prompt =
    own === null
      ? libraryText("summary_question", archived)
      : `${own}\n\n${libraryText("formatted", archived)}`;
  const answer = await llmCall(task, caller, {
    prompt,
    system: null,
    options: callOptionsIn(task, options),
  });
  const leaving = new Set(gone);
  const kept =
    gone.length === 0
      ? value
      : withMessages(
          value,
          messages.filter((_message, at) => !leaving.has(at)),
        );
  return kept.merge(
    Dict.of({
      summary: answer.get("visible_text") ?? answer.get("text") ?? "",
      archived_messages: gone.length,
    }),
  );
}
