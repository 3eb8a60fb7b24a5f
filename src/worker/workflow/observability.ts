/**
 * What can be seen of a run at a glance (agents.md §19.2), made from its stages and their transcripts: nobody writes it
 * down while the run goes on, so an old record shows as much as a new one.
 */
import { Dict, isInt, List, type Value } from "../../values/index.ts";
import { dictsIn, field, shown } from "./record-fields.ts";

const version = 4;

export function observabilityOf(run: Dict): Dict {
  const stages = dictsIn(run, "stages");
  const perStage = (make: (stage: Dict, about: Record<string, Value>) => Dict[]): List =>
    new List(stages.flatMap((stage) => make(stage, aboutStage(stage))));
  return Dict.of({
    schema_version: version,
    planner_rounds: perStage((stage, about) => plannerRounds(run, stage, about)),
    action_graph_nodes: new List(graphNodes(run, stages)),
    action_graph_edges: new List(graphEdges(run, stages)),
    worker_lineage: perStage(lineage),
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

/** A condition is what others are behind. */
const nodeKind = (stage: Dict): string => (field(stage, "kind") === "condition" ? "predicate" : "stage");

function graphNodes(run: Dict, stages: readonly Dict[]): Dict[] {
  const trigger = triggerId(run);
  const about = (id: Value, kind: string, label: Value, of: Dict): Dict =>
    Dict.of({ id, kind, label, status: field(of, "status"), outcome: field(of, "outcome") });
  return [
    ...(trigger === null ? [] : [about(trigger, "trigger", triggerLabel(run), new Dict())]),
    about(field(run, "id"), "run", field(run, "workflow_name"), run),
    ...stages.map((stage) => about(field(stage, "id"), nodeKind(stage), field(stage, "node_id"), stage)),
  ];
}

function graphEdges(run: Dict, stages: readonly Dict[]): Dict[] {
  const edge = (from: Value, to: Value, kind: string, label: Value): Dict =>
    Dict.of({ from, to, kind, label });
  const trigger = triggerId(run);
  const [first] = stages;
  const predicates = new Set(
    stages.filter((stage) => nodeKind(stage) === "predicate").map((s) => field(s, "id")),
  );
  const reached = new StageQueue(stages);
  const steps = dictsIn(run, "transitions").map((step) => {
    const from = field(step, "from_stage_id");
    const to = reached.take(shown(field(step, "to_node_id"))) ?? field(step, "to_node_id");
    return edge(from, to, predicates.has(from) ? "predicate_gate" : "transition", field(step, "branch"));
  });
  return [
    ...(trigger === null ? [] : [edge(trigger, field(run, "id"), "trigger_dispatch", null)]),
    ...(first === undefined ? [] : [edge(field(run, "id"), field(first, "id"), "entry", null)]),
    ...steps,
  ];
}

/** The stages of a node in order, for the transitions that led to them; the first stage was reached by none. */
class StageQueue {
  private readonly left: Map<string, Dict[]>;

  constructor(stages: readonly Dict[]) {
    this.left = Map.groupBy(stages.slice(1), (stage) => shown(field(stage, "node_id")));
  }

  /** A join is reached several times and runs once: its last stage stays. */
  take(node: string): Value | undefined {
    const stages = this.left.get(node);
    const [stage] = stages ?? [];
    if (stages !== undefined && stages.length > 1 && field(stage as Dict, "kind") !== "join") stages.shift();
    return stage === undefined ? undefined : field(stage, "id");
  }
}

function triggerEvent(run: Dict): Dict | null {
  const metadata = run.get("metadata");
  const event = metadata instanceof Dict ? metadata.get("trigger_event") : null;
  return event instanceof Dict ? event : null;
}

function triggerId(run: Dict): Value {
  const event = triggerEvent(run);
  return event === null ? null : `trigger:${shown(field(event, "id"))}`;
}

function triggerLabel(run: Dict): Value {
  const event = triggerEvent(run) as Dict;
  return field(event, "kind") ?? field(event, "provider");
}

// ── of each stage ─────────────────────────────────────────────────────────────────────────────────────────────────

const messagesOf = (stage: Dict): Dict[] => dictsIn(field(stage, "transcript"), "messages");
const eventsOf = (stage: Dict): Dict[] => dictsIn(field(stage, "transcript"), "events");

function plannerRounds(run: Dict, stage: Dict, about: Record<string, Value>): Dict[] {
  const answers = messagesOf(stage).filter((message) => message.get("role") === "assistant");
  if (answers.length === 0) return [];
  const calls = dictsIn(run, "tool_recordings").filter(
    (call) => field(call, "stage_id") === field(stage, "id"),
  );
  const usage = field(stage, "usage");
  const turns = usage instanceof Dict ? usage.get("llm_calls") : null;
  return [
    Dict.of({
      ...about,
      rounds: isInt(turns) && turns > 0 ? turns : answers.length,
      tool_calls: calls.length,
      status: field(stage, "status"),
    }),
  ];
}

function lineage(stage: Dict, about: Record<string, Value>): Dict[] {
  const metadata = stage.get("metadata");
  const worker = metadata instanceof Dict ? metadata.get("worker") : null;
  if (!(worker instanceof Dict)) return [];
  const provenance = worker.get("provenance");
  const from = (name: string): Value => (provenance instanceof Dict ? field(provenance, name) : null);
  return [
    Dict.of({
      ...about,
      worker_id: field(worker, "id"),
      worker_name: field(worker, "name"),
      status: field(worker, "status"),
      parent_worker_id: from("parent_worker_id"),
      session_id: from("session_id"),
      snapshot_path: from("snapshot_path"),
      run_id: from("run_id"),
      run_path: from("run_path"),
    }),
  ];
}

function verifications(stage: Dict, about: Record<string, Value>): Dict[] {
  const verification = stage.get("verification");
  if (!(verification instanceof Dict) || verification.get("kind") === "none") return [];
  return [
    Dict.of({
      ...about,
      status: field(stage, "status"),
      passed: field(verification, "ok"),
      kind: field(verification, "kind"),
      checks: field(verification, "checks"),
    }),
  ];
}

function pointers(run: Dict, stages: readonly Dict[]): Dict[] {
  const own = stages.flatMap((stage, index) => {
    const transcript = stage.get("transcript");
    if (!(transcript instanceof Dict)) return [];
    return [
      Dict.of({
        ...aboutStage(stage),
        kind: "embedded",
        transcript_id: field(transcript, "id"),
        location: `stages[${index}].transcript`,
        message_count: dictsIn(transcript, "messages").length,
        available: true,
      }),
    ];
  });
  const metadata = run.get("metadata");
  const folder = metadata instanceof Dict ? (metadata.get("llm_transcript_dir") ?? null) : null;
  if (folder === null) return own;
  const written = Dict.of({
    stage_id: null,
    node_id: null,
    kind: "llm_transcript",
    transcript_id: null,
    location: folder,
    message_count: null,
    available: true,
  });
  return [...own, written];
}

/** `available`: what was archived is still in the transcript. */
function compactions(stage: Dict, about: Record<string, Value>): Dict[] {
  const assets = new Set(dictsIn(field(stage, "transcript"), "assets").map((asset) => field(asset, "id")));
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
    .filter((event) => shown(field(event, "kind")).startsWith("daemon"))
    .map((event) => Dict.of({ ...about, kind: field(event, "kind"), metadata: field(event, "metadata") }));
