/**
 * The suspension port of loops (agent/state/suspension-port.ts): what happens when a loop suspends (agents.md §17.5, §17.6).
 *
 *     asked ─▶ PreSuspend hook ─▶ marker in the journal ─┬─ "suspended": state on disk, PostSuspend, the loop ends so
 *                                                        └─ "resumed":   the loop goes on in the very same call
 *
 * The marker is a question, "is somebody going on from here?". A live run always gets a no. A cold start
 * (`harn run --resume SNAPSHOT`) replays the run up to the marker, answers yes, and lives from there.
 *
 * The outermost loop of a worker suspends with its worker. Any other loop becomes a worker when it suspends: its handle can be
 * given to `resume_agent`, and its file to a cold start, like every worker's.
 */

import {
  type EndOfResumed,
  type Initiator,
  runningLoops,
  runSessionHooks,
  type SuspendedLoop,
  type SuspensionOutcome,
  type SuspensionPort,
  type SuspensionRequest,
  transcriptOf,
} from "../../../agent/index.ts";
import { type Json, shape } from "../../../effects/index.ts";
import type { Task } from "../../../interp/index.ts";
import { newId, notifyPerson } from "../../../interp/index.ts";
import { byRuntime, conversations, modelsOf, spokenOrigin } from "../../../model/index.ts";
import { Dict, fromJson, type MaybePromise, type Value } from "../../../values/index.ts";
import { endInPlace } from "../end-in-place.ts";
import { lifecycleTools } from "../lifecycle-tools.ts";
import { Worker } from "../worker.ts";
import { awaitWorker } from "../worker-calls.ts";
import { standIn } from "../worker-cycle.ts";
import { changeStatus } from "../worker-events.ts";
import { handleOf } from "../worker-handle.ts";
import { folderOf, portsOf, suspensionMarker } from "../worker-ports.ts";
import { workers } from "../worker-table.ts";
import { watchConditions } from "./auto-resume.ts";
import { parseRequest } from "./resume-conditions.ts";
import { resumptionMessage } from "./resumption.ts";
import { suspendedLoopPlan } from "./suspended-loop-plan.ts";
import { emitSuspended, noteResumption, noteSuspension } from "./suspension-notes.ts";

export const suspensionPort: SuspensionPort = {
  parseRequest: (task, reason, conditions): SuspensionRequest =>
    parseRequest(task, reason, conditions, (spec) => portsOf(task).checkTrigger(task, spec)),
  suspend,
  ended,
  awaitWorker,
  lifecycleTools,
};

/** What the marker says. */
interface SuspensionMarker {
  readonly status: "suspended" | "resumed";
  readonly input?: Json;
  readonly continue_transcript?: boolean;
  /** Written answers that the models give from here on (`--llm-mock`). */
  readonly fixtures?: readonly Json[];
}

const markerShape = shape.record<SuspensionMarker>({
  status: shape.oneOf("suspended", "resumed"),
  input: shape.optional(shape.json),
  continue_transcript: shape.optional(shape.flag),
  fixtures: shape.optional(shape.listOf(shape.json)),
});

async function suspend(task: Task, loop: SuspendedLoop): Promise<SuspensionOutcome> {
  const own = ownWorker(task, loop);
  if (own?.haltRequest?.end === "stopped") return suspended(null, own.haltRequest.initiator, null);
  const initiator = suspensionInitiatorOf(loop, own);
  const refusal = own?.haltRequest === null || own === null ? await asked(task, loop, initiator) : null;
  if (refusal !== null) return { kind: "refused", reason: refusal };
  const worker = own ?? (await workerFor(task, loop));
  worker.session = loop.conversation.id;
  const conditions = loop.asked?.conditions ?? worker.haltRequest?.conditions ?? worker.plan.resumeWhen;
  worker.suspension = {
    reason: loop.reason,
    initiator,
    suspendedAt: newId(task),
    turn: loop.iterations,
    conditions,
    trigger: null,
  };
  const marker = await markerOfSuspension(task, worker);
  if (marker.status === "resumed") return await resumeInPlace(task, worker, loop, marker);
  noteSuspension(loop.conversation, worker.suspension);
  await watchConditions(task, worker);
  // A worker's cycle ends with its loop and settles the rest (worker-cycle.ts).
  if (own === null) await settleAlone(task, worker, loop);
  return suspended(handleOf(worker, "suspended"), initiator, conditions);
}

const suspended = (
  handle: Dict | null,
  initiator: Initiator,
  conditions: Dict | null,
): SuspensionOutcome => ({
  kind: "suspended",
  handle,
  initiator,
  conditions,
});

/** The worker whose outermost loop this is. */
function ownWorker(task: Task, { outermost }: SuspendedLoop): Worker | null {
  const worker = task.runtime.state(workers).around(task);
  return outermost && worker?.cycle === task ? worker : null;
}

