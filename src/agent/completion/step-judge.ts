/** `step_judge`: a second opinion on every turn before its calls are dispatched (agents.md §11.3). */
import { Float, type Value } from "../../values/index.ts";
import { giveFeedback } from "../context/feedback.ts";
import { promptText } from "../context/prompts/overrides.ts";
import type { StepJudgeOptions } from "../options/judge-fields.ts";
import { holdCalls } from "../state/hold-calls.ts";
import type { Loop } from "../state/loop-state.ts";
import { askJudge, emitNamed, type JudgeAnswer, type Turn } from "../state/requests.ts";
import { currentLimit } from "./iteration-control.ts";
import { textOf, verdictWord } from "./judge.ts";

const passing = new Set(["pass", "yes", "ok", "advance", "proceed", "approve"]);

/** Judges the turn; a veto holds its calls and tells the model what to revise. */
export function* judgeStep(loop: Loop): Turn<void> {
  const { stepJudge: options } = loop.options;
  const { work, state } = loop;
  if (options === null || work.ending !== null) return;
  const skipped = skipReason(loop, options);
  if (skipped !== undefined)
    return yield* report(loop, options, { verdict: "skipped", vetoed: false, skipReason: skipped });
  const answer = yield* askJudge({
    name: "step_judge",
    system: textOf(options.config.get("system")) ?? (yield* rubricText(loop, options.rubric)),
    prompt: yield* stepPrompt(loop),
    config: options.config,
  });
  if (!answer.ok && options.failOpen) {
    return yield* report(loop, options, {
      verdict: "error",
      vetoed: false,
      skipReason: "judge_unavailable",
      reasoning: answer.error,
    });
  }
  const verdict = answer.ok ? (textOf(answer.data.get("verdict")) ?? "") : "error";
  const vetoed = !passing.has(verdictWord(verdict));
  if (vetoed) state.slots.stepJudge.attempts++;
  else state.slots.stepJudge.attempts = 0;
  const critique = answer.ok ? textOf(answer.data.get("critique")) : answer.error;
  const reasoning = answer.ok ? textOf(answer.data.get("reasoning")) : null;
  yield* report(loop, options, { verdict, vetoed, reasoning, critique, answer });
  if (!vetoed) return;
  if (options.onVeto === "replace" && work.assistant !== null) {
    loop.conversation.hide(work.assistant, "judge");
    work.held = true;
  } else holdCalls(loop, "the step was sent back for revision");
  const feedback =
    critique ?? options.feedbackFallback ?? "Your last step was not accepted. Revise it and try again.";
  yield* giveFeedback(loop, "step_judge", feedback);
}

function skipReason(loop: Loop, options: StepJudgeOptions): string | undefined {
  const { work, state } = loop;
  if (state.slots.stepJudge.attempts >= options.maxAttempts) {
    state.slots.stepJudge.attempts = 0;
    return "max_attempts_reached";
  }
  if (currentLimit(loop) - (work.iteration + 1) < options.skipWhenIterationsRemaining)
    return "low_iteration_budget";
  if (options.skipWhenEmpty && work.text.trim() === "" && work.calls.length === 0) return "empty_response";
  if (options.skipWhenStalled && work.stalled) return "stall_already_detected";
  return undefined;
}

function* rubricText(loop: Loop, rubric: string): Turn<string> {
  if (rubric === "adversarial") return yield* promptText(loop, "agent.step_judge_system_adversarial", {});
  return yield* promptText(loop, "agent.step_judge_system", { rubric: rubric === "default" ? "" : rubric });
}

function* stepPrompt(loop: Loop): Turn<string> {
  const { work, state } = loop;
  const calls = work.calls.map((call) => `- ${call.name} ${JSON.stringify(call.arguments ?? {})}`).join("\n");
  return yield* promptText(loop, "agent.step_judge_user", { task: state.task, text: work.text, calls });
}

interface StepReport {
  readonly verdict: string;
  readonly vetoed: boolean;
  readonly skipReason?: string;
  readonly reasoning?: string | null;
  readonly critique?: string | null;
  readonly answer?: JudgeAnswer;
}

function* report(loop: Loop, options: StepJudgeOptions, said: StepReport): Turn<void> {
  if (!loop.listens()) return;
  const { answer } = said;
  const known = answer?.ok === true ? answer : undefined;
  const confidence: Value = known?.data.get("confidence") ?? new Float(1);
  yield* emitNamed("step_judge_decision", {
    iteration: loop.work.iteration + 1,
    verdict: said.verdict,
    vetoed: said.vetoed,
    reasoning: said.reasoning ?? "",
    critique: said.critique ?? "",
    confidence,
    attempt: loop.state.slots.stepJudge.attempts,
    on_veto: options.onVeto,
    provider: known?.provider ?? null,
    model: known?.model ?? null,
    input_tokens: known?.inputTokens ?? 0,
    output_tokens: known?.outputTokens ?? 0,
    cost_usd: new Float(known?.costUsd ?? 0),
    skipped: said.skipReason !== undefined,
    skip_reason: said.skipReason,
    judge_duration_ms: answer?.durationMs ?? 0,
  });
}
