/** Nodes and edges of what happened, in one shape for the records of runs and those of triggers (agents.md §19.2). */
import { Dict, type Value } from "../../../values/index.ts";

const noNode = {
  label: null,
  status: null,
  outcome: null,
  trace_id: null,
  stage_id: null,
  node_id: null,
  worker_id: null,
  run_id: null,
  run_path: null,
  metadata: null,
};

/** A node; what is not given is nil. */
export const happenedNode = (
  fields: { readonly id: string; readonly kind: string } & Partial<Record<keyof typeof noNode, Value>>,
): Dict => Dict.of({ ...noNode, ...fields });

/** An edge between two nodes, by their ids. */
export const happenedEdge = (from: string, to: string, kind: string, label: Value = null): Dict =>
  Dict.of({ from_id: from, to_id: to, kind, label });
