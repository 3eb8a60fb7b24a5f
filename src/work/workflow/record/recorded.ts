/** Runs that were recorded: taken up where they stopped, or their stages given once more. */
import type { Task } from "../../../interp/index.ts";
import { Dict, thrown, type Value } from "../../../values/index.ts";
import { WorkflowRun } from "../run.ts";
import type { Arrival } from "../schedule.ts";
import { graphNodes } from "./graph.ts";
import { usualPath } from "./persist.ts";
import { dictItemsOf, field, shownRecordValue, stagesByPlace } from "./record-fields.ts";

export interface ResumedFrom {
  readonly record: Dict;
  readonly graph: Dict;
  /** The task now; the record's own when it is empty. */
  readonly about: string;
  readonly inputs: readonly Dict[];
  readonly path: string | null;
}

/** The run of a record, after its last stage: it keeps its id, its stages are not done again. */
export async function resumedRun(task: Task, caller: string, from: ResumedFrom): Promise<WorkflowRun> {
  const { record, graph } = from;
  const id = shownRecordValue(field(record, "id"));
  const text = (name: string): string | null => {
    const value = field(record, name);
    return typeof value === "string" ? value : null;
  };
  const metadata = field(record, "metadata");
  const run = new WorkflowRun({
    id,
    about: from.about === "" ? (text("task") ?? "") : from.about,
    graph,
    path: from.path ?? text("persisted_path") ?? (await usualPath(task, id)),
    parentRun: text("parent_run_id"),
    rootRun: text("root_run_id"),
    startedAt: text("started_at") ?? "",
    metadata: metadata instanceof Dict ? metadata.without("llm_transcript_dir") : new Dict(),
    inputs: [...dictItemsOf(record, "artifacts"), ...from.inputs],
    transcript: field(record, "transcript"),
  });
  for (const stage of dictItemsOf(record, "stages")) takeStage(caller, run, stage);
  run.transitions.push(...dictItemsOf(record, "transitions"));
  run.checkpoints.push(...dictItemsOf(record, "checkpoints"));
  run.childRuns.push(...dictItemsOf(record, "child_runs"));
  run.toolRecordings.push(...dictItemsOf(record, "tool_recordings"));
  run.spans.push(...dictItemsOf(record, "trace_spans"));
  run.questions.push(...dictItemsOf(record, "hitl_questions"));
  run.undone = undoneAt(metadata);
  const spent = metadata instanceof Dict ? metadata.get("spent") : null;
  if (spent instanceof Dict) run.spentBefore = spent;
  return run;
}

function takeStage(caller: string, run: WorkflowRun, stage: Dict): void {
  const node = shownRecordValue(field(stage, "node_id"));
  const arrival = run.schedule.next();
  if (arrival?.node === node) {
    run.add(stage);
    return;
  }
  const there = graphNodes(run.start.graph).has(node);
  const why = there ? `leads to ${arrival?.node ?? "no node"} instead` : "has no such node";
  throw thrown(
    `${caller}: the record is of another workflow: its stage ${shownRecordValue(field(stage, "id"))} ran node ${node}, and the graph ${why}`,
  );
}

function undoneAt(metadata: Value): WorkflowRun["undone"] {
  const at = metadata instanceof Dict ? metadata.get("undone") : null;
  if (!(at instanceof Dict)) return null;
  const session = field(at, "session_id");
  return {
    node: shownRecordValue(field(at, "node_id")),
    session: typeof session === "string" ? session : null,
  };
}

/** What a node did in the run that is replayed, as a stage of this one. */
export function recordedStage(caller: string, run: WorkflowRun, replay: Dict, arrival: Arrival): Dict {
  const { node } = arrival;
  const round = run.roundsOf(node) + 1;
  const recorded = stagesByPlace(replay).get(round === 1 ? node : `${node}#${round}`);
  if (recorded === undefined)
    throw thrown(
      `${caller}: the run that is replayed has no stage for node ${node}${round === 1 ? "" : ` (${round})`}`,
    );
  return recorded.with("id", `${run.id}:${node}:${round}`);
}
