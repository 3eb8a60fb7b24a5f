/** What happened to an event, as a graph: nodes and the edges between them, one record for each step. */
import type { Task } from "../../../interp/index.ts";
import { Dict, List } from "../../../values/index.ts";
import { happenedEdge, happenedNode } from "../../../work/index.ts";
import type { TriggerBinding } from "./binding.ts";
import { eventId, traceIdOf } from "./event.ts";
import { recordHeaders, type TriggerWorld } from "./world.ts";

export const graphTopic = "trigger.action_graph";

export type NodeKind = "trigger" | "predicate" | "dispatch" | "retry" | "dlq" | "worker_enqueue" | "a2a_hop";
export type EdgeKind = "trigger_dispatch" | "predicate_gate" | "retry" | "dlq_move" | "a2a_dispatch";

/** Draws the graph of one delivery as it happens. */
export class ActionGraph {
  private readonly world: TriggerWorld;
  private readonly binding: TriggerBinding;
  private readonly event: Dict;
  private last: string;
  private count = 0;

  constructor(task: Task, world: TriggerWorld, binding: TriggerBinding, event: Dict) {
    this.world = world;
    this.binding = binding;
    this.event = event;
    this.last = `trigger:${eventId(event)}`;
    this.write(task, [this.node(this.last, "trigger", binding.id, "received")], []);
  }

  /** A step that follows the last one. */
  step(task: Task, kind: Exclude<NodeKind, "trigger">, edge: EdgeKind, status: string): void {
    this.count++;
    const id = `${kind}:${eventId(this.event)}:${this.count}`;
    const link = happenedEdge(this.last, id, edge);
    this.last = id;
    this.write(task, [this.node(id, kind, this.binding.id, status)], [link]);
  }

  private node(id: string, kind: NodeKind, label: string, status: string): Dict {
    return happenedNode({ id, kind, label, status, trace_id: traceIdOf(this.event) });
  }

  private write(task: Task, nodes: Dict[], edges: Dict[]): void {
    const observability = Dict.of({
      action_graph_nodes: new List(nodes),
      action_graph_edges: new List(edges),
    });
    const headers = recordHeaders(this.binding, this.event);
    this.world.record(task, graphTopic, "action_graph_update", Dict.of({ observability }), headers);
  }
}
