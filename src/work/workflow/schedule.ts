/**
 * Which node runs next: a queue of arrivals, the joins that wait for theirs, and the edges that lead on.
 *
 * Pure, and a function of the graph and of how the stages ended: a run that goes on later tells a new schedule the stages
 * of its record, in order, and is where it was. One node runs at a time, in the order in which edges reached them.
 */
import { Dict, isInt, type Value } from "../../values/index.ts";
import { graphEdges, graphNodes } from "./record/graph.ts";

/** A node that may run, and why. */
export interface Arrival {
  readonly node: string;
  /** What was made on the way here. */
  readonly inputs: readonly string[];
  /** Nodes that a join waited for in vain. */
  readonly missing: readonly string[];
}

/** What the schedule wants to know of a stage that is over. */
export interface EndedStage {
  readonly id: string;
  readonly node: string;
  readonly branch: string | null;
  readonly failed: boolean;
  readonly consumed: readonly string[];
  readonly produced: readonly string[];
}

/** An edge that was followed. */
export interface StageStep {
  readonly from: EndedStage;
  readonly to: string;
}

interface Waiting {
  readonly arrived: Set<string>;
  readonly inputs: string[];
  /** Sources that the last firing did not wait for: their next arrival belongs to the past. */
  late: ReadonlySet<string>;
}

/** Kinds that only steer hand on what they were given. */
const passing: ReadonlySet<string> = new Set(["condition", "fork", "join", "escalation"]);

export class Schedule {
  private readonly graph: Dict;
  private readonly queue: Arrival[] = [];
  private readonly joins = new Map<string, Waiting>();
  private readonly runs = new Map<string, number>();
  private readonly leaving: ReadonlyMap<string, Dict[]>;
  private readonly sources = new Map<string, Set<string>>();
  private current: Arrival | undefined = undefined;

  constructor(graph: Dict) {
    this.graph = graph;
    this.leaving = Map.groupBy(graphEdges(graph), (edge) => String(edge.get("from")));
    for (const edge of graphEdges(graph)) {
      const to = String(edge.get("to"));
      this.sources.set(to, (this.sources.get(to) ?? new Set()).add(String(edge.get("from"))));
    }
    this.queue.push({ node: String(graph.get("entry")), inputs: [], missing: [] });
  }

  /** The next arrival; joins that nothing can reach any more go on with what came. */
  next(): Arrival | undefined {
    if (this.queue.length === 0) this.releaseJoins();
    this.current = this.queue.shift();
    return this.current;
  }

  /** What `next` gave last has not happened after all. */
  putBack(): void {
    if (this.current !== undefined) this.queue.unshift(this.current);
    this.current = undefined;
  }

  /** Nodes that would run next, waiting joins last. */
  get pending(): string[] {
    return [
      ...this.queue.map(({ node }) => node),
      ...[...this.joins].filter(([, { arrived }]) => arrived.size > 0).map(([id]) => id),
    ];
  }

  /** A stage is over: the edges that it takes are followed. */
  ended(stage: EndedStage): StageStep[] {
    const { node } = stage;
    this.runs.set(node, (this.runs.get(node) ?? 0) + 1);
    const kind = this.kindOf(node);
    const inputs = passing.has(kind) ? (this.current?.inputs ?? []) : stage.produced;
    const steps: StageStep[] = [];
    for (const edge of this.edgesTaken(stage, kind)) {
      const to = String(edge.get("to"));
      if (!this.mayRun(to)) continue;
      steps.push({ from: stage, to });
      if (this.kindOf(to) === "join") this.reachJoin(to, node, inputs);
      else this.queue.push({ node: to, inputs, missing: [] });
    }
    return steps;
  }

  private nodeOf(id: string): Dict {
    return graphNodes(this.graph).get(id) as Dict;
  }

  private kindOf = (id: string): string => String(this.nodeOf(id).get("kind"));

  private edgesTaken(stage: EndedStage, kind: string): Dict[] {
    const edges = this.leaving.get(stage.node) ?? [];
    if (kind === "fork") return edges;
    const named = edges.filter((edge) => takes(edge.get("branch") ?? null, stage.branch, kind));
    // An edge without a branch says "then": it is not taken after what went wrong.
    const then = stage.failed ? [] : edges.filter((edge) => (edge.get("branch") ?? null) === null);
    const taken = named.length > 0 ? named : then;
    return this.nodeOf(stage.node).get("branch_semantics") === "first" ? taken.slice(0, 1) : taken;
  }

  /** A repair is tried as often as its policy says, once by default: what it can't mend would go round for ever. */
  private mayRun(to: string): boolean {
    if (this.kindOf(to) !== "repair") return true;
    const queued = this.queue.filter(({ node }) => node === to).length;
    return (
      (this.runs.get(to) ?? 0) + queued < (policyCount(this.nodeOf(to), "retry_policy", "max_attempts") ?? 1)
    );
  }

  // ── joins ───────────────────────────────────────────────────────────────────────────────────────────────────────

  private reachJoin(id: string, from: string, inputs: readonly string[]): void {
    const waiting = this.joins.get(id) ?? { arrived: new Set(), inputs: [], late: new Set() };
    this.joins.set(id, waiting);
    if (waiting.late.has(from)) {
      waiting.late = new Set([...waiting.late].filter((source) => source !== from));
      return;
    }
    waiting.arrived.add(from);
    for (const input of inputs) if (!waiting.inputs.includes(input)) waiting.inputs.push(input);
    if (waiting.arrived.size >= this.neededAt(id)) this.release(id, waiting);
  }

  private neededAt(id: string): number {
    const all = this.sources.get(id)?.size ?? 0;
    const policy = this.nodeOf(id).get("join_policy");
    const strategy = policy instanceof Dict ? policy.get("strategy") : null;
    if (strategy === "first") return 1;
    if (strategy !== "quorum") return all;
    return Math.min(all, policyCount(this.nodeOf(id), "join_policy", "min_completed") ?? majority(all));
  }

  private release(id: string, { arrived, inputs }: Waiting): void {
    const missing = [...(this.sources.get(id) ?? [])].filter((source) => !arrived.has(source));
    this.joins.set(id, { arrived: new Set(), inputs: [], late: new Set(missing) });
    const arrival = { node: id, inputs, missing: [] };
    // A join that does not wait for all goes on at once, before what it did not wait for.
    if (missing.length > 0) this.queue.unshift(arrival);
    else this.queue.push(arrival);
  }

  /** Nothing else can run: what has not come to a join will not come. */
  private releaseJoins(): void {
    for (const [id, { arrived, inputs }] of this.joins) {
      if (arrived.size === 0) continue;
      const missing = [...(this.sources.get(id) ?? [])].filter((source) => !arrived.has(source));
      this.joins.delete(id);
      this.queue.push({ node: id, inputs, missing });
    }
  }
}

export const majority = (count: number): number => Math.floor(count / 2) + 1;

/** A repair that has worked is a reason to try again what failed. */
const takes = (edge: Value, branch: string | null, kind: string): boolean =>
  edge !== null && (edge === branch || (kind === "repair" && branch === "success" && edge === "retry"));

/** A positive count in a policy of a node. */
export function policyCount(node: Dict, policy: string, name: string): number | undefined {
  const dict = node.get(policy);
  const value = dict instanceof Dict ? dict.get(name) : undefined;
  return isInt(value) && value > 0 ? Number(value) : undefined;
}