function suspensionInitiatorOf({ asked }: SuspendedLoop, own: Worker | null): Initiator {
  return asked === null ? (own?.haltRequest?.initiator ?? "operator") : "self_initiated";
}

/** What a hook has against it; who suspends a worker from outside has asked before (suspension.ts). */
async function asked(task: Task, loop: SuspendedLoop, initiator: Initiator): Promise<string | null> {
  const { conversation, reason } = loop;
  const fields = Dict.of({ reason, initiator, conditions: loop.asked?.conditions ?? null });
  const said = await runSessionHooks(task, "PreSuspend", conversation.id, fields, reason);
  return said.blocked;
}

/** The loop as a worker: the one that it was when it suspended before, else a new one. */
async function workerFor(task: Task, loop: SuspendedLoop): Promise<Worker> {
  const table = task.runtime.state(workers);
  const known = table.inPlaceOf(loop.conversation.id);
  if (known !== undefined) return known;
  const store = task.runtime.state(conversations);
  const id = `worker_${newId(task)}`;
  const session = loop.conversation.parentId ?? store.current(task);
  const parentSession = session === loop.conversation.id ? null : session;
  const plan = suspendedLoopPlan(loop);
  const snapshotPath = `${await folderOf(task)}/${id}.json`;
  const parent = table.around(task)?.id ?? null;
  const made = { id, parent, parentSession, snapshotPath, createdAt: newId(task) };
  const worker = new Worker(task.runtime, plan, made);
  worker.history.push(plan.task);
  worker.startedAt = worker.createdAt;
  table.add(worker);
  return worker;
}

function markerOfSuspension(task: Task, worker: Worker): MaybePromise<SuspensionMarker> {
  const { reason, initiator, turn } = worker.suspension as NonNullable<Worker["suspension"]>;
  worker.journalPlace = `${task.scope.path}#${task.scope.effects}`;
  return task.perform<SuspensionMarker>({
    effect: "read",
    kind: suspensionMarker,
    args: () => ({ worker: worker.id, session: worker.session, reason, initiator, turn }),
    run: () => ({ status: "suspended" }),
    result: markerShape,
  });
}

async function settleAlone(task: Task, worker: Worker, loop: SuspendedLoop): Promise<void> {
  const { conversation } = loop;
  conversation.disposable = false;
  worker.move("suspended");
  worker.transcript = transcriptOf(conversation);
  worker.lastText = loop.lastText;
  worker.streak = loop.streak;
  worker.home = standIn(task, worker.parentSession);
  await changeStatus(task, worker, "WorkerSuspended");
  await emitSuspended(task, worker);
}

/** A cold start: the worker counts as running again, and the conversation gets what was given along. */
async function resumeInPlace(
  task: Task,
  worker: Worker,
  loop: SuspendedLoop,
  marker: SuspensionMarker,
): Promise<SuspensionOutcome> {
  const { conversation } = loop;
  if (marker.fixtures !== undefined) modelsOf(task).answerFrom(marker.fixtures);
  const input = fromJson(marker.input ?? null) as Value;
  const continueTranscript = marker.continue_transcript !== false;
  const fields = Dict.of({ reason: loop.reason, input, continue_transcript: continueTranscript });
  const said = await runSessionHooks(task, "PreResume", conversation.id, fields, worker.plan.name);
  const { suspension } = worker;
  worker.lastText = loop.lastText;
  worker.streak = loop.streak;
  if (said.blocked !== null) {
    notifyPerson(task.runtime, `harn: a PreResume hook refused to go on: ${said.blocked}\n`);
    if (worker.cycle !== task) await settleAlone(task, worker, loop);
    return suspended(handleOf(worker, "suspended"), suspension?.initiator ?? "operator", null);
  }
  const about = await resumptionMessage(task, worker, conversation, { input, continueTranscript });
  conversation.say({ role: "user", content: about }, input === null ? byRuntime("resumption") : spokenOrigin);
  noteResumption(conversation, input, continueTranscript);
  task.runtime.state(runningLoops).unhalt(task);
  worker.endSuspension();
  worker.haltRequest = null;
  worker.move("running");
  worker.inPlace = worker.cycle !== task;
  if (worker.inPlace) worker.home = task;
  await changeStatus(task, worker, "WorkerResumed");
  await runSessionHooks(task, "PostResume", conversation.id, fields, worker.plan.name);
  return { kind: "resumed" };
}

/** A sub-agent's end is its envelope, which is made when its loop is over (sub-agent-run.ts). */
async function ended(
  task: Task,
  { call, state, conversation }: Parameters<SuspensionPort["ended"]>[1],
  end: EndOfResumed,
): Promise<void> {
  if (call.subAgent !== undefined && "result" in end) return;
  await endInPlace(task, conversation.id, { ...end, lastText: state.lastText });
}
