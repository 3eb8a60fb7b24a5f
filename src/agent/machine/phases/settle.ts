/** After the batch: results into the conversation, in emitted order, and into the counts. */

import { toolAudited, toolEnded } from "../../../events/index.ts";
import { byTool, type ToolCall, type ToolOutcome } from "../../../model/index.ts";
import { Dict, display, fromJson, List, type Value } from "../../../values/index.ts";
import { fillFromPlan } from "../../completion/work-items/in-loop.ts";
import type { ToolAnswer } from "../../contract/index.ts";
import type { Loop } from "../../state/loop-state.ts";
import { emit, emitNamed, type Turn } from "../../state/requests.ts";
import { keptNatively, resultMessage, resultsMessage } from "../../state/tool-messages.ts";
import { dataOfEnd } from "../../tools/call-events.ts";
import { defaultOutputLimit, denialValue, refused, withText } from "../../tools/outcome.ts";

/** The plain part of an outcome that contract events and hooks see. `text` is what a hook may change. */
export function answerOf(outcome: ToolOutcome): ToolAnswer {
  const value = { status: outcome.status, text: outcome.rendered };
  if (outcome.ok) return { id: outcome.callId, ok: true, value };
  return {
    id: outcome.callId,
    ok: false,
    error: outcome.error ?? outcome.rendered,
    category: outcome.errorCategory ?? "tool_error",
    value,
  };
}

/** Records every call of the turn. */
export function* settleResults(loop: Loop): Turn<void> {
  const { work, core } = loop;
  if (work.calls.length === 0 || work.held) return;
  for (const [index, call] of work.calls.entries()) {
    const dispatched = (work.outcomes[index] ?? null) !== null;
    const outcome = finalOutcome(
      loop,
      call,
      work.outcomes[index] ?? null,
      core.control.answers[index] ?? null,
    );
    work.outcomes[index] = outcome;
    countOutcome(loop, outcome, dispatched);
    loop.onOutcome?.(outcome, loop.tools.byName.get(outcome.name));
    if (!work.ended.has(index)) yield* emitCallEnd(loop, outcome, index, dispatched);
    if (outcome.audit !== undefined) yield* emitAudit(loop, outcome);
    yield* notePlan(loop, outcome.result);
  }
  appendResults(loop);
  loop.conversation.callsAnswered();
}

/** What dispatch gave, with what after_tool_call hooks made of it; or the refusal of a before_tool_call hook. */
function finalOutcome(
  loop: Loop,
  call: ToolCall,
  outcome: ToolOutcome | null,
  answer: ToolAnswer | null,
): ToolOutcome {
  if (outcome === null) {
    const reason = answer?.ok === false ? answer.error : "this call was not run";
    return refused(call, fromJson(call.arguments ?? {}) as Dict, { gate: "hook", reason, retryable: false });
  }
  const text = textOfAnswer(answer);
  if (text === undefined || text === outcome.rendered) return outcome;
  return withText(outcome, text, loop.options.toolOutputMaxChars ?? defaultOutputLimit);
}

function textOfAnswer(answer: ToolAnswer | null): string | undefined {
  const value = answer?.value;
  if (typeof value === "string") return value;
  const text: unknown =
    typeof value === "object" && value !== null ? (value as { text?: unknown }).text : undefined;
  return typeof text === "string" ? text : undefined;
}

/** Refusals of gates are in the transcript already; those of hooks before dispatch and of unknown tools are not. */
function countOutcome(loop: Loop, outcome: ToolOutcome, dispatched: boolean): void {
  const { tools, usage } = loop.state;
  tools.attempted.add(outcome.name);
  tools.executions++;
  usage.toolMs += outcome.durationMs;
  if (outcome.ok) tools.successful.add(outcome.name);
  else tools.rejected.add(outcome.name);
  noteCall(loop, outcome);
  if (outcome.status === "rejected") {
    tools.rejections++;
    if (!dispatched || outcome.denial?.gate === "unknown_tool")
      loop.conversation.audit.push(deniedCall(outcome));
  }
}

