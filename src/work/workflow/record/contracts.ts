/** What goes into a stage: what its context policy and its input contract let through, and whether that is enough. */
import type { Task } from "../../../interp/index.ts";
import { at, row } from "../../../table/index.ts";
import { Dict, List, textOf, thrown } from "../../../values/index.ts";
import { artifactKind } from "../../artifacts/record.ts";
import { selectArtifacts } from "../../artifacts/selection.ts";
import { inputContractFields } from "../../fields/workflow-fields.ts";
import { needsTranscript } from "../nodes/working-node.ts";
import type { WorkflowRun } from "../run.ts";
import type { Arrival } from "../schedule.ts";
import { field } from "./record-fields.ts";

/** The artifacts that a stage works from. */
export function inputsOf(task: Task, caller: string, run: WorkflowRun, node: Dict, arrival: Arrival): Dict[] {
  const offered = ownInputs(run, node, arrival);
  const chosen = selectArtifacts(task, caller, new List(offered), node.get("context_policy"));
  const kinds = inputContractOf(node).inputKinds.map((kind) => artifactKind(kind));
  const admitted =
    kinds.length === 0 ? chosen : chosen.filter((one) => kinds.includes(textOf(one.get("kind"))));
  return keepsOrder(node) ? offered.filter((one) => admitted.includes(one)) : admitted;
}

/** What puts parts together or goes through them takes them in the order in which they were made. */
const keepsOrder = (node: Dict): boolean => node.get("kind") === "reduce" || node.get("kind") === "map";

/** A map or a reduce works on what led to it; everybody else may see everything. */
function ownInputs(run: WorkflowRun, node: Dict, arrival: Arrival): Dict[] {
  const { offered } = run;
  if (!keepsOrder(node) || arrival.inputs.length === 0) return offered;
  const arrived = offered.filter((one) => arrival.inputs.includes(textOf(one.get("id"))));
  return arrived.length === 0 ? offered : arrived;
}

/** Throws what the stage lacks. */
export function checkInputs(node: Dict, selected: readonly Dict[], run: WorkflowRun): void {
  const contract = node.get("input_contract");
  if (contract === undefined || contract === null) return;
  const { minInputs: min, maxInputs: max } = inputContractOf(node);
  const count = selected.length;
  if (min !== null && count < min)
    throw thrown(`input_contract: at least ${min} inputs are needed, got ${count}`);
  if (max !== null && count > max)
    throw thrown(`input_contract: at most ${max} inputs are allowed, got ${count}`);
  const present = new Set(selected.map((one) => field(one, "kind")));
  const missing = inputContractOf(node).inputKinds.filter((kind) => !present.has(artifactKind(kind)));
  if (missing.length > 0) throw thrown(`input_contract: no input of kind ${missing.join(", ")}`);
  if (needsTranscript(node) && run.transcript === null)
    throw thrown("input_contract: a transcript is needed, and no stage before this one has left one");
}

const inputContractOf = (node: Dict) =>
  row.dict(inputContractFields).read(node.get("input_contract") ?? new Dict(), at("input_contract"));
