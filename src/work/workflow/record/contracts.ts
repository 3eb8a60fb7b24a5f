/** What goes into a stage: what its context policy and its input contract let through, and whether that is enough. */
import type { Task } from "../../../interp/index.ts";
import { Dict, isInt, List, option, textOf, thrown, typeOf } from "../../../values/index.ts";
import { artifactKind } from "../../artifacts/record.ts";
import { selectArtifacts } from "../../artifacts/selection.ts";
import { needsTranscript } from "../nodes/working-node.ts";
import type { WorkflowRun } from "../run.ts";
import type { Arrival } from "../schedule.ts";
import { field } from "./record-fields.ts";

/** The artifacts that a stage works from. */
export function inputsOf(task: Task, caller: string, run: WorkflowRun, node: Dict, arrival: Arrival): Dict[] {
  const offered = ownInputs(run, node, arrival);
  const chosen = selectArtifacts(task, caller, new List(offered), node.get("context_policy"));
  const kinds = textsOf(node, "input_kinds").map((kind) => artifactKind(kind));
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
  if (!(contract instanceof Dict)) throw thrown(`input_contract must be a dict, got ${typeOf(contract)}`);
  const min = contractBound(contract, "min_inputs");
  const max = contractBound(contract, "max_inputs");
  const count = selected.length;
  if (min !== null && count < min)
    throw thrown(`input_contract: at least ${min} inputs are needed, got ${count}`);
  if (max !== null && count > max)
    throw thrown(`input_contract: at most ${max} inputs are allowed, got ${count}`);
  const present = new Set(selected.map((one) => field(one, "kind")));
  const missing = textsOf(node, "input_kinds").filter((kind) => !present.has(artifactKind(kind)));
  if (missing.length > 0) throw thrown(`input_contract: no input of kind ${missing.join(", ")}`);
  if (needsTranscript(node) && run.transcript === null)
    throw thrown("input_contract: a transcript is needed, and no stage before this one has left one");
}

function contractBound(contract: Dict, name: string): number | null {
  const value = option(contract, name);
  if (value === undefined) return null;
  if (isInt(value) && value >= 0) return Number(value);
  throw thrown(`input_contract.${name} must be an int of at least 0, got ${textOf(value)}`);
}

function textsOf(node: Dict, name: string): string[] {
  const value = option(node.get("input_contract"), name);
  return value instanceof List ? value.toArray().map((item) => textOf(item)) : [];
}
