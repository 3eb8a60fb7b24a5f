/**
 * A workflow as one cycle of a worker. A cycle after a suspended stage, or after a run that stopped at its limit of steps, goes
 * on with the record of the run before (`carry.resume_workflow: false`: the latter begins anew); every other one is a run
 * of its own, from what the carry says is taken along.
 */

import { newTranscript, transcriptMessages, withMessages } from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import { conversations, spokenOrigin } from "../../model/index.ts";
import { Dict, List, type Value } from "../../values/index.ts";
import type { CycleEnd, Worker } from "./worker.ts";

/** What the plan of such a worker knows. */
export interface WorkflowWork {
  readonly graph: Dict;
  readonly options: Dict;
  readonly artifacts: readonly Dict[];
  readonly transcript: Dict | null;
}

/** Messages that `transcript_mode: "compact"` keeps. */
const keptByCompact = 2;

export async function runWorkflowCycle(
  task: Task,
  worker: Worker,
  about: string,
  work: WorkflowWork,
): Promise<CycleEnd> {
  const { executeWorkflow } = await task.runtime.effects.turns.hold(import("../workflow/execute.ts"));
  const before = worker.result?.get("status");
  const suspended = before === "suspended";
  if (suspended) emitSuspendedStage(task, worker, about);
  const resumes = suspended || (before === "paused" && worker.plan.carry.resumeWorkflow);
  const known = new Set(worker.artifacts.map(idOf));
  const result = await executeWorkflow(task, {
    caller: "spawn_agent",
    about: suspended ? "" : about,
    graph: work.graph,
    artifacts: new List([...(resumes ? [] : cycleInputsOf(worker, work))]),
    options: resumes
      ? work.options.with("resume_run", worker.result?.get("run") ?? null)
      : work.options.with("transcript", transcriptFor(worker, work)),
  });
  return endOf(worker, result, known);
}

function endOf(worker: Worker, result: Dict, known: ReadonlySet<Value>): CycleEnd {
  const run = result.get("run") as Dict;
  const status = String(result.get("status"));
  worker.childRun = { id: String(run.get("id")), path: String(result.get("path")) };
  worker.transcript = result.get("transcript") ?? null;
  // A suspended stage has said whose conversation goes on (suspension/suspension-port.ts).
  if (status !== "suspended") worker.session = worker.plan.session;
  const artifacts = result.get("artifacts") as List;
  return {
    status: status === "suspended" ? "suspended" : status === "failed" ? "failed" : "completed",
    payload: result,
    artifacts: artifacts.toArray().filter((artifact) => !known.has(idOf(artifact))),
    error: status === "failed" ? "the workflow failed" : null,
    text: lastStageText(run),
  };
}

const idOf = (artifact: Value): Value => (artifact instanceof Dict ? (artifact.get("id") ?? null) : null);

function lastStageText(run: Dict): string {
  const stages = run.get("stages");
  const last = stages instanceof List ? stages.toArray().at(-1) : undefined;
  return last instanceof Dict ? String(last.get("visible_text") ?? "") : "";
}

/** The stage goes on in its conversation by itself; what somebody gave along stands before that. */
function emitSuspendedStage(task: Task, worker: Worker, about: string): void {
  if (about === usualInput) return;
  task.runtime.state(conversations).get(worker.session)?.say({ role: "user", content: about }, spokenOrigin);
}

/** What a stage that goes on is told anyway. */
const usualInput = "Go on with your task.";

function cycleInputsOf(worker: Worker, { artifacts }: WorkflowWork): readonly Value[] {
  if (worker.plan.carry.artifactMode !== "inherit" || worker.artifacts.length === 0) return artifacts;
  return worker.artifacts;
}

/** What a further run begins with. */
function transcriptFor(worker: Worker, { transcript }: WorkflowWork): Value {
  const before = worker.transcript;
  if (!(before instanceof Dict)) return transcript;
  const messages = transcriptMessages(before);
  switch (worker.plan.carry.transcriptMode) {
    case "reset":
      return null;
    case "fork": {
      const id = String(before.get("id"));
      const copy = newTranscript(`${id}:${worker.history.length}`, Dict.of({ parent_transcript_id: id }));
      return withMessages(copy, messages);
    }
    case "compact":
      return withMessages(before, messages.slice(-keptByCompact));
    case "inherit":
      return before;
  }
}
