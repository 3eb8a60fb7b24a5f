/**
 * Questions about what leaves: a model writes them from the messages alone, another call answers them from the summary alone.
 * What they agree on is still known. Off unless a script asks for it: it costs two calls a pass.
 */
import { bm25Words } from "../../../model/index.ts";
import { Dict, fromJson, List, textField, type Value } from "../../../values/index.ts";
import type { LadderOptions } from "../../options/ladder-options.ts";
import type { SummaryAnswer } from "../../state/requests.ts";
import { jsonOfAnswer } from "./delta.ts";
import type { Asking } from "./engine.ts";
import type { ViewMessage } from "./exchanges.ts";
import { libraryText } from "./library.ts";
import { spanOf } from "./summaries.ts";

/** Answers count as the same from this share of common words on. */
const sameFrom = 0.8;

interface ProbeOptions {
  readonly count: number;
  readonly route: Dict;
  readonly minRetention: number;
}

/** Who asks and answers them: `verify.model`, or the summarizer's own. */
export const probeRoute = ({ probeModel }: LadderOptions, route: Dict): Dict =>
  probeModel === null ? route : route.with("model", probeModel);

/** A reason to reject the summary; `null`: it knows enough, or nobody could ask. */
export function* probeSummary(
  options: ProbeOptions,
  span: readonly ViewMessage[],
  summary: string,
): Asking<string | null> {
  const { count, minRetention } = options;
  const asked = yield* askForList(
    options,
    "questions",
    `Write ${count} short questions that an agent which goes on with this work must be able to answer, each with its exact answer of a few words, from MESSAGES alone. Answer with JSON: {"questions": [{"question": …, "answer": …}]}\n\nMESSAGES:\n${libraryText("span_text", spanOf(span))}`,
  );
  const questions = asked
    .map((one) => (one instanceof Dict ? one : new Dict()))
    .map((one) => ({ question: textField(one, "question").trim(), answer: textField(one, "answer").trim() }))
    .filter(({ question, answer }) => question !== "" && answer !== "")
    .slice(0, count);
  if (questions.length === 0) return null;
  const listed = questions.map(({ question }, index) => `${index + 1}. ${question}`).join("\n");
  const answers = yield* askForList(
    options,
    "answers",
    `Answer these questions from SUMMARY alone, each in a few words; "unknown" where it does not say. Answer with JSON: {"answers": [text, …]}, in the order of the questions.\n\nQUESTIONS:\n${listed}\n\nSUMMARY:\n${summary}`,
  );
  const known = questions.filter(({ answer }, index) => {
    const said = answers[index];
    return typeof said === "string" && tokenSetRatio(answer, said) >= sameFrom;
  }).length;
  return known / questions.length >= minRetention
    ? null
    : `${known} of ${questions.length} questions could be answered from it`;
}

/** The list under a key of an answer; empty where there is none. */
function* askForList({ route }: ProbeOptions, key: string, prompt: string): Asking<readonly Value[]> {
  const options = route.with("response_format", "json");
  const answer = (yield { kind: "summary", prompt, options }) as SummaryAnswer;
  const read = answer.ok ? fromJson(jsonOfAnswer(answer.text) ?? null) : null;
  const list = read instanceof Dict ? read.get(key) : null;
  return list instanceof List ? list.toArray() : [];
}

/** How much of the words of the shorter text the other has, 0 … 1. */
function tokenSetRatio(a: string, b: string): number {
  const left = new Set(bm25Words(a));
  const right = new Set(bm25Words(b));
  if (left.size === 0 || right.size === 0) return left.size === right.size ? 1 : 0;
  const common = [...left].filter((word) => right.has(word)).length;
  return common / Math.min(left.size, right.size);
}
