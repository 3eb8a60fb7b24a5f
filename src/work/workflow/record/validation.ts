/**
 * Whether a workflow graph can run (agents.md §19.1): ends of edges, kinds, what can be reached, and policies that ask for
 * more than a ceiling grants. Everything that is wrong is said at once.
 */
import { type CapabilityPolicy, checkWithin, readPolicy } from "../../../agent/index.ts";
import type { Task } from "../../../interp/index.ts";
import { at } from "../../../table/index.ts";
import { type Argument, Dict, List, option, ScriptError, textOf, type Value } from "../../../values/index.ts";
import { graphEdges, graphNodes, graphOf, nodeKinds, nodeModes } from "./graph.ts";

/** `{valid, errors, warnings, reachable_nodes}` of a complete graph. */
export function validation(graph: Dict, ceiling: Argument): Dict {
  const nodes = graphNodes(graph);
  const reachable = reachableFrom(textOf(graph.get("entry")), graph);
  const errors = graphErrors(graph, ceilingsOf(ceiling ?? null));
  const warnings =
    reachable.size === 0
      ? []
      : nodes
          .keys()
          .filter((id) => !reachable.has(id))
          .map((id) => `node is unreachable: ${id}`);
  return Dict.of({
    valid: errors.length === 0,
    errors: new List(errors),
    warnings: new List(warnings),
    reachable_nodes: new List([...reachable]),
  });
}

/** The nodes that the entry leads to, itself among them, in the order of discovery. */
function reachableFrom(entry: string, graph: Dict): Set<string> {
  const nodes = graphNodes(graph);
  if (!nodes.has(entry)) return new Set();
  const leaving = Map.groupBy(graphEdges(graph), (edge) => textOf(edge.get("from")));
  const found = new Set([entry]);
  for (const id of found) {
    for (const edge of leaving.get(id) ?? []) {
      const to = textOf(edge.get("to"));
      if (nodes.has(to)) found.add(to);
    }
  }
  return found;
}

function structureErrors(graph: Dict): string[] {
  const nodes = graphNodes(graph);
  const entry = textOf(graph.get("entry"));
  const errors = nodes.has(entry) ? [] : [`entry node does not exist: ${entry}`];
  for (const edge of graphEdges(graph)) {
    for (const end of ["from", "to"]) {
      const id = textOf(edge.get(end));
      if (!nodes.has(id)) errors.push(`edge.${end} references unknown node: ${id}`);
    }
  }
  for (const [id, node] of nodes.entries()) errors.push(...nodeErrors(id, node as Dict));
  return errors;
}

function nodeErrors(id: string, node: Dict): string[] {
  const errors: string[] = [];
  const kind = textOf(node.get("kind"));
  const mode = node.get("mode") ?? null;
  if (!nodeKinds.has(kind)) errors.push(`node ${id} has an unknown kind: ${kind}`);
  if (mode !== null && !nodeModes.includes(textOf(mode)))
    errors.push(`node ${id} has an unknown mode: ${textOf(mode)}`);
  for (const { what, value, known } of choicesText(node))
    if (value !== undefined && !known.includes(textOf(value)))
      errors.push(`node ${id} has an unknown ${what}: ${textOf(value)}; there are ${known.join(", ")}`);
  return errors;
}

interface OptionChoice {
  readonly what: string;
  readonly value: Argument;
  readonly known: readonly string[];
}

/** Fields that take one of a few words. */
const choicesText = (node: Dict): OptionChoice[] => [
  { what: "branch_semantics", value: option(node, "branch_semantics"), known: ["all", "first"] },
  {
    what: "join strategy",
    value: option(node.get("join_policy"), "strategy"),
    known: ["all", "first", "quorum"],
  },
  {
    what: "output_visibility",
    value: option(node, "output_visibility"),
    known: ["public", "internal", "private"],
  },
];

// ── policies ──────────────────────────────────────────────────────────────────────────────────────────────────────

function ceilingsOf(value: Value): CapabilityPolicy[] {
  const ceiling = readPolicy(value, at("workflow ceiling"));
  return ceiling === null ? [] : [ceiling];
}

/** Everything that keeps a graph from running under these ceilings. */
export const graphErrors = (graph: Dict, ceilings: readonly CapabilityPolicy[]): string[] => [
  ...structureErrors(graph),
  ...policyErrors(graph, ceilings),
];

function policyErrors(graph: Dict, ceilings: readonly CapabilityPolicy[]): string[] {
  const owners: [string, Value][] = [["workflow", graph.get("capability_policy") ?? null]];
  for (const [id, node] of graphNodes(graph).entries())
    owners.push([`node ${id}`, (node as Dict).get("capability_policy") ?? null]);
  return owners.flatMap(([owner, policy]) => excess(owner, policy, ceilings));
}

/** What is wrong with one policy: itself, or what it asks for beyond the ceilings. */
function excess(owner: string, asked: Value, ceilings: readonly CapabilityPolicy[]): string[] {
  return failureOf(
    () => readPolicy(asked, at(owner, "capability_policy")),
    (text) => text,
    (policy) =>
      policy === null
        ? []
        : ceilings.flatMap((ceiling) =>
            failureOf(
              () => checkWithin(ceiling, policy, ""),
              (text) => `${owner} exceeds the host ceiling: ${text}`,
              () => [],
            ),
          ),
  );
}

/** The text that `look` throws, put into words, else what follows from its result. */
function failureOf<T>(
  look: () => T,
  words: (text: string) => string,
  next: (found: T) => string[],
): string[] {
  let found: T;
  try {
    found = look();
  } catch (error) {
    if (error instanceof ScriptError) return [words(textOf(error.value))];
    throw error;
  }
  return next(found);
}

// ── reports ───────────────────────────────────────────────────────────────────────────────────────────────────────

export function inspection(task: Task, value: Argument, ceiling: Argument): Dict {
  const graph = graphOf(task, "workflow_inspect", value);
  return Dict.of({
    graph,
    validation: validation(graph, ceiling),
    node_count: graphNodes(graph).size,
    edge_count: graphEdges(graph).length,
  });
}

export function policyReport(task: Task, value: Argument, ceiling: Argument): Dict {
  const graph = graphOf(task, "workflow_policy_report", value);
  const nodes = [...graphNodes(graph).entries()].map(([id, node]) => {
    const field = (name: string): Value => (node as Dict).get(name) ?? null;
    return Dict.of({
      node_id: id,
      capability_policy: field("capability_policy"),
      approval_policy: field("approval_policy"),
    });
  });
  return Dict.of({
    validation: validation(graph, ceiling),
    workflow_policy: graph.get("capability_policy") ?? null,
    nodes: new List(nodes),
    ceiling: ceiling ?? null,
  });
}
