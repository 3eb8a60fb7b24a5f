/**
 * What can be seen of a run at a glance (agents.md §19.2), made from its stages and their transcripts: nobody writes it
 * down while the run goes on, so an old record shows as much as a new one.
 */
import { Dict, isInt, List, type Value } from "../../../values/index.ts";
import { shortcomings } from "../nodes/verification.ts";
import { happenedEdge, happenedNode } from "./graph-shapes.ts";
import { dictItemsOf, field, shownRecordValue } from "./record-fields.ts";

const version = 4;

export function observabilityOf(run: Dict): Dict {
  const stages = dictItemsOf(run, "stages");
  const perStage = (make: (stage: Dict, about: Record<string, Value>) => Dict[]): List =>
    new List(stages.flatMap((stage) => make(stage, aboutStage(stage))));
  return Dict.of({
    schema_version: version,
    planner_rounds: perStage((stage, about) => plannerRounds(run, stage, about)),
    action_graph_nodes: new List(observedNodes(run, stages)),
    action_graph_edges: new List(observedEdges(run, stages)),
    worker_lineage: perStage(artifactLineage),
    verification_outcomes: perStage(verifications),
    transcript_pointers: new List(pointers(run, stages)),
    compaction_events: perStage(compactions),
    daemon_events: perStage(daemonEvents),
  });
}

const aboutStage = (stage: Dict): Record<string, Value> => ({
  stage_id: field(stage, "id"),
  node_id: field(stage, "node_id"),
});

// ── the graph of what happened ────────────────────────────────────────────────────────────────────────────────────

const runId = (run: Dict): string => `run:${shownRecordValue(field(run, "id"))}`;
const stageId = (id: Value): string => `stage:${shownRecordValue(id)}`;

/** A condition is what others are behind. */
const nodeKind = (stage: Dict): string => (field(stage, "kind") === "condition" ? "predicate" : "stage");

const endFieldsOf = (of: Dict): { status: Value; outcome: Value } => ({
  status: field(of, "status"),
  outcome: field(of, "outcome"),
});

const workerNode = (run: Dict, stage: Dict, worker: Dict): Dict =>
  happenedNode({
    id: workerId(worker),
    kind: "worker",
    label: field(worker, "name"),
    ...endFieldsOf(childRunOf(run, worker) ?? worker),
    trace_id: traceOf(run),
    ...aboutStage(stage),
    worker_id: field(worker, "id"),
    run_id: provenanceField(worker, "run_id"),
    run_path: provenanceField(worker, "run_path"),
  });

function observedNodes(run: Dict, stages: readonly Dict[]): Dict[] {
  const trace = traceOf(run);
  const whole = happenedNode({
    id: runId(run),
    kind: "run",
    label: field(run, "workflow_name"),
    ...endFieldsOf(run),
    trace_id: trace,
    run_id: field(run, "id"),
    run_path: field(run, "persisted_path"),
  });
  return [
    whole,
    ...triggerNodes(run, trace),
    ...stages.flatMap((stage) => [
      happenedNode({
        id: stageId(field(stage, "id")),
        kind: nodeKind(stage),
        label: field(stage, "node_id"),
        ...endFieldsOf(stage),
        trace_id: trace,
        ...aboutStage(stage),
      }),
      ...recordedWorkersOf(stage).map((worker) => workerNode(run, stage, worker)),
    ]),
  ];
}

function observedEdges(run: Dict, stages: readonly Dict[]): Dict[] {
  const event = triggerEvent(run);
  const predicates = new Set(
    stages.filter((stage) => nodeKind(stage) === "predicate").map((s) => field(s, "id")),
  );
  const queue = new StageQueue(stages);
  const reached = new Set<Value>();
  const steps = dictItemsOf(run, "transitions").map((step) => {
    const left = field(step, "from_stage_id");
    const to = queue.take(shownRecordValue(field(step, "to_node_id"))) ?? field(step, "to_node_id");
    reached.add(to);
    const kind = predicates.has(left) ? "predicate_gate" : "transition";
    return happenedEdge(stageId(left), stageId(to), kind, field(step, "branch"));
  });
  const [source, kind] =
    event === null ? [runId(run), "entry"] : [triggerId(field(event, "id")), "trigger_dispatch"];
  return [
    ...triggerEdges(run),
    ...stages
      .filter((stage) => !reached.has(field(stage, "id")))
      .map((stage) => happenedEdge(source, stageId(field(stage, "id")), kind)),
    ...steps,
    ...stages.flatMap((stage) =>
      recordedWorkersOf(stage).map((worker) =>
        happenedEdge(stageId(field(stage, "id")), workerId(worker), "delegates"),
      ),
    ),
  ];
}

