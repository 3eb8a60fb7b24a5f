/**
 * The suspension port of loops (agent/state/suspension-port.ts): what happens when a loop parks (agents.md §17.5, §17.6).
 *
 *     asked ─▶ PreSuspend hook ─▶ marker in the journal ─┬─ "suspended": state on disk, PostSuspend, the loop ends so
 *                                                        └─ "resumed":   the loop goes on in the very same call
 *
 * The marker is a question, "is somebody going on from here?". A live run always hears no. A cold start
 * (`harn run --resume SNAPSHOT`) replays the run up to the marker, lets it hear yes, and lives from there.
 *
 * The outermost loop of a worker parks with its worker. Any other loop becomes a worker when it parks: its handle can be
 * given to `resume_agent`, and its file to a cold start, like every worker's.
 */

import {
  type AskedToPark,
  type EndOfParked,
  type Initiator,
  type Parked,
  type ParkedLoop,
  runningLoops,
  runSessionHooks,
  type SuspensionPort,
  transcriptOf,
} from "../../../agent/index.ts";
import type { Json } from "../../../effects/index.ts";
import type { Task } from "../../../interp/index.ts";
import { newId, tellPerson } from "../../../interp/index.ts";
import { conversations, modelsOf } from "../../../model/index.ts";
import { Dict, fromJson, type MaybePromise, type Value } from "../../../values/index.ts";
import { endInPlace } from "../end-in-place.ts";
import { lifecycleTools } from "../lifecycle-tools.ts";
import { Worker } from "../worker.ts";
import { standIn } from "../worker-cycle.ts";
import { changeStatus } from "../worker-events.ts";
import { handleOf } from "../worker-handle.ts";
import { folderOf, parkedMarker, portsOf } from "../worker-ports.ts";
import { workers } from "../worker-table.ts";
import { watchConditions } from "./auto-resume.ts";
import { parkedPlan } from "./parked-plan.ts";
import { readAsk } from "./resume-conditions.ts";
import { tellModel } from "./resumption.ts";
import { noteResumption, noteSuspension, tellSuspended } from "./suspension-notes.ts";

export const workerSuspension: SuspensionPort = {
  readAsk: (task, reason, conditions): AskedToPark =>
    readAsk(task, reason, conditions, (spec) => portsOf(task).checkTrigger(task, spec)),
  park,
  ended,
  lifecycleTools,
};

/** What the marker says. */
interface Going {
  readonly status: "suspended" | "resumed";
  readonly input?: Json;
  readonly continue_transcript?: boolean;
  /** Written answers that the models give from here on (`--llm-mock`). */
  readonly fixtures?: readonly Json[];
}

async function park(task: Task, loop: ParkedLoop): Promise<Parked> {
  const own = ownWorker(task, loop);
  if (own?.parking?.end === "stopped") return suspended(null, own.parking.initiator, null);
  const initiator = initiatorOf(loop, own);
  const refusal = own?.parking === null || own === null ? await asked(task, loop, initiator) : null;
  if (refusal !== null) return { kind: "refused", reason: refusal };
  const worker = own ?? (await workerFor(task, loop));
  worker.session = loop.conversation.id;
  const conditions = loop.asked?.conditions ?? worker.parking?.conditions ?? worker.plan.resumeWhen;
  worker.suspension = {
    reason: loop.reason,
    initiator,
    suspendedAt: newId(task),
    turn: loop.iterations,
    conditions,
    trigger: null,
  };
  const going = await marker(task, worker);
  if (going.status === "resumed") return await goOnInPlace(task, worker, loop, going);
  noteSuspension(loop.conversation, worker.suspension);
  await watchConditions(task, worker);
  // A worker's cycle ends with its loop and settles the rest (worker-cycle.ts).
  if (own === null) await settleAlone(task, worker, loop);
  return suspended(handleOf(worker, "suspended"), initiator, conditions);
}

const suspended = (handle: Dict | null, initiator: Initiator, conditions: Dict | null): Parked => ({
  kind: "suspended",
  handle,
  initiator,
  conditions,
});

/** The worker whose outermost loop this is. */
function ownWorker(task: Task, { outermost }: ParkedLoop): Worker | null {
  const worker = task.runtime.state(workers).around(task);
  return outermost && worker?.task === task ? worker : null;
}

function initiatorOf({ asked }: ParkedLoop, own: Worker | null): Initiator {
  return asked === null ? (own?.parking?.initiator ?? "operator") : "self_initiated";
}

