/**
 * Changes of a workflow graph (agents.md §19.1). A graph is a value: each change gives a new one, with an entry in its
 * audit log that says what was done.
 */

import type { Task } from "../../interp/index.ts";
import { newId } from "../../interp/index.ts";
import { Dict, equals, List, thrown, type Value } from "../../values/index.ts";
import { edgeOf, graphEdges, graphNodes, graphOf, nodeOf } from "../../work/index.ts";
import { type Argument, textOf } from "../arguments.ts";

interface WorkflowEdit {
  readonly op: string;
  readonly reason?: Value;
  readonly nodeId?: string;
  readonly metadata?: Dict;
}

function audited(task: Task, graph: Dict, change: WorkflowEdit): Dict {
  const log = graph.get("audit_log");
  const before = log instanceof List ? log.toArray() : [];
  const entry = Dict.of({
    id: newId(task),
    op: change.op,
    reason: change.reason ?? null,
    node_id: change.nodeId ?? null,
    timestamp: newId(task),
    metadata: change.metadata ?? new Dict(),
  });
  return graph.with("audit_log", new List([...before, entry]));
}

export function insertNode(task: Task, value: Argument, node: Argument, edges: Argument): Dict {
  const name = "workflow_insert_node";
  const graph = graphOf(task, name, value);
  const id = node instanceof Dict ? node.get("id") : undefined;
  if (typeof id !== "string" || id === "") throw thrown(`${name}: the node needs an 'id'`);
  if (graphNodes(graph).has(id)) throw thrown(`${name}: node already exists: ${id}`);
  const added = edgeList(edges).map((edge) => edgeOf(name, atNode(edge, id)));
  const changed = graph
    .with("nodes", graphNodes(graph).with(id, nodeOf(name, id, node)))
    .with("edges", new List([...graphEdges(graph), ...added]));
  return audited(task, changed, { op: "insert_node", nodeId: id });
}

function edgeList(edges: Argument): Value[] {
  if (edges === undefined || edges === null) return [];
  return edges instanceof List ? edges.toArray() : [edges];
}

/** An edge of which only one end is named has the new node at the other. */
function atNode(edge: Value, id: string): Value {
  if (!(edge instanceof Dict)) return edge;
  if (edge.has("from") && !edge.has("to")) return edge.with("to", id);
  return edge.has("to") && !edge.has("from") ? edge.with("from", id) : edge;
}

export function replaceNode(task: Task, value: Argument, id: Argument, node: Argument): Dict {
  const name = "workflow_replace_node";
  const graph = graphOf(task, name, value);
  const known = existingNode(name, graph, id);
  const changed = graph.with("nodes", graphNodes(graph).with(known, nodeOf(name, known, node)));
  return audited(task, changed, { op: "replace_node", nodeId: known });
}

function existingNode(name: string, graph: Dict, id: Argument): string {
  const text = textOf(id ?? undefined);
  if (graphNodes(graph).has(text)) return text;
  throw thrown(`${name}: unknown node: ${text}`);
}

/** What left a node on a branch (without one: on none) goes elsewhere. */
export function rewire(task: Task, value: Argument, from: Argument, to: Argument, branch: Argument): Dict {
  const name = "workflow_rewire";
  const graph = graphOf(task, name, value);
  const edge = edgeOf(name, Dict.of({ from: from ?? null, to: to ?? null, branch: branch ?? null }));
  const replaced = (other: Dict): boolean =>
    other.get("from") === edge.get("from") && equals(other.get("branch") ?? null, edge.get("branch") ?? null);
  const kept = graphEdges(graph).filter((other) => !replaced(other));
  const metadata = Dict.of({ to: edge.get("to"), branch: edge.get("branch") });
  const changed = graph.with("edges", new List([...kept, edge]));
  return audited(task, changed, { op: "rewire", nodeId: textOf(edge.get("from")), metadata });
}

type Setting = "model_policy" | "context_policy" | "auto_compact" | "output_visibility";

export function setOnNode(
  task: Task,
  setting: Setting,
  input: Argument,
  id: Argument,
  value: Argument,
): Dict {
  const name = `workflow_set_${setting}`;
  const graph = graphOf(task, name, input);
  const known = existingNode(name, graph, id);
  const node = (graphNodes(graph).get(known) as Dict).with(setting, value ?? null);
  const changed = graph.with("nodes", graphNodes(graph).with(known, node));
  return audited(task, changed, { op: `set_${setting}`, nodeId: known });
}

/** A graph of its own with the same content; its log begins with where it comes from. */
export function cloneGraph(task: Task, value: Argument): Dict {
  const graph = graphOf(task, "workflow_clone", value);
  const clone = graph.merge(Dict.of({ id: `workflow_${newId(task)}`, audit_log: new List([]) }));
  return audited(task, clone, { op: "clone", metadata: Dict.of({ source_id: graph.get("id") }) });
}

export function commitGraph(task: Task, value: Argument, reason: Argument): Dict {
  const graph = graphOf(task, "workflow_commit", value);
  return audited(task, graph, { op: "commit", reason: reason ?? null });
}

/** Whether two graphs do different things: ids and logs are not compared. */
export function diffGraphs(task: Task, left: Argument, right: Argument): Dict {
  const [a, b] = [left, right].map((graph) => graphOf(task, "workflow_diff", graph)) as [Dict, Dict];
  const content = (graph: Dict): Dict => graph.without("id").without("audit_log");
  return Dict.of({ changed: !sameContent(content(a), content(b)), left: a, right: b });
}

/** Equality in which, other than in the language's own, a closure is the same as itself. */
function sameContent(left: Value, right: Value): boolean {
  const todo: [Value, Value][] = [[left, right]];
  for (let pair = todo.pop(); pair !== undefined; pair = todo.pop()) {
    const [a, b] = pair;
    if (a instanceof Dict && b instanceof Dict) {
      if (a.size !== b.size || a.keys().some((key) => !b.has(key))) return false;
      for (const [key, value] of a.entries()) todo.push([value, b.get(key) as Value]);
    } else if (a instanceof List && b instanceof List) {
      if (a.length !== b.length) return false;
      for (const [index, value] of a.toArray().entries()) todo.push([value, b.at(index) as Value]);
    } else if (a !== b && !equals(a, b)) return false;
  }
  return true;
}
