/**
 * A pause that is no limit: a hook, a person, a parent or the model itself wants the loop to stand still. Its suspension port decides
 * whether the loop ends here as `suspended`, to be resumed later, or goes on at once.
 */
import type { Task } from "../../../interp/index.ts";
import { ScriptError, uncaughtText } from "../../../values/index.ts";
import { stallSnapshot } from "../../completion/repetition/snapshot.ts";
import type { ResumePayload } from "../../contract/index.ts";
import { holdCalls } from "../../state/hold-calls.ts";
import type { Loop } from "../../state/loop-state.ts";
import type { SuspensionAnswer, SuspensionAsk } from "../../state/requests.ts";
import { runningLoops } from "../../state/running.ts";
import { type SuspensionOutcome, suspensionPortOf } from "../../state/suspension-port.ts";
import { awaitResumptionName } from "../await-resumption.ts";
import { batchOf } from "./open-batch.ts";

/** Nobody keeps it: the conversation goes on under its session id, by another loop. */
const unkept: SuspensionOutcome = {
  kind: "suspended",
  handle: null,
  initiator: "operator",
  conditions: null,
};

/** Suspends the loop; says how its pause is answered. */
export async function suspendLoop(task: Task, loop: Loop, reason: string): Promise<ResumePayload> {
  const { state, core, conversation } = loop;
  const { suspension } = state.slots;
  const { asked } = suspension;
  suspension.asked = null;
  const port = await suspensionPortOf(task);
  const loops = task.runtime.state(runningLoops);
  // Before the state is written down: the calls belong to it.
  conversation.openBatch = batchOf(loop);
  const outcome =
    (await port?.suspend(task, {
      call: loop.call,
      conversation,
      reason,
      asked,
      iterations: state.iterations,
      lastText: state.lastText,
      streak: loop.options.repetition.progress === null ? null : stallSnapshot(state.slots),
      outermost: loops.isOutermost(task, loop),
    })) ?? unkept;
  if (outcome.kind === "suspended") {
    // Nobody can resume it: these calls will never be dispatched, so an error result is appended for each.
    if (conversation.openBatch !== null && outcome.handle === null) {
      conversation.openBatch = null;
      holdCalls(loop, reason);
    }
    const { handle, initiator, conditions } = outcome;
    suspension.ended = { reason, handle, initiator, conditions, resumeBy: asked?.resumeBy ?? null };
    return { close: { status: "suspended", reason: "suspended" } };
  }
  conversation.openBatch = null;
  if (outcome.kind === "refused") {
    if (asked !== null) conversation.feedback.push({ kind: awaitResumptionName, text: outcome.reason });
    return {};
  }
  suspension.isResumed = true;
  // Whoever resumes it gives it all its turns again.
  return { extend: { turns: core.control.budget.used.turns } };
}

/** Checks what the model asked for. */
export async function parseSuspensionRequest(
  task: Task,
  { reason, conditions }: SuspensionAsk,
): Promise<SuspensionAnswer> {
  const port = await suspensionPortOf(task);
  if (port === null) return { ok: false, error: "nobody could go on with you later; finish your task now" };
  try {
    return { ok: true, asked: port.parseRequest(task, reason, conditions) };
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return { ok: false, error: typeof error.value === "string" ? error.value : uncaughtText(error) };
  }
}
