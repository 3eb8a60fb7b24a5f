/** Workflow graphs: made, changed, compared and checked (agents.md §19.1). */
import { compactionFields, loopFields, policyFields } from "../../agent/index.ts";
import { type BuiltinDeclaration, defineBuiltins, type FieldTable, keysOf } from "../../table/index.ts";
import {
  contextPolicyFields,
  graphFields,
  graphOf,
  inspection,
  loadWorkflows,
  policyReport,
  validation,
  workflowNodeFields,
  workflowRunFields,
} from "../../work/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { wireWorkers } from "./worker-ports.ts";
import {
  cloneGraph,
  commitGraph,
  diffGraphs,
  insertNode,
  replaceNode,
  rewire,
  setOnNode,
} from "./workflow-edits.ts";

const setter = (
  setting: "model_policy" | "context_policy" | "auto_compact" | "output_visibility",
  type: string,
  table?: () => FieldTable,
): BuiltinDeclaration => ({
  doc: `The graph with another \`${setting}\` of one node.`,
  sig: `(graph: dict, node_id: string, ${setting}!: ${type}) -> dict`,
  ...(table === undefined ? {} : { fields: { [setting]: table } }),
  effect: "state",
  run: (task, graph: Argument, id: Argument, value: Argument) => setOnNode(task, setting, graph, id, value),
});