// ── what started it ───────────────────────────────────────────────────────────────────────────────────────────────

const triggerId = (event: Value): string => `trigger:${shownRecordValue(event)}`;

function metadataOf(run: Dict): Dict {
  const metadata = run.get("metadata");
  return metadata instanceof Dict ? metadata : new Dict();
}

function triggerEvent(run: Dict): Dict | null {
  const event = metadataOf(run).get("trigger_event");
  return event instanceof Dict ? event : null;
}

/** Of the event, else of the run. */
function traceOf(run: Dict): Value {
  const event = triggerEvent(run);
  return (event === null ? null : field(event, "trace_id")) ?? field(metadataOf(run), "trace_id");
}

/** The event, and before it the one that it is a replay of. */
function triggerNodes(run: Dict, trace: Value): Dict[] {
  const event = triggerEvent(run);
  if (event === null) return [];
  const label = [field(event, "provider"), field(event, "kind")]
    .filter((part) => part !== null)
    .map(shownRecordValue)
    .join(":");
  const shape = { kind: "trigger", label, trace_id: trace };
  const signature = event.get("signature_status");
  const outcome = signature instanceof Dict ? field(signature, "state") : null;
  const own = happenedNode({ ...shape, id: triggerId(field(event, "id")), status: "received", outcome });
  const original = field(event, "replay_of_event_id");
  if (original === null) return [own];
  return [
    happenedNode({ ...shape, id: triggerId(original), status: "historical", outcome: "replayed_from" }),
    own,
  ];
}

function triggerEdges(run: Dict): Dict[] {
  const event = triggerEvent(run);
  if (event === null) return [];
  const id = field(event, "id");
  const original = field(event, "replay_of_event_id");
  return [
    ...(original === null ? [] : [happenedEdge(triggerId(original), triggerId(id), "replay_chain")]),
    happenedEdge(runId(run), triggerId(id), "entry", id),
  ];
}

// ── workers of stages ─────────────────────────────────────────────────────────────────────────────────────────────

const workerId = (worker: Dict): string => `worker:${shownRecordValue(field(worker, "id"))}`;

function recordedWorkersOf(stage: Dict): Dict[] {
  const metadata = stage.get("metadata");
  const worker = metadata instanceof Dict ? metadata.get("worker") : null;
  return worker instanceof Dict ? [worker] : [];
}

/** A field of the worker's provenance. */
function provenanceField(worker: Dict, name: string): Value {
  const provenance = worker.get("provenance");
  return provenance instanceof Dict ? field(provenance, name) : null;
}

const childRunOf = (run: Dict, worker: Dict): Dict | undefined =>
  dictItemsOf(run, "child_runs").find(
    (child) => field(child, "worker_id") !== null && field(child, "worker_id") === field(worker, "id"),
  );

/** The stages of a node in order, for the transitions that led to them; the first stage was reached by none. */
class StageQueue {
  private readonly left: Map<string, Dict[]>;

  constructor(stages: readonly Dict[]) {
    this.left = Map.groupBy(stages.slice(1), (stage) => shownRecordValue(field(stage, "node_id")));
  }

  /** A join is reached several times and runs once: its last stage stays. */
  take(node: string): Value | undefined {
    const stages = this.left.get(node);
    const [stage] = stages ?? [];
    if (stages !== undefined && stages.length > 1 && field(stage as Dict, "kind") !== "join") stages.shift();
    return stage === undefined ? undefined : field(stage, "id");
  }
}

// ── of each stage ─────────────────────────────────────────────────────────────────────────────────────────────────

const messagesOf = (stage: Dict): Dict[] => dictItemsOf(field(stage, "transcript"), "messages");
const eventsOf = (stage: Dict): Dict[] => dictItemsOf(field(stage, "transcript"), "events");

