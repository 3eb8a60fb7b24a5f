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

interface Spanning {
  /** Number of the event that made it, and of the last one in it or below. */
  readonly since: number;
  last: number;
  /** What it stands in. */
  readonly above: CallNode | TurnNode | LoopNode | null;
}

export interface LeafNode {
  readonly kind: "leaf";
  readonly id: string;
  readonly event: DurableEnvelope;
}

export interface CallNode extends Spanning {
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

export interface TurnNode extends Spanning {
  readonly kind: "turn";
  readonly id: string;
  readonly loop: LoopKey;
  readonly turn: number;
  start: DurableEnvelope<"turn.start"> | null;
  usage: DurableEnvelope<"usage"> | null;
  end: DurableEnvelope<"turn.end"> | null;
  readonly items: (LeafNode | CallNode)[];
}

export interface LoopNode extends Spanning {
  readonly kind: "loop";
  readonly id: string;
  readonly key: LoopKey;
  start: DurableEnvelope<"loop.start"> | null;
  end: DurableEnvelope<"loop.end"> | null;
  readonly items: (LeafNode | TurnNode)[];
  /** Turn number ▸ its node. */
  readonly turns: Map<number, TurnNode>;
}

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
  /** Run ▸ the outermost loop that began last. */
  private readonly outermost = new Map<string, LoopNode>();
  /** Message ▸ number of the event that took it back. */
  private readonly withdrawn = new Map<string, number>();
  /** A start, an end or a usage ▸ the one that it took the place of: a resumed call ends again. */
  private readonly replaced = new Map<DurableEnvelope, DurableEnvelope>();
  /** Of a tree that was cut: the one it was cut of, and where. */
  private cut: { readonly from: TimelineTree; readonly at: number } | null = null;

  static of(events: Iterable<DurableEnvelope>): TimelineTree {
    const tree = new TimelineTree();
    for (const event of events) tree.add(event);
    return tree;
  }

  loop(key: LoopKey): LoopNode | undefined {
    const own = this.loops.get(key);
    if (own !== undefined || this.cut === null) return own;
    const whole = this.cut.from.loops.get(key);
    return whole === undefined || whole.since > this.cut.at ? undefined : whole;
  }
  /** A message that its author took back. */
  isWithdrawn(message: string): boolean {
    const { from, at } = this.cut ?? { from: this, at: Number.POSITIVE_INFINITY };
    const seq = from.withdrawn.get(message);
    return seq !== undefined && seq <= at;
  }

  /**
   * The tree as it was after event `at`: what was over by then is shared with this one, what was not is copied as far as it
   * went. Good until this one grows.
   */
  upTo(at: number): TimelineTree {
    const tree = new TimelineTree();
    tree.cut = { from: this, at };
    for (const item of this.items) {
      if (item.kind === "leaf") {
        if (item.event.seq <= at) tree.items.push(item);
      } else if (item.since <= at) tree.items.push(tree.cutLoop(item, at));
    }
    return tree;
  }

  private cutLoop(node: LoopNode, at: number): LoopNode {
    if (node.last <= at) return node;
    const items = node.items.flatMap((item): LoopNode["items"] => {
      if (item.kind === "leaf") return item.event.seq <= at ? [item] : [];
      return item.since <= at ? [this.cutTurn(item, at)] : [];
    });
    const turns = new Map(items.flatMap((item) => (item.kind === "turn" ? [[item.turn, item]] : [])));
    const loop = {
      ...node,
      start: this.before(node.start, at),
      end: this.before(node.end, at),
      items,
      turns,
    };
    this.loops.set(node.key, loop);
    return loop;
  }

  private cutTurn(node: TurnNode, at: number): TurnNode {
    if (node.last <= at) return node;
    const items = node.items.flatMap((item): TurnNode["items"] => {
      if (item.kind === "leaf") return item.event.seq <= at ? [item] : [];
      return item.since <= at ? [this.cutCall(item, at)] : [];
    });
    const { start, usage, end } = node;
    return {
      ...node,
      start: this.before(start, at),
      usage: this.before(usage, at),
      end: this.before(end, at),
      items,
    };
  }

  private cutCall(node: CallNode, at: number): CallNode {
    if (node.last <= at) return node;
    return {
      ...node,
      start: this.before(node.start, at),
      end: this.before(node.end, at),
      loops: node.loops.filter((loop) => loop.since <= at).map((loop) => this.cutLoop(loop, at)),
      items: node.items.filter((leaf) => leaf.event.seq <= at),
    };
  }