export const workflows = defineBuiltins(
  "workflows",
  {
    workflow_execute: {
      effect: "state",
      performs: true,
      suspends: "may",
      capability: "model fs.write",
      doc: "Runs a workflow, one node after the other: `{status, artifacts, transcript, run, path}`. `status` is `completed`, `paused` (`max_steps` are over) or `suspended` (an agent was parked); what goes wrong in a node is how its stage ended. The run record is on disk after every stage: `persist_path`, else `.harn-runs/ID.json`. Options: `max_steps`, `persist_path`, `resume_run` or `resume_path` (go on where a record stops), `replay_run` or `replay_path` (take the stages from a record), `replay_mode`, `parent_run_id`, `trigger_event`, `audit`, `transcript`, `execution`, `policy`, `approval_policy`, and for the whole run `budget.total_budget_usd` and `limits.tokens` (it pauses before what it can't pay); every other one is an option of the stages' loops, and `model_policy` of a node outranks it.",
      sig: "(task: string, graph: dict, artifacts: list<dict> | nil = nil, options: dict? = nil) -> dict",
      fields: { graph: () => graphFields, options: () => workflowRunFields },
      run: async (task, about: Argument, graph: Argument, artifacts: Argument, options: Argument) => {
        const { executeWorkflow } = await task.runtime.effects.turns.hold(loadWorkflows());
        const caller = "workflow_execute";
        wireWorkers(task);
        return executeWorkflow(task, {
          caller,
          about: textOf(about ?? undefined),
          graph,
          artifacts,
          options,
        });
      },
    },
    workflow_graph: {
      doc: "A complete graph: `{_type, id, name, version, entry, nodes, edges, capability_policy, approval_policy, metadata, audit_log}`. Nodes get `id`, `kind` (stage) and `mode`; a dict without `nodes` describes a flow by `act`, `verify` and `repair`.",
      sig: "(graph: dict) -> dict",
      effect: "state",
      example: "workflow_graph({nodes: {a: {}}}).entry  // a",
      fields: { graph: () => graphFields },
      run: (task, graph: Argument) => graphOf(task, "workflow_graph", graph),
    },
    workflow_validate: {
      doc: "Whether a graph can run: `{valid, errors, warnings, reachable_nodes}`. A ceiling is a capability policy that no policy of the graph may exceed.",
      sig: "(graph: dict, ceiling: dict? = nil) -> dict",
      effect: "state",
      example: 'workflow_validate({entry: "b", nodes: {a: {}}}).errors  // [entry node does not exist: b]',
      fields: { graph: () => graphFields, ceiling: () => policyFields },
      resultKeys: () => keysOf("valid", "errors", "warnings", "reachable_nodes"),
      run: (task, graph: Argument, ceiling: Argument) =>
        validation(graphOf(task, "workflow_validate", graph), ceiling),
    },
    workflow_inspect: {
      doc: "`{graph, validation, node_count, edge_count}` of a graph.",
      sig: "(graph: dict, ceiling: dict? = nil) -> dict",
      effect: "state",
      example: "workflow_inspect({nodes: {a: {}}}).node_count  // 1",
      fields: { graph: () => graphFields, ceiling: () => policyFields },
      run: inspection,
    },
    workflow_policy_report: {
      doc: "The policies of a graph and of its nodes: `{validation, workflow_policy, nodes: [{node_id, capability_policy, approval_policy}], ceiling}`.",
      sig: "(graph: dict, ceiling: dict? = nil) -> dict",
      effect: "state",
      example: "workflow_policy_report({nodes: {a: {}}}).nodes[0].node_id  // a",
      fields: { graph: () => graphFields, ceiling: () => policyFields },
      run: policyReport,
    },
    workflow_insert_node: {
      doc: "The graph with one node more, and with edges; an edge that names one end has the new node at the other.",
      sig: "(graph: dict, node: dict, edges: dict | list<dict> | nil = nil) -> dict",
      effect: "state",
      example: 'len(workflow_insert_node({nodes: {a: {}}}, {id: "b"}, {from: "a"}).edges)  // 1',
      fields: { node: () => workflowNodeFields },
      run: insertNode,
    },
    workflow_replace_node: {
      doc: "The graph with another node of the same id.",
      sig: "(graph: dict, node_id: string, node: dict) -> dict",
      effect: "state",
      example: 'workflow_replace_node({nodes: {a: {}}}, "a", {kind: "verify"}).nodes.a.kind  // verify',
      fields: { node: () => workflowNodeFields },
      run: replaceNode,
    },
    workflow_rewire: {
      doc: "The graph in which the edges from a node on a branch (nil: those without one) are replaced by one to another node.",
      sig: "(graph: dict, from: string, to: string, branch: string? = nil) -> dict",
      effect: "state",
      example: 'workflow_rewire({nodes: {a: {}, b: {}}}, "a", "b").edges[0].to  // b',
      run: rewire,
    },
    workflow_set_model_policy: setter("model_policy", "dict", () => loopFields),
    workflow_set_context_policy: setter("context_policy", "dict", () => contextPolicyFields),
    workflow_set_auto_compact: setter("auto_compact", "dict | bool | nil", () => compactionFields),
    workflow_set_output_visibility: setter("output_visibility", "string?"),
    workflow_clone: {
      doc: "A graph of its own id with the same content; its audit log begins with the source.",
      sig: "(graph: dict) -> dict",
      effect: "state",
      example: 'workflow_clone({id: "w", nodes: {a: {}}}).audit_log[0].metadata  // {source_id: w}',
      run: cloneGraph,
    },
    workflow_commit: {
      doc: "The graph with an entry in its audit log: `{id, op: commit, reason, node_id, timestamp, metadata}`.",
      sig: "(graph: dict, reason: string? = nil) -> dict",
      effect: "state",
      example: 'workflow_commit({nodes: {a: {}}}, "done").audit_log[0].reason  // done',
      run: commitGraph,
    },
    workflow_diff: {
      doc: "Whether two graphs differ, but for ids and audit logs: `{changed, left, right}`.",
      sig: "(left: dict, right: dict) -> dict",
      effect: "state",
      example: "workflow_diff({nodes: {a: {}}}, {nodes: {a: {}}}).changed  // false",
      run: diffGraphs,
    },
  },
  {
    artifacts: "artifacts",
    graph: "a graph, as `workflow_graph` gives it",
    edges: "edges of the graph",
    left: "a graph or record",
    right: "a graph or record",
  },
);
