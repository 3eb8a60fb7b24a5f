/**
 * `agent_await_resumption`: the tool with which a model suspends its own loop until somebody resumes it (agents.md
 * §17.6). The loop answers it itself, before anything of the turn is dispatched: other calls of the same turn are not run.
 */

import type { ToolCall, ToolEntry } from "../../model/index.ts";
import { runtimeTool } from "../../model/index.ts";
import { Dict, fromJson } from "../../values/index.ts";
import { giveFeedback } from "../context/feedback.ts";
import { holdCalls } from "../state/hold-calls.ts";
import type { Loop } from "../state/loop-state.ts";
import { askToSuspend, type Turn } from "../state/requests.ts";
import { errorFrame, resultFrame } from "../tools/outcome.ts";

export const awaitResumptionName = "agent_await_resumption";

/** What models are told of the tool. */
export const awaitResumption = {
  name: awaitResumptionName,
  description:
    "Park yourself when you can't go on before something happens outside: an answer, an event, a later time. " +
    "You are resumed with what happened.",
  parameters: {
    reason: { type: "string", required: true, description: "What you wait for, in one sentence." },
    conditions: {
      type: "object",
      required: false,
      description:
        "When to go on by itself: {timeout: {duration_minutes, on_timeout}}, {on_event: topic}, {trigger: {…}}.",
    },
  },
  annotations: Dict.of({ structural: true, agent_lifecycle: true, side_effect_level: "none" }),
} as const;

/** The tool's entry. The loop answers its calls itself (`suspendWhenAsked`). */
export const awaitResumptionTool: ToolEntry = runtimeTool({ ...awaitResumption, run: () => null });

/** Whether an entry of a registry stands for the runtime's own tool (`agent_lifecycle_tools`). */
export const standsForAwaitResumption = ({ name, annotations }: ToolEntry): boolean =>
  name === awaitResumptionName && annotations?.get("structural") === true;

/** EXECUTING: suspends the loop after this turn, or tells the model what is wrong with its wish. */
export function* suspendWhenAsked(loop: Loop): Turn<void> {
  const call = loop.work.calls.find(({ name }) => name === awaitResumptionName);
  if (call === undefined || loop.tools.byName.get(awaitResumptionName)?.origin !== "runtime") return;
  const args = call.arguments === null ? new Dict() : (fromJson(call.arguments) as Dict);
  const answer = yield* askToSuspend(args.get("reason") ?? null, args.get("conditions") ?? null);
  if (answer.ok) {
    loop.state.slots.suspension.asked = answer.asked;
    loop.core.control.pauseAsked = answer.asked.reason;
    holdCalls(loop, "the agent parked itself", textFor(call, resultFrame(call.name, "parked")));
    return;
  }
  const why = call.parseError === null ? answer.error : `its arguments can't be read: ${call.parseError}`;
  const others = `a call of ${awaitResumptionName} in the same turn could not be answered`;
  holdCalls(loop, others, textFor(call, errorFrame(call.name, why)));
  yield* giveFeedback(loop, awaitResumptionName, why);
}

const textFor =
  (own: ToolCall, text: string) =>
  (call: ToolCall): string | undefined =>
    call === own ? text : undefined;
