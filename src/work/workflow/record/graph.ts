/**
 * What a workflow graph is (agents.md §19.1): nodes by id and edges between them, as plain dicts. Normalising fills in what
 * is absent and keeps every other field, closures of tools among them, so a graph that is normalised again is the same.
 */

import type { Task } from "../../../interp/index.ts";
import { newId } from "../../../interp/index.ts";
import { at, row } from "../../../table/index.ts";
import { type Argument, Dict, List, thrown, type Value, withoutNilEntries } from "../../../values/index.ts";

/** The kinds of nodes, and whether a model or an agent works in them. */
export const nodeKinds: ReadonlyMap<string, "works" | "steers"> = new Map([
  ["stage", "works"],
  ["repair", "works"],
  ["subagent", "works"],
  ["verify", "steers"],
  ["condition", "steers"],
  ["fork", "steers"],
  ["join", "steers"],
  ["map", "steers"],
  ["reduce", "steers"],
  ["escalation", "steers"],
]);

export const nodeModes: readonly string[] = ["llm", "agent"];

/** A complete graph; `name` begins the errors. */
export function graphOf(task: Task, name: string, value: Argument): Dict {
  const fields = withoutNilEntries(row.dict(null).read(value ?? null, at(name, "graph")));
  const shape = fields.has("nodes") ? fields : describedFlow(name, fields);
  const nodes = graphNodesOf(name, shape.get("nodes"));
  const edges = edgesOf(name, shape.get("edges"));
  return Dict.of({
    name: "workflow",
    version: 1,
    capability_policy: null,
    approval_policy: null,
    metadata: new Dict(),
    audit_log: new List([]),
  })
    .merge(shape)
    .merge(
      Dict.of({
        _type: "workflow_graph",
        id: idOf(task, name, shape),
        entry: graphText(name, shape, "entry") ?? usualEntry(nodes, edges),
        nodes,
        edges: new List(edges),
      }),
    );
}

/** The first node that no edge leads to, in the order of their names; in a circle the first of all. */
function usualEntry(nodes: Dict, edges: readonly Dict[]): string {
  const reached = new Set(edges.map((edge) => edge.get("to")));
  const ids = nodes.keys();
  return ids.find((id) => !reached.has(id)) ?? ids[0] ?? "act";
}

const idOf = (task: Task, name: string, fields: Dict): string =>
  graphText(name, fields, "id") ?? `workflow_${newId(task)}`;

function graphText(name: string, fields: Dict, key: string): string | undefined {
  const value = fields.get(key) ?? null;
  return value === null ? undefined : row.filled().read(value, at(name, key));
}

// ── a description instead of nodes ────────────────────────────────────────────────────────────────────────────────

const flowSteps: readonly (readonly [id: string, kind: string])[] = [
  ["act", "stage"],
  ["verify", "verify"],
  ["repair", "repair"],
];

const flowEdges: readonly (readonly [from: string, to: string, branch: string | null])[] = [
  ["act", "verify", null],
  ["verify", "repair", "failed"],
  ["repair", "verify", "retry"],
];

/** A dict without nodes begins with `act`; `verify` and `repair` are nodes when it has them. */
function describedFlow(name: string, fields: Dict): Dict {
  const steps = flowSteps.filter(([id]) => id === "act" || fields.has(id));
  const nodes = steps.map(([id, kind]) => [id, describedNode(name, id, kind, fields)] as const);
  const known = new Set(steps.map(([id]) => id));
  const edges = flowEdges.filter(([from, to]) => known.has(from) && known.has(to));
  const rest = Dict.from([...fields.entries()].filter(([key]) => !known.has(key)));
  return Dict.of({
    entry: "act",
    edges: new List(edges.map(([from, to, branch]) => Dict.of({ from, to, branch }))),
  })
    .merge(rest)
    .with("nodes", Dict.from(nodes));
}

function describedNode(name: string, id: string, kind: string, fields: Dict): Dict {
  const own = row.dict(null).read(fields.get(id) ?? new Dict(), at(name, id));
  return Dict.of({ kind }).merge(own);
}

// ── nodes and edges ───────────────────────────────────────────────────────────────────────────────────────────────

function graphNodesOf(name: string, value: Argument): Dict {
  const nodes = row.dict(null).read(value ?? null, at(name, "nodes"));
  return Dict.from([...nodes.entries()].map(([id, node]) => [id, nodeOf(name, id, node)] as const));
}

export function nodeOf(name: string, id: string, value: Argument): Dict {
  const where = `${name}: node '${id}'`;
  const fields = withoutNilEntries(row.dict(null).read(value ?? null, at(where)));
  const kind = graphText(where, fields, "kind") ?? "stage";
  const mode = graphText(where, fields, "mode") ?? (nodeKinds.get(kind) === "works" ? "llm" : null);
  return Dict.of({ model_policy: new Dict(), context_policy: new Dict(), metadata: new Dict() })
    .merge(fields)
    .merge(Dict.of({ id, kind, mode }));
}

function edgesOf(name: string, value: Argument): Dict[] {
  if (value === undefined) return [];
  const edges = row.handle<List>("list").read(value, at(name, "edges"));
  return edges.toArray().map((edge) => edgeOf(name, edge));
}

export function edgeOf(name: string, value: Value): Dict {
  const edge = row.dict(null).read(value, at(name, "edge"));
  const end = (key: string): string => {
    const text = graphText(name, edge, key);
    if (text === undefined) throw thrown(`${name}: an edge needs '${key}'`);
    return text;
  };
  return Dict.of({ branch: null, label: null })
    .merge(edge)
    .merge(Dict.of({ from: end("from"), to: end("to") }));
}

export const graphNodes = (graph: Dict): Dict => graph.get("nodes") as Dict;

export const graphEdges = (graph: Dict): Dict[] => (graph.get("edges") as List).toArray() as Dict[];