  add(event: DurableEnvelope): void {
    if (silent.has(event.type)) return;
    switch (event.type) {
      case "message.withdrawn":
        this.withdrawn.set(event.data.message, event.seq);
        return;
      case "run.start":
        return;
      case "loop.start":
        this.put(this.loopOf(event), { start: event });
        return;
      case "loop.end":
        this.put(this.loopOf(event), { end: event });
        return;
      case "turn.start":
        this.put(this.turnOf(event), { start: event });
        return;
      case "turn.end":
        this.put(this.turnOf(event), { end: event });
        return;
      case "tool.start":
        if (event.call !== null) this.put(this.callOf(event, event.call), { start: event });
        return;
      case "tool.end":
        if (event.call !== null) this.put(this.callOf(event, event.call), { end: event });
        return;
      case "usage":
        // The first answer of a turn is the turn's; the others (corrections, judges) stand in the details of the log.
        if (event.loop !== null && event.turn > 0 && event.data.of === "turn")
          this.put(this.turnOf(event), { usage: event });
        return;
      case "message.end":
        // What tools answered stands in their calls, what people said as a message of its own.
        if (event.data.role === "assistant" && event.data.text !== "") this.place(event);
        return;
      default:
        this.place(event);
    }
  }

  private before<E extends DurableEnvelope>(event: E | null, at: number): E | null {
    let found = event;
    while (found !== null && found.seq > at) found = (this.cut?.from.replaced.get(found) ?? null) as E | null;
    return found;
  }

  /** Start, end or usage of a node; what stood there before is known to trees that are cut in front of it. */
  private put<N extends CallNode | TurnNode | LoopNode>(node: N, part: Partial<N>): void {
    for (const [name, event] of Object.entries(part) as [keyof N, DurableEnvelope][]) {
      const earlier = node[name] as DurableEnvelope | null;
      if (earlier !== null) this.replaced.set(event, earlier);
      reached(node, event);
    }
    Object.assign(node, part);
  }

  private place(event: DurableEnvelope): void {
    const leaf: LeafNode = { kind: "leaf", id: `e${event.seq}`, event };
    if (event.loop === null) {
      this.placeOutside(leaf);
      return;
    }
    // A message of the next model call comes in a turn, and stands in it; its call may be closed long ago.
    const call = event.call === null ? undefined : this.calls.get(callKey(event.run, event.call));
    if (call !== undefined && call.loop === loopKey(event.run, event.loop))
      reached(call, event).items.push(leaf);
    else if (event.turn > 0) reached(this.turnOf(event), event).items.push(leaf);
    else reached(this.loopOf(event), event).items.push(leaf);
  }

  /** What no loop told stands where it happened: in the turn of the run's outermost loop that is not over, if there is one. */
  private placeOutside(leaf: LeafNode): void {
    const { event } = leaf;
    const open = event.type === "message.queued" ? undefined : this.outermost.get(event.run ?? "");
    if (open === undefined || open.end !== null) {
      this.items.push(leaf);
      return;
    }
    const last = open.items.at(-1);
    reached(last?.kind === "turn" ? last : open, event).items.push(leaf);
  }

  private loopOf(event: DurableEnvelope): LoopNode {
    const key = loopKey(event.run, event.loop ?? "l0");
    const known = this.loops.get(key);
    if (known !== undefined) return known;
    const { parent } = event;
    const above =
      parent === null
        ? null
        : parent.call === null
          ? this.lastCallOf(event, parent.loop)
          : this.callAbove(event, parent.loop, parent.call);
    const node: LoopNode = {
      kind: "loop",
      id: `l${key}`,
      since: event.seq,
      last: event.seq,
      above,
      key,
      start: null,
      end: null,
      items: [],
      turns: new Map(),
    };
    this.loops.set(key, node);
    if (above === null) {
      this.items.push(node);
      if (parent === null) this.outermost.set(event.run ?? "", node);
    } else above.loops.push(node);
    return node;
  }

  /** A loop that no call started stands behind what its parent did last. */
  private lastCallOf(event: DurableEnvelope, loop: string): CallNode | null {
    const parent = this.loops.get(loopKey(event.run, loop));
    const last = [...(parent?.turns.values() ?? [])].at(-1)?.items.findLast((item) => item.kind === "call");
    return last?.kind === "call" ? last : null;
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
      since: event.seq,
      last: event.seq,
      above: loop,
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
    const turn = this.turnOf(event);
    const node: CallNode = {
      kind: "call",
      id: `c${key}`,
      since: event.seq,
      last: event.seq,
      above: turn,
      key,
      loop,
      start: null,
      end: null,
      loops: [],
      items: [],
    };
    this.calls.set(key, node);
    turn.items.push(node);
    return node;
  }
}

/** The node, with all that it stands in, has something of this event. */
function reached<N extends CallNode | TurnNode | LoopNode>(node: N, { seq }: DurableEnvelope): N {
  for (let at: CallNode | TurnNode | LoopNode | null = node; at !== null; at = at.above) at.last = seq;
  return node;
}