function plannerRounds(run: Dict, stage: Dict, about: Record<string, Value>): Dict[] {
  const answers = messagesOf(stage).filter((message) => message.get("role") === "assistant");
  if (answers.length === 0) return [];
  const calls = dictItemsOf(run, "tool_recordings").filter(
    (call) => field(call, "stage_id") === field(stage, "id"),
  );
  const usage = field(stage, "usage");
  const turns = usage instanceof Dict ? usage.get("llm_calls") : null;
  const asked = isInt(turns) && turns > 0 ? turns : answers.length;
  const ended = (status: string): Dict[] => calls.filter((call) => field(call, "status") === status);
  const names = (of: readonly Dict[]): List =>
    new List([...new Set(of.map((call) => field(call, "tool_name")))]);
  const events = (kind: string): number =>
    eventsOf(stage).filter((event) => field(event, "kind") === kind).length;
  const rejected = ended("rejected").length;
  return [
    Dict.of({
      ...about,
      stage_kind: field(stage, "kind"),
      status: field(stage, "status"),
      outcome: field(stage, "outcome"),
      iteration_count: asked,
      llm_call_count: asked,
      tool_execution_count: calls.length - rejected,
      tool_rejection_count: rejected,
      intervention_count: events("runtime_feedback"),
      compaction_count: events("compaction"),
      tools_used: names(calls),
      successful_tools: names(ended("ok")),
    }),
  ];
}

const artifactLineage = (stage: Dict): Dict[] =>
  recordedWorkersOf(stage).map((worker) =>
    Dict.of({
      worker_id: field(worker, "id"),
      worker_name: field(worker, "name"),
      parent_stage_id: field(stage, "id"),
      task: field(worker, "task"),
      status: field(worker, "status"),
      session_id: provenanceField(worker, "session_id"),
      parent_session_id: provenanceField(worker, "parent_session_id"),
      run_id: provenanceField(worker, "run_id"),
      run_path: provenanceField(worker, "run_path"),
      snapshot_path: provenanceField(worker, "snapshot_path"),
    }),
  );

function verifications(stage: Dict, about: Record<string, Value>): Dict[] {
  const verification = stage.get("verification");
  if (!(verification instanceof Dict) || verification.get("kind") === "none") return [];
  const passed = field(verification, "ok");
  const found = shortcomings(verification);
  const summary = passed === true ? "passed" : found === "" ? "failed" : found;
  return [Dict.of({ ...about, status: field(stage, "status"), passed, summary })];
}

function pointers(run: Dict, stages: readonly Dict[]): Dict[] {
  const own = stages.flatMap((stage, index) => {
    if (!(stage.get("transcript") instanceof Dict)) return [];
    return [
      Dict.of({
        id: `${stageId(field(stage, "id"))}:transcript`,
        label: field(stage, "node_id"),
        kind: "embedded",
        location: `stages[${index}].transcript`,
        path: field(run, "persisted_path"),
        available: true,
      }),
    ];
  });
  const folder = field(metadataOf(run), "llm_transcript_dir");
  if (folder === null) return own;
  const written = Dict.of({
    id: `${runId(run)}:llm_transcript`,
    label: field(run, "workflow_name"),
    kind: "llm_transcript",
    location: folder,
    path: folder,
    available: true,
  });
  return [...own, written];
}

/** `available`: what was archived is still in the transcript. */
function compactions(stage: Dict, about: Record<string, Value>): Dict[] {
  const assets = new Set(
    dictItemsOf(field(stage, "transcript"), "assets").map((asset) => field(asset, "id")),
  );
  return eventsOf(stage)
    .filter((event) => event.get("kind") === "compaction")
    .map((event) => {
      const metadata = event.get("metadata");
      const fields = metadata instanceof Dict ? metadata : new Dict();
      const asset = field(fields, "snapshot_asset_id");
      return Dict.of(about)
        .merge(fields)
        .with("available", asset !== null && assets.has(asset));
    });
}

const daemonEvents = (stage: Dict, about: Record<string, Value>): Dict[] =>
  eventsOf(stage)
    .filter((event) => shownRecordValue(field(event, "kind")).startsWith("daemon"))
    .map((event) => Dict.of({ ...about, kind: field(event, "kind"), metadata: field(event, "metadata") }));
