/**
 * The events of a log as people read them: messages and outermost loops in order; in loops turns; in turns texts and
 * calls; in calls the loops that they started. Built event by event; a log may begin anywhere, what it lacks is made up
 * without a beginning.
 */
import {
  type CallKey,
  callKey,
  type DurableEnvelope,
  type DurableType,
  type LoopKey,
  loopKey,
} from "../../src/server/protocol/index.ts";

export interface LeafNode {
  readonly kind: "leaf";
  readonly id: string;
  readonly event: DurableEnvelope;
}

export interface CallNode {
  readonly kind: "call";
  readonly id: string;
  readonly key: CallKey;
  readonly loop: LoopKey;
  start: DurableEnvelope<"tool.start"> | null;
  end: DurableEnvelope<"tool.end"> | null;
  readonly loops: LoopNode[];
  /** What happened in it: questions, files, notices. */
  readonly items: LeafNode[];
}

export interface TurnNode {
  readonly kind: "turn";
  readonly id: string;
  readonly loop: LoopKey;
  readonly turn: number;
  start: DurableEnvelope<"turn.start"> | null;
  usage: DurableEnvelope<"usage"> | null;
  end: DurableEnvelope<"turn.end"> | null;
  readonly items: (LeafNode | CallNode)[];
}

export interface LoopNode {
  readonly kind: "loop";
  readonly id: string;
  readonly key: LoopKey;
  start: DurableEnvelope<"loop.start"> | null;
  end: DurableEnvelope<"loop.end"> | null;
  readonly items: (LeafNode | TurnNode)[];
  /** Turn number ▸ its node. */
  readonly turns: Map<number, TurnNode>;
}

export type TreeNode = LeafNode | CallNode | TurnNode | LoopNode;

/** What stands nowhere in the timeline: the header says it, or the rows that it belongs to. */
const silent: ReadonlySet<string> = new Set<DurableType>([
  "conversation.created",
  "conversation.changed",
  "conversation.state",
  "message.taken",
  "context.usage",
  "question.answered",
  "question.expired",
  "question.withdrawn",
]);

export class TimelineTree {
  readonly items: (LeafNode | LoopNode)[] = [];
  private readonly loops = new Map<LoopKey, LoopNode>();
  private readonly calls = new Map<CallKey, CallNode>();
  private readonly withdrawn = new Set<string>();

  static of(events: Iterable<DurableEnvelope>): TimelineTree {
    const tree = new TimelineTree();
    for (const event of events) tree.add(event);
    return tree;
  }

  loop(key: LoopKey): LoopNode | undefined {
    return this.loops.get(key);
  }
  call(key: CallKey): CallNode | undefined {
    return this.calls.get(key);
  }
  /** A message that its author took back. */
  isWithdrawn(message: string): boolean {
    return this.withdrawn.has(message);
  }

  add(event: DurableEnvelope): void {
    if (silent.has(event.type)) return;
    switch (event.type) {
      case "message.withdrawn":
        this.withdrawn.add(event.data.message);
        return;
      case "run.start":
        return;
      case "loop.start":
        this.loopOf(event).start = event;
        return;
      case "loop.end":
        this.loopOf(event).end = event;
        return;
      case "turn.start":
        this.turnOf(event).start = event;
        return;
      case "turn.end":
        this.turnOf(event).end = event;
        return;
      case "tool.start":
        if (event.call !== null) this.callOf(event, event.call).start = event;
        return;
      case "tool.end":
        if (event.call !== null) this.callOf(event, event.call).end = event;
        return;
      case "usage":
        // The first answer of a turn is the turn's; the others (corrections, judges) stand in the details of the log.
        if (event.loop !== null && event.turn > 0 && event.data.of === "turn")
          this.turnOf(event).usage = event;
        return;
      case "message.end":
        // What tools answered stands in their calls, what people said as a message of its own.
        if (event.data.role === "assistant" && event.data.text !== "") this.place(event);
        return;
      default:
        this.place(event);
    }
  }

  private place(event: DurableEnvelope): void {
    const leaf: LeafNode = { kind: "leaf", id: `e${event.seq}`, event };
    if (event.loop === null) {
      this.items.push(leaf);
      return;
    }
    // A message of the next model call comes in a turn, and stands in it; its call may be closed long ago.
    const call = event.call === null ? undefined : this.calls.get(callKey(event.run, event.call));
    if (call !== undefined && call.loop === loopKey(event.run, event.loop)) call.items.push(leaf);
    else if (event.turn > 0) this.turnOf(event).items.push(leaf);
    else this.loopOf(event).items.push(leaf);
  }

  private loopOf(event: DurableEnvelope): LoopNode {
    const key = loopKey(event.run, event.loop ?? "l0");
    const known = this.loops.get(key);
    if (known !== undefined) return known;
    const node: LoopNode = {
      kind: "loop",
      id: `l${key}`,
      key,
      start: null,
      end: null,
      items: [],
      turns: new Map(),
    };
    this.loops.set(key, node);
    const above = event.parent;
    if (above === null) this.items.push(node);
    else if (above.call !== null) this.callAbove(event, above.loop, above.call).loops.push(node);
    else this.loopAbove(event, above.loop).push(node);
    return node;
  }

  /** A loop that no call started stands behind what its parent did last. */
  private loopAbove(event: DurableEnvelope, loop: string): { push(node: LoopNode): void } {
    const parent = this.loops.get(loopKey(event.run, loop));
    const last = [...(parent?.turns.values() ?? [])].at(-1)?.items.findLast((item) => item.kind === "call");
    return last?.kind === "call" ? last.loops : this.items;
  }

  private callAbove(event: DurableEnvelope, loop: string, call: string): CallNode {
    const known = this.calls.get(callKey(event.run, call));
    if (known !== undefined) return known;
    const turn = Number(call.split(".").at(-2)) || 1;
    return this.callOf({ ...event, loop, parent: null, turn, call } as DurableEnvelope, call);
  }

  private turnOf(event: DurableEnvelope): TurnNode {
    const loop = this.loopOf(event);
    const known = loop.turns.get(event.turn);
    if (known !== undefined) return known;
    const node: TurnNode = {
      kind: "turn",
      id: `t${loop.key}.${event.turn}`,
      loop: loop.key,
      turn: event.turn,
      start: null,
      usage: null,
      end: null,
      items: [],
    };
    loop.turns.set(event.turn, node);
    loop.items.push(node);
    return node;
  }

  private callOf(event: DurableEnvelope, call: string): CallNode {
    const key = callKey(event.run, call);
    const known = this.calls.get(key);
    if (known !== undefined) return known;
    const loop = loopKey(event.run, event.loop ?? "l0");
    const node: CallNode = {
      kind: "call",
      id: `c${key}`,
      key,
      loop,
      start: null,
      end: null,
      loops: [],
      items: [],
    };
    this.calls.set(key, node);
    this.turnOf(event).items.push(node);
    return node;
  }
}
