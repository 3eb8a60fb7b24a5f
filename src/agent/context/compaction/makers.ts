/**
 * Who makes a summary: a model, a function of the script, or nobody (extractive). Each gives a delta that is merged; a model
 * that answers something else is asked again, twice at most.
 */

import type { StructuredSummary } from "../../../model/index.ts";
import { type Callable, Dict, fromJson, List, thrown, toJson, typeOf } from "../../../values/index.ts";
import type { SummaryAnswer, TryCallbackAnswer } from "../../state/requests.ts";
import { cleanDelta, jsonOfAnswer, noDelta, parseDelta, type SummaryDelta } from "./delta.ts";
import type { Asking } from "./engine.ts";
import type { MessageGroup, ViewMessage } from "./exchanges.ts";
import { entriesText, extractiveDelta, saidMessage, summarizerQuestion } from "./summaries.ts";

export type Maker = "model" | "callback" | "extractive";

export interface MakerInput {
  readonly view: readonly ViewMessage[];
  /** Of the span. */
  readonly groups: readonly MessageGroup[];
  /** What people said since that stays in view. */
  readonly people: readonly ViewMessage[];
  readonly prior: StructuredSummary;
  /** Tokens that the summary may have. */
  readonly cap: number;
  /** The prompt `agent.summarizer`. */
  readonly rules: () => Asking<string>;
  readonly policy: Dict | null;
  /** Options of the model call. */
  readonly route: Dict;
  readonly callback: Callable | null;
  /** What the strategy has said in its place. */
  readonly said: string | null;
  /** Answers that were good, by what was asked. */
  readonly answers: AnswerCache;
  readonly digest: (text: string) => string;
}

interface AnswerCache {
  get(digest: string): string | undefined;
  set(digest: string, answer: string): void;
}

/** Answers that were read without a problem; of more than a hundred the oldest go. */
export const lastAnswers = (held: Map<string, string>): AnswerCache => ({
  get: (digest) => held.get(digest),
  set: (digest, answer) => {
    held.delete(digest);
    held.set(digest, answer);
    for (const oldest of held.keys()) {
      if (held.size <= maxAnswers) return;
      held.delete(oldest);
    }
  },
});

const maxAnswers = 100;

type SummaryResult =
  | { readonly ok: true; readonly delta: SummaryDelta }
  /** `excused`: no failure of the maker. Nobody was asked, because the budget can't pay; a function gave nil. */
  | { readonly ok: false; readonly reason: string; readonly excused?: boolean };

/** Model calls of one pass. */
export const maxCalls = 3;
/** An answer longer than this many caps is no summary. */
const maxCaps = 3;
const charsPerToken = 4;

const messagesOfGroups = ({ view, groups }: MakerInput): ViewMessage[] =>
  groups.flatMap(({ from, to }) => view.slice(from, to));

export function* makeSummary(maker: Maker, input: MakerInput): Asking<SummaryResult> {
  if (maker === "model") return yield* askModelForDelta(input);
  if (maker === "callback") return yield* askCallback(input);
  return { ok: true, delta: extractiveDelta(input.view, input.groups) };
}

function* askModelForDelta(input: MakerInput): Asking<SummaryResult> {
  const { prior, people, route, cap, answers, digest } = input;
  const messages = messagesOfGroups(input);
  const rules = yield* input.rules();
  const key = digest(
    JSON.stringify([summarizerQuestion(rules, prior, messages, people, null), String(route)]),
  );
  const known = answers.get(key);
  if (known !== undefined) {
    const read = parseMakerAnswer(known, cap);
    if (read.ok) return { ok: true, delta: read.delta };
  }
  let problem: string | null = null;
  for (let calls = 1; ; calls++) {
    const prompt = summarizerQuestion(rules, prior, messages, people, problem);
    const options = route.with("response_format", "json");
    const answer = (yield { kind: "summary", prompt, options }) as SummaryAnswer;
    if (!answer.ok) {
      const excused = answer.refused === true;
      return { ok: false, reason: `the model gave no answer: ${cleanDelta(answer.error)}`, excused };
    }
    const read = parseMakerAnswer(answer.text, cap);
    if (read.ok) {
      answers.set(key, answer.text);
      return { ok: true, delta: read.delta };
    }
    if (read.final || calls >= maxCalls) return { ok: false, reason: read.problem };
    problem = read.problem;
  }
}

type DeltaRead =
  | { readonly ok: true; readonly delta: SummaryDelta }
  /** `final`: asking again would only cost. */
  | { readonly ok: false; readonly problem: string; readonly final: boolean };

function parseMakerAnswer(text: string, cap: number): DeltaRead {
  const max = maxCaps * cap * charsPerToken;
  if (text.length > max)
    return {
      ok: false,
      problem: `the answer has ${text.length} characters, ${max} are allowed`,
      final: true,
    };
  const json = jsonOfAnswer(text);
  if (json === undefined) return { ok: false, problem: "the answer is no JSON object", final: false };
  const read = parseDelta(json);
  return read.ok ? read : { ok: false, problem: read.problem, final: false };
}

/** `fn({span, people, prior, entries, policy, cap}) -> delta | text | nil` */
function* askCallback(input: MakerInput): Asking<SummaryResult> {
  const { callback, prior, policy, cap, said } = input;
  if (said !== null) return parseSummaryText(said, messagesOfGroups(input), cap);
  if (callback === null) return { ok: false, reason: "there is no summarizer" };
  const messages = messagesOfGroups(input);
  const about = Dict.of({
    span: new List(messages.map(saidMessage)),
    people: new List(input.people.map(saidMessage)),
    prior: fromJson(prior),
    entries: entriesText(prior),
    policy,
    cap,
  });
  const called = (yield { kind: "try_callback", callback, args: [about] }) as TryCallbackAnswer;
  if (!called.ok) return { ok: false, reason: `the summarizer threw: ${cleanDelta(called.error)}` };
  const answered = called.value;
  if (answered === null) return { ok: false, reason: "the summarizer gave nothing", excused: true };
  if (typeof answered === "string") return parseSummaryText(answered, messages, cap);
  if (!(answered instanceof Dict))
    throw thrown(`compaction.summarizer must return a dict, a string or nil; got ${typeOf(answered)}`);
  const read = parseDelta(toJson(answered));
  if (read.ok) return { ok: true, delta: read.delta };
  return { ok: false, reason: `the summarizer's answer: ${read.problem}` };
}

const maxLines = 64;

/** A text: a fact per line, of everything in the span. */
function parseSummaryText(text: string, messages: readonly ViewMessage[], cap: number): SummaryResult {
  if (text.length > maxCaps * cap * charsPerToken)
    return { ok: false, reason: `the summarizer's text has ${text.length} characters` };
  const sources = messages.map(({ id }) => id);
  const facts = text
    .split("\n")
    .map(cleanDelta)
    .filter((line) => line !== "")
    .slice(0, maxLines)
    .map((line) => ({ text: line, sources }));
  return { ok: true, delta: { ...noDelta, facts } };
}
