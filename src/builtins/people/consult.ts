/**
 * Asking until it is settled: the tape of a trigger's replay answers first, then mocks, then people. Every step leaves an
 * event in its topic.
 */

import { checkEffect } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { conversations, publishNamed } from "../../model/index.ts";
import { callerWords } from "../../process/index.ts";
import { Dict, List, type MaybePromise, runtimeError, thrown, type Value } from "../../values/index.ts";
import { emitEvent } from "../events/event-log/event-log.ts";
import { mockedAnswer } from "../host-mocks.ts";
import { sleepInMock, wallClock } from "../time/clock-state.ts";
import { isoTime } from "../time/iso-time.ts";
import { deniedError } from "./denied.ts";
import { askPerson } from "./person.ts";
import { type HumanKind, type HumanRequest, newRequest, type RequestText } from "./request.ts";
import { type HumanOutcome, type HumanResponse, personResponseDict, responseOf } from "./responses.ts";
import { nextOnTape, putOnTape, tapeOf } from "./tape.ts";

/** What the answers so far come to. */
export type ConsultVerdict<T> =
  | { readonly settled: T }
  /** More is needed; `problem`: what was wrong with the last answer. */
  | { readonly problem?: string };

export interface Consultation<T> {
  /** The builtin, for messages. */
  readonly caller: string;
  readonly text: RequestText;
  /** Looks at each answer as it comes. */
  judge(request: HumanRequest, response: HumanResponse): ConsultVerdict<T>;
  /** Instead of an answer that does not come; `undefined` when the program does not say. */
  readonly fallback?: Value | undefined;
}

const askedTopics: Readonly<Record<HumanKind, string>> = {
  question: "hitl.question_asked",
  approval: "hitl.approval_requested",
  dual_control: "hitl.dual_control_requested",
  escalation: "hitl.escalation_issued",
};

/** Topics that open a request. */
export const openingTopics: readonly string[] = Object.values(askedTopics);
/** Of answers: `settled` says whether it was the last one needed. */
export const responseTopic = "hitl.response_received";
/** Nobody answered. */
export const timeoutTopic = "hitl.timeout";

/**
 * An event of a request: its kind is its topic, its headers name the request. Who watches the agent that asks is told too,
 * as `hitl_question_asked` and so on.
 */
export async function emitRequest(
  task: Task,
  topic: string,
  request: HumanRequest,
  payload: Dict,
): Promise<void> {
  const headers = Dict.of({ request_id: request.id, trace_id: request.traceId });
  const about = payload.with("request_id", request.id);
  emitEvent(task, topic, topic, about, headers);
  const session = task.runtime.state(conversations).current(task);
  if (session !== null) await publishNamed(task, session, topic.replace(".", "_"), about);
}

/** The outcome of asking, and whether it was all that can come. */
interface ConsultRound {
  readonly outcome: HumanOutcome;
  readonly cameAt: string;
  readonly last: boolean;
}

/** Asks until `judge` is content. Raises a HumanTimeoutError when nobody answers in time. */
export async function consult<T>(
  task: Task,
  consultation: Consultation<T>,
): Promise<{ readonly request: HumanRequest; readonly settled: T | undefined }> {
  const { text, caller } = consultation;
  // Answers that a mock or a tape gives are no effects: the rules of the run hold for them all the same.
  checkEffect(task, { effect: "human", kind: caller, args: () => ({ prompt: text.prompt }) });
  const tape = tapeOf(task);
  let request = newRequest(task, text, nextOnTape(tape, text.kind)?.id);
  await emitRequest(task, askedTopics[request.kind], request, request.row);
  for (;;) {
    const { outcome, cameAt, last } = await consultRound(task, request);
    if (outcome.kind !== "answered")
      return { request, settled: await unanswered(task, request, outcome, consultation) };
    let problem: string | undefined;
    for (const one of outcome.answers) {
      const verdict = await received(task, request, one, cameAt, consultation);
      if ("settled" in verdict) return { request, settled: verdict.settled };
      problem = verdict.problem;
    }
    if (last && problem !== undefined) throw runtimeError(`${consultation.caller}: ${problem}`);
    if (last)
      return { request, settled: await unanswered(task, request, { kind: "timed_out" }, consultation) };
    if (problem !== undefined) request = { ...request, row: request.row.with("problem", problem) };
  }
}

async function received<T>(
  task: Task,
  request: HumanRequest,
  value: Value,
  cameAt: string,
  consultation: Consultation<T>,
): Promise<ConsultVerdict<T>> {
  const response = responseOf(request, value, cameAt);
  const about =
    request.kind === "question" ? Dict.of({ answer: response.answer }) : personResponseDict(response);
  const verdict = consultation.judge(request, response);
  await emitRequest(task, responseTopic, request, about.with("settled", "settled" in verdict));
  return verdict;
}

async function consultRound(task: Task, request: HumanRequest): Promise<ConsultRound> {
  const tape = tapeOf(task);
  const former = nextOnTape(tape, request.kind);
  if (tape !== undefined && former !== undefined) {
    tape.at++;
    return { ...former, last: false };
  }
  const mocked = mockedAnswer(task, "hitl", request.kind, request.row);
  const outcome = mocked === undefined ? await live(task, request) : mockedOutcome(mocked);
  const cameAt = isoTime(wallClock(task));
  if (tape !== undefined) putOnTape(tape, { kind: request.kind, id: request.id, outcome, cameAt });
  return { outcome, cameAt, last: mocked !== undefined };
}

const mockedOutcome = (mocked: Value): HumanOutcome => ({
  kind: "answered",
  answers: mocked instanceof List ? mocked.toArray() : [mocked],
});

/** Under a mocked clock nobody is waited for: its time passes at once. */
function live(task: Task, request: HumanRequest): MaybePromise<HumanOutcome> {
  return sleepInMock(task, request.limitMs) ? { kind: "timed_out" } : askPerson(task, request);
}

/** No answer: the fallback, if there is one, is the caller's to give (`undefined` settled). */
async function unanswered<T>(
  task: Task,
  request: HumanRequest,
  outcome: HumanOutcome,
  { caller, fallback }: Consultation<T>,
): Promise<undefined> {
  await emitRequest(task, timeoutTopic, request, Dict.of({ reason: outcome.kind }));
  if (fallback !== undefined) return undefined;
  if (outcome.kind === "denied") throw deniedError(request, [], "--on-approval deny", null);
  if (outcome.kind === "nobody") {
    throw runtimeError(`${caller}: nobody is there to answer: ${callerWords().nobody()}`);
  }
  throw thrown(
    Dict.of({
      name: "HumanTimeoutError",
      category: "timeout",
      kind: request.kind,
      message: `${request.kind} timed out`,
      request_id: request.id,
    }),
  );
}
