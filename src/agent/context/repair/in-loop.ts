/** Repair in a loop: before every call of its model, with an intervention and a live event `repair` for each. */
import type { Task } from "../../../interp/index.ts";
import { type InterventionInput, type ModelMessage, publishNamed } from "../../../model/index.ts";
import { Dict, type Value } from "../../../values/index.ts";
import { interveneOutside } from "../../session/interventions.ts";
import { intervene } from "../../state/interventions.ts";
import type { Loop } from "../../state/loop-state.ts";
import { emitNamed, type Turn } from "../../state/requests.ts";
import { toolClass } from "../../tools/tool-class.ts";
import type { RepairRule } from "./examine.ts";
import { mendedView, type Repair, type RepairOptions, repairConversation, repairStrictly } from "./repair.ts";

export const repairOptions = (loop: Loop, copied = false): RepairOptions => ({
  blocks: loop.route.toolResultBlocks,
  reads: (tool) => {
    const entry = loop.tools.byName.get(tool);
    return entry !== undefined && toolClass(entry) === "read_only";
  },
  copied,
});

/** PLANNING, before everything else, and again when the call goes out: callbacks may have said something in between. */
export function* repairView(loop: Loop): Turn<void> {
  const repairs = repairConversation(loop.conversation, repairOptions(loop));
  if (repairs.length > 0) yield* emitRepairs(loop, repairs);
}

/** After a vendor refused the history as malformed. */
export function* repairRefused(loop: Loop): Turn<void> {
  yield* emitRepairs(loop, repairStrictly(loop.conversation, repairOptions(loop)));
}

/** What a callback or a projection made of the view, sound. */
export function* mendSent(loop: Loop, messages: ModelMessage[]): Turn<ModelMessage[]> {
  const sent = mendedView(messages, repairOptions(loop));
  if (sent !== messages)
    yield* intervene(loop, {
      kind: "repair",
      rule: "sent_view",
      reason: "what a callback or a projection made of the view was broken: what is sent was mended",
      facts: { before: messages.length, after: sent.length },
    });
  return sent;
}

function* emitRepairs(loop: Loop, repairs: readonly Repair[]): Turn<void> {
  for (const repair of repairs) {
    yield* intervene(loop, interventionOf(repair));
    if (loop.listens()) yield* emitNamed("repair", eventFields(repair, loop.work.iteration + 1));
  }
}

/** Tells of what was repaired where a loop begins: there is no turn yet. */
export async function publishRepairs(task: Task, loop: Loop, repairs: readonly Repair[]): Promise<void> {
  for (const repair of repairs) {
    await interveneOutside(task, loop.conversation, interventionOf(repair));
    loop.state.slots.interventions.count++;
    await publishNamed(task, loop.state.sessionId, "repair", Dict.of(eventFields(repair, 0)));
  }
}

const interventionOf = ({ rule, messages, call, tool }: Repair): InterventionInput => ({
  kind: "repair",
  rule,
  reason: reasons[rule],
  facts: tool === null ? {} : { tool },
  messages,
  call,
});

const eventFields = ({ rule, call, tool }: Repair, turn: number): Record<string, Value> => ({
  tool,
  call,
  turn,
  repaired: outcomes[rule],
});

const reasons: Readonly<Record<RepairRule, string>> = {
  call_without_result: "a call had no result: it was answered as interrupted",
  result_without_call: "a result had no call: it is out of view",
  second_result: "a call had a second result: it is out of view",
  out_of_place: "a result did not stand right behind its call: it was moved there",
  empty_message: "a message of the model held neither text nor calls: it is out of view",
  unreadable_arguments:
    "the arguments of a call could not be read: they are shown as {}, their text in the result",
  unfit_reasoning: "reasoning no longer fitted the message that it came with: it was taken out",
  begins_without_user: "the view did not begin with words of a user: it does now",
  refused_history: "a vendor refused the history: what models thought stands as plain text now",
};

const outcomes: Readonly<Record<RepairRule, string>> = {
  call_without_result: "answered",
  result_without_call: "removed",
  second_result: "removed",
  out_of_place: "moved",
  empty_message: "removed",
  unreadable_arguments: "arguments",
  unfit_reasoning: "reasoning",
  begins_without_user: "begun",
  refused_history: "as_text",
};
