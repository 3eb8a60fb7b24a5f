/**
 * The gates before a proposed completion, in order: `verify_completion`, `verify_completion_judge`, `done_judge`
 * (agents.md §11.2). A veto becomes feedback and the loop goes on; a judge whose cap is reached ends it.
 */
import { Callable, Dict, List, thrown, typeOf, type Value } from "../../values/index.ts";
import { giveFeedback } from "../context/feedback.ts";
import { promptText } from "../context/prompts/overrides.ts";
import { genericVeto } from "../context/texts.ts";
import type { JudgeOptions } from "../options/judge-fields.ts";
import { transcriptOf } from "../session/session-transcript.ts";
import type { Loop } from "../state/loop-state.ts";
import { callBack, type Turn } from "../state/requests.ts";
import { type JudgeVerdict, judge } from "./judge.ts";
import { stateSnapshot } from "./snapshot.ts";

export type GateOutcome =
  | { readonly kind: "accepted" }
  /** Not accepted; the loop goes on. */
  | { readonly kind: "continue" }
  | { readonly kind: "end"; readonly status: string; readonly reason: string };

const accepted: GateOutcome = { kind: "accepted" };
const proceed: GateOutcome = { kind: "continue" };

/** Passes a candidate through the gates. `judged`: a done judge is due for this kind of completion. */
export function* passGates(loop: Loop, reason: string, judged: boolean): Turn<GateOutcome> {
  const { options, state } = loop;
  loop.work.completion.proposed = true;
  if (options.verifyCompletion !== null) {
    const verdict = yield* askVerifier(loop, options.verifyCompletion, reason);
    if (!verdict.accepted) return yield* veto(loop, verdict, reason);
  }
  if (options.verifyCompletionJudge !== null) {
    const count = state.slots.completionJudge;
    const end = capped(options.verifyCompletionJudge, count, "completion_judge_cap_reached");
    if (end !== undefined) return end;
    const verdict = yield* judge(
      loop,
      "verify_completion_judge",
      options.verifyCompletionJudge,
      reason,
      count,
    );
    if (!verdict.accepted) return yield* veto(loop, verdict, reason);
  }
  if (options.doneJudge !== null && judged) {
    const count = state.slots.doneJudge;
    const end = capped(options.doneJudge, count, "done_judge_cap_reached");
    if (end !== undefined) return end;
    if (!(yield* isJudgeDue(loop, options.doneJudge))) return proceed;
    const verdict = yield* judge(loop, "done_judge", options.doneJudge, reason, count);
    if (!verdict.accepted) return yield* veto(loop, verdict, reason);
  }
  return accepted;
}

function capped(
  options: JudgeOptions,
  count: { vetoes: number; capReached: boolean },
  reason: string,
): GateOutcome | undefined {
  if (options.cap === null || count.vetoes < options.cap) return undefined;
  count.capReached = true;
  return { kind: "end", status: "verify_capped", reason };
}

function* veto(loop: Loop, verdict: JudgeVerdict, reason: string): Turn<GateOutcome> {
  const { state, work, options } = loop;
  state.vetoes++;
  work.completion.vetoed = true;
  work.completion.feedback = verdict.feedback;
  if (state.vetoes > options.maxVerifyAttempts) return { kind: "end", status: "verify_exhausted", reason };
  yield* giveFeedback(loop, "verify_completion", verdict.feedback);
  return proceed;
}

/** Whether the done judge is due at this turn (its cadence). */
function* isJudgeDue(loop: Loop, options: JudgeOptions): Turn<boolean> {
  const { cadence } = options;
  const turn = loop.work.iteration + 1;
  const { invocations } = loop.state.slots.doneJudge;
  if (cadence.maxInvocations !== null && invocations >= cadence.maxInvocations) return false;
  if (turn <= cadence.minIterationsBeforeFirst || turn % cadence.every !== 0) return false;
  if (cadence.when instanceof Callable) return (yield* callBack(cadence.when, stateSnapshot(loop))) === true;
  return cadence.when === "always";
}

function* askVerifier(loop: Loop, callback: Callable, reason: string): Turn<JudgeVerdict> {
  const { state, work, conversation } = loop;
  const payload = Dict.of({
    session_id: state.sessionId,
    task: state.task,
    stop_reason: reason,
    text: state.texts.join(""),
    visible_text: state.visible.join("\n"),
    last_text: state.lastText,
    transcript: transcriptOf(conversation),
    all_tools_used: names(state.tools.attempted),
    successful_tools_used: names(state.tools.successful),
    iteration: work.iteration,
  });
  const verdict = judgeVerdictOf(yield* callBack(callback, payload));
  if (verdict.accepted) return verdict;
  const feedback = yield* promptText(loop, "agent.verification_gate_feedback", {
    feedback: verdict.feedback,
  });
  return { accepted: false, feedback };
}

const names = (set: ReadonlySet<string>): List => new List([...set]);

function judgeVerdictOf(answer: Value): JudgeVerdict {
  if (answer === null || answer === "" || answer === true) return { accepted: true, feedback: "" };
  if (answer === false) return { accepted: false, feedback: genericVeto };
  if (typeof answer === "string") return { accepted: false, feedback: answer };
  if (!(answer instanceof Dict)) {
    throw thrown(
      `agent_loop: verify_completion must return nil, a bool, a string, or a dict; got ${typeOf(answer)}`,
    );
  }
  const message = answer.get("message") ?? answer.get("feedback");
  const text = typeof message === "string" && message !== "" ? message : genericVeto;
  return { accepted: answer.get("confirm") === true, feedback: text };
}