/** As many calls as hooks before the end are told of. */
const keptCalls = 50;

function noteCall({ state, work }: Loop, { name, ok }: ToolOutcome): void {
  const { usage, last } = state.slots.calls;
  usage.set(name, (usage.get(name) ?? 0) + 1);
  last.push({ tool: name, ok, turn: work.iteration + 1 });
  if (last.length > keptCalls) last.shift();
}

function deniedCall(outcome: ToolOutcome): {
  kind: string;
  role: string;
  visibility: "internal";
  text: string;
  metadata: Dict;
} {
  const unknown = outcome.denial?.gate === "unknown_tool";
  return {
    kind: unknown ? "tool_rejected" : "PermissionDeny",
    role: "tool",
    visibility: "internal",
    text: outcome.denial?.reason ?? outcome.error ?? "",
    metadata: Dict.of({
      tool_name: outcome.name,
      arguments: outcome.arguments,
      reason: outcome.denial?.reason ?? null,
      escalated: false,
      denial: outcome.denial === null ? undefined : denialValue(outcome.denial),
    }),
  };
}

/** The end of a call that is known only now: a hook refused it, or hooks had to look at its result first. */
function* emitCallEnd(loop: Loop, outcome: ToolOutcome, index: number, begun: boolean): Turn<void> {
  if (!begun && !loop.listens()) return;
  const entry = loop.tools.byName.get(outcome.name);
  yield* emit(...toolEnded(dataOfEnd(outcome, entry, { begun, script: false })), index);
}

/** What middleware has to say about a call: for those who watch, and in the transcript. */
function* emitAudit(loop: Loop, outcome: ToolOutcome): Turn<void> {
  const fields = {
    tool_call_id: outcome.callId,
    tool_name: outcome.name,
    audit: outcome.audit as Value,
  };
  loop.conversation.audit.push({
    kind: toolAudited,
    role: "tool",
    visibility: "internal",
    text: "",
    metadata: Dict.of(fields),
  });
  if (loop.listens()) yield* emitNamed(toolAudited, fields);
}

/** A plan that a tool gave (`std/plan`) is an event of the transcript, and a task list for those who watch. */
function* notePlan(loop: Loop, plan: Value): Turn<void> {
  if (!(plan instanceof Dict) || plan.get("_type") !== "plan_artifact") return;
  const steps = plan.get("steps");
  const entries = steps instanceof List ? steps.toArray().filter((step) => step instanceof Dict) : [];
  loop.conversation.audit.push({
    kind: "plan",
    role: "tool",
    visibility: "public",
    text: display(plan.get("title") ?? ""),
    metadata: Dict.of({ plan }),
  });
  const { conversation } = loop;
  if (conversation.workItems !== null)
    conversation.workItems = fillFromPlan(
      conversation.workItems,
      entries.map((step) => ({
        content: display(step.get("content") ?? ""),
        status: display(step.get("status") ?? ""),
      })),
    );
  if (!loop.listens()) return;
  const shown = entries.map((step) =>
    Dict.of({ content: step.get("content") ?? "", status: step.get("status") ?? "pending" }),
  );
  yield* emitNamed("plan", { plan: new List(shown) });
}

function appendResults(loop: Loop): void {
  const { work, conversation, route } = loop;
  const observations = work.outcomes.map((outcome) => (outcome as ToolOutcome).observation);
  if (!keptNatively(loop)) {
    conversation.append(resultsMessage(observations), byTool);
    return;
  }
  for (const [index, call] of work.calls.entries()) {
    const outcome = work.outcomes[index] as ToolOutcome;
    conversation.append(
      resultMessage(call.id, call.name, outcome.observation, !outcome.ok, route.toolResultBlocks),
      byTool,
    );
  }
}