/** What a hook has against it; who suspends a worker from outside has asked before (suspension.ts). */
async function asked(task: Task, loop: ParkedLoop, initiator: Initiator): Promise<string | null> {
  const { conversation, reason } = loop;
  const fields = Dict.of({ reason, initiator, conditions: loop.asked?.conditions ?? null });
  const said = await runSessionHooks(task, "PreSuspend", conversation.id, fields, reason);
  return said.blocked;
}

/** The loop as a worker: the one that it was when it parked before, else a new one. */
async function workerFor(task: Task, loop: ParkedLoop): Promise<Worker> {
  const table = task.runtime.state(workers);
  const known = table.inPlaceOf(loop.conversation.id);
  if (known !== undefined) return known;
  const store = task.runtime.state(conversations);
  const id = `worker_${newId(task)}`;
  const around = {
    worker: table.around(task)?.id ?? null,
    session: loop.conversation.parentId ?? store.current(task),
  };
  const parent = around.session === loop.conversation.id ? null : around.session;
  const plan = parkedPlan(loop);
  const path = `${await folderOf(task)}/${id}.json`;
  const worker = new Worker(id, plan, { worker: around.worker, session: parent }, path, newId(task));
  worker.history.push(plan.task);
  worker.startedAt = worker.createdAt;
  table.add(worker);
  return worker;
}

function marker(task: Task, worker: Worker): MaybePromise<Going> {
  const { reason, initiator, turn } = worker.suspension as NonNullable<Worker["suspension"]>;
  worker.parkedAt = `${task.scope.path}#${task.scope.effects}`;
  return task.perform<Going>({
    effect: "read",
    kind: parkedMarker,
    args: () => ({ worker: worker.id, session: worker.session, reason, initiator, turn }),
    run: () => ({ status: "suspended" }),
    encode: (going) => going as unknown as Json,
    decode: (stored) => stored as unknown as Going,
  });
}

async function settleAlone(task: Task, worker: Worker, loop: ParkedLoop): Promise<void> {
  const { conversation } = loop;
  conversation.disposable = false;
  worker.status = "suspended";
  worker.transcript = transcriptOf(conversation);
  worker.lastText = loop.lastText;
  worker.home = standIn(task, worker.parentSession);
  await changeStatus(task, worker, "WorkerSuspended");
  await tellSuspended(task, worker);
}

/** A cold start: the worker counts as running again, and the conversation gets what was given along. */
async function goOnInPlace(task: Task, worker: Worker, loop: ParkedLoop, going: Going): Promise<Parked> {
  const { conversation } = loop;
  if (going.fixtures !== undefined) modelsOf(task).answerFrom(going.fixtures);
  const input = fromJson(going.input ?? null) as Value;
  const goOn = going.continue_transcript !== false;
  const fields = Dict.of({ reason: loop.reason, input, continue_transcript: goOn });
  const said = await runSessionHooks(task, "PreResume", conversation.id, fields, worker.plan.name);
  const { suspension } = worker;
  worker.lastText = loop.lastText;
  if (said.blocked !== null) {
    tellPerson(task.runtime, `harn: a PreResume hook refused to go on: ${said.blocked}\n`);
    if (worker.task !== task) await settleAlone(task, worker, loop);
    return suspended(handleOf(worker, "suspended"), suspension?.initiator ?? "operator", null);
  }
  const about = await tellModel(task, worker, conversation, { input, goOn });
  conversation.say({ role: "user", content: about });
  noteResumption(conversation, input, goOn);
  task.runtime.state(runningLoops).goOn(task);
  worker.endSuspension();
  worker.parking = null;
  worker.status = "running";
  worker.inPlace = worker.task !== task;
  if (worker.inPlace) worker.home = task;
  await changeStatus(task, worker, "WorkerResumed");
  await runSessionHooks(task, "PostResume", conversation.id, fields, worker.plan.name);
  return { kind: "resumed" };
}

/** A sub-agent's end is its envelope, which is made when its loop is over (sub-agent-run.ts). */
async function ended(
  task: Task,
  { call, state, conversation }: Parameters<SuspensionPort["ended"]>[1],
  end: EndOfParked,
): Promise<void> {
  if (call.subAgent !== undefined && "result" in end) return;
  await endInPlace(task, conversation.id, { ...end, lastText: state.lastText });
}
