/**
 * How two runs differ (agents.md §19.2). They are identical when status and stages are: status, outcome, branch and kinds
 * of artifacts of each, not ids or times. Tools and observability are counted beside that.
 */
import { type Argument, Dict, List } from "../../values/index.ts";
import { artifactKinds, dictItemsOf, field, needRun, shown, stagesByPlace } from "../../work/index.ts";

export function diffRuns(leftInput: Argument, rightInput: Argument): Dict {
  const left = needRun("run_record_diff", leftInput);
  const right = needRun("run_record_diff", rightInput);
  const stages = stageDiffs(left, right);
  const statusChanged = field(left, "status") !== field(right, "status");
  const delta = (key: string): number => dictItemsOf(right, key).length - dictItemsOf(left, key).length;
  return Dict.of({
    left_run_id: field(left, "id"),
    right_run_id: field(right, "id"),
    identical: !statusChanged && stages.length === 0,
    status_changed: statusChanged,
    left_status: field(left, "status"),
    right_status: field(right, "status"),
    stage_diffs: new List(stages),
    tool_diffs: new List(toolDiffs(left, right)),
    observability_diffs: new List(observabilityDiffs(left, right)),
    transition_count_delta: delta("transitions"),
    artifact_count_delta: delta("artifacts"),
    checkpoint_count_delta: delta("checkpoints"),
  });
}

function stageDiffs(left: Dict, right: Dict): Dict[] {
  const before = stagesByPlace(left);
  const after = stagesByPlace(right);
  const places = [...new Set([...before.keys(), ...after.keys()])];
  return places.flatMap((place) => {
    const [a, b] = [before.get(place), after.get(place)];
    if (a === undefined || b === undefined)
      return [stageDiff(place, a === undefined ? "added" : "removed", [])];
    const details = stageDetails(a, b);
    return details.length === 0 ? [] : [stageDiff(place, "changed", details)];
  });
}

const stageDiff = (place: string, change: string, details: string[]): Dict =>
  Dict.of({ node_id: place, change, details: new List(details) });

function stageDetails(left: Dict, right: Dict): string[] {
  const said = (stage: Dict): [string, string][] => [
    ...["status", "outcome", "branch"].map((key): [string, string] => [key, shown(field(stage, key))]),
    ["artifact kinds", artifactKinds(stage).join(", ")],
  ];
  const after = new Map(said(right));
  return said(left)
    .filter(([what, text]) => after.get(what) !== text)
    .map(([what, text]) => `${what}: ${text} -> ${after.get(what)}`);
}

/** Tools that were called more or less often. */
function toolDiffs(left: Dict, right: Dict): Dict[] {
  const calls = (run: Dict) =>
    Map.groupBy(dictItemsOf(run, "tool_recordings"), (call) => shown(field(call, "tool_name")));
  const [before, after] = [calls(left), calls(right)];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names
    .map((name) => diffCounts("tool_name", name, before.get(name)?.length ?? 0, after.get(name)?.length ?? 0))
    .filter(countsDiffer);
}

const sections = [
  "planner_rounds",
  "action_graph_nodes",
  "action_graph_edges",
  "worker_lineage",
  "verification_outcomes",
  "transcript_pointers",
  "compaction_events",
  "daemon_events",
];

function observabilityDiffs(left: Dict, right: Dict): Dict[] {
  const size = (run: Dict, section: string) => dictItemsOf(run.get("observability"), section).length;
  return sections
    .map((section) => diffCounts("section", section, size(left, section), size(right, section)))
    .filter(countsDiffer);
}

const diffCounts = (key: string, name: string, left: number, right: number): Dict =>
  Dict.of({ [key]: name, left_count: left, right_count: right });

const countsDiffer = (entry: Dict): boolean => entry.get("left_count") !== entry.get("right_count");
