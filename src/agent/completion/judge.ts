/** Asking a judge whether the work is done, and reading its answer (agents.md §11.1). */
import { Dict, fromJson, jsonStringify, type Value } from "../../values/index.ts";
import { promptText } from "../context/prompts/overrides.ts";
import { genericVeto } from "../context/texts.ts";
import type { JudgeOptions } from "../options/judge-fields.ts";
import type { JudgeCount, JudgeDecision, Loop } from "../state/loop-state.ts";
import { askJudge, emitNamed, type Turn } from "../state/requests.ts";

export interface JudgeVerdict {
  readonly accepted: boolean;
  /** What the model is to be told when not. */
  readonly feedback: string;
}

const accepting = new Set([
  "done",
  "pass",
  "passed",
  "safe",
  "yield",
  "yield_to_user",
  "complete",
  "completed",
]);

/** The first word, lowercased, without punctuation. */
export const verdictWord = (text: string): string =>
  (text.trim().split(/\s+/, 1)[0] as string).toLowerCase().replace(/[^\p{L}\p{N}_-]/gu, "");

/** One judgement on a proposed completion. */
export function* judge(
  loop: Loop,
  name: string,
  options: JudgeOptions,
  reason: string,
  count: JudgeCount,
): Turn<JudgeVerdict> {
  const { state, work } = loop;
  count.invocations++;
  const answer = yield* askJudge({
    name,
    system:
      textOf(options.config.get("system")) ?? (yield* promptText(loop, "agent.completion_judge_system", {})),
    prompt: yield* judgePrompt(loop, reason),
    config: options.config,
  });
  const trigger = reason === "stalled" ? "stalled" : null;
  let decision: JudgeDecision;
  let accepted: boolean;
  if (answer.ok) {
    const verdict = textOf(answer.data.get("verdict")) ?? "";
    accepted = accepting.has(verdictWord(verdict));
    const reasoning = textOf(answer.data.get("reasoning")) ?? "";
    const nextStep = textOf(answer.data.get("next_step")) ?? "";
    decision = {
      iteration: work.iteration,
      verdict,
      reasoning,
      nextStep,
      durationMs: answer.durationMs,
      trigger,
    };
  } else {
    accepted = options.failOpen;
    const reasoning = `the judge could not be asked: ${answer.error}`;
    decision = {
      iteration: work.iteration,
      verdict: "error",
      reasoning,
      nextStep: "",
      durationMs: answer.durationMs,
      trigger,
    };
  }
  state.judgeDecisions.push(decision);
  if (!accepted) count.vetoes++;
  work.completion.verdict = decision.verdict;
  if (loop.listens()) yield* emitNamed("judge_decision", { ...decisionFields(decision) });
  if (accepted) return { accepted, feedback: "" };
  const { verdict, reasoning, nextStep } = decision;
  const feedback = yield* promptText(loop, "agent.completion_judge_feedback", {
    feedback: nextStep || reasoning || options.feedbackFallback || genericVeto,
    verdict,
    reasoning,
    next_step: nextStep,
  });
  return { accepted, feedback };
}

/** A decision as events and the result of `agent_turn` show it. */
export function decisionFields(decision: JudgeDecision): Record<string, Value> {
  return {
    iteration: decision.iteration,
    verdict: decision.verdict,
    reasoning: decision.reasoning,
    next_step: decision.nextStep,
    judge_duration_ms: decision.durationMs,
    trigger: decision.trigger,
  };
}

function* judgePrompt(loop: Loop, reason: string): Turn<string> {
  const { state, conversation } = loop;
  const transcript = jsonStringify(
    fromJson(conversation.shown.map(({ message }) => JSON.parse(JSON.stringify(message)))),
  );
  return yield* promptText(loop, "agent.completion_judge_user", {
    task: state.task,
    stop_reason: reason,
    successful_tools: listed(state.tools.successful),
    rejected_tools: listed(state.tools.rejected),
    transcript,
    text: state.lastText,
  });
}

const listed = (names: ReadonlySet<string>): string => (names.size === 0 ? "none" : [...names].join(", "));

export const textOf = (value: Value | undefined): string | null =>
  typeof value === "string" && value !== "" ? value : null;

/** The report in a result. */
export function judgeReport(count: JudgeCount, cap: number | null): Dict {
  return Dict.of({
    invocations: count.invocations,
    vetoes: count.vetoes,
    max_invocations: cap,
    cap_reached: count.capReached,
  });
}
