/** Logs of events for tests of readers: a builder that numbers and dates them. */
import type {
  DurableEnvelope,
  DurableEventData,
  DurableType,
  EphemeralEnvelope,
  EphemeralEventData,
  EphemeralType,
  FailedCall,
  Tokens,
  ToolStatus,
  WirePlace,
} from "../../src/server/protocol/index.ts";

type Place = Partial<WirePlace>;
const nowhere: WirePlace = { loop: null, parent: null, turn: 0, call: null };

export class EventLog {
  readonly events: DurableEnvelope[] = [];
  run: string | null = "r1";
  /** Milliseconds between two events. */
  step = 40;
  private at = 1_795_359_694_676;
  private readonly parents = new Map<string, WirePlace["parent"]>();
  private readonly conversation: string | null;
  private readonly models = new Map<string, string>();

  constructor(conversation: string | null = "c_test") {
    this.conversation = conversation;
  }

  push<T extends DurableType>(type: T, data: DurableEventData[T], place: Place = {}): this {
    this.at += this.step;
    this.events.push({ ...this.stamp(place), seq: this.events.length + 1, type, data } as DurableEnvelope);
    return this;
  }

  /** An event that is in no log. */
  ephemeral<T extends EphemeralType>(
    type: T,
    data: EphemeralEventData[T],
    place: Place = {},
  ): EphemeralEnvelope {
    return { ...this.stamp(place), seq: null, type, data } as EphemeralEnvelope;
  }

  created(title: string, agent = "research", mode: string | null = "plan"): this {
    return this.push("conversation.created", {
      agent,
      title,
      owner: "admin",
      mode,
      config: {},
      parent: null,
    });
  }

  said(message: string, text: string): this {
    this.push("message.queued", { message, by: "admin", text, attachments: [], delivery: "queue" });
    return this.push("message.taken", { message });
  }

  runStart(message: string | null = null): this {
    return this.push("run.start", { message, agent: "research" });
  }

  loop(
    loop: string,
    parent: WirePlace["parent"] = null,
    start: Partial<DurableEventData["loop.start"]> = {},
  ): this {
    this.parents.set(loop, parent);
    const data = {
      task: "Find out.",
      name: null,
      provider: "mock",
      model: "mock-1",
      format: "native",
      mode: null,
      window: 200_000,
    };
    return this.push("loop.start", { ...data, ...start }, { loop });
  }

  loopEnd(
    loop: string,
    turns: number,
    status = "done",
    stop_reason = "completed",
    total: Tokens = { input: 0, output: 0, cost_usd: 0 },
    error: FailedCall | null = null,
  ): this {
    return this.push(
      "loop.end",
      { status, stop_reason, turns, duration_ms: 900, total, error },
      { loop, turn: turns },
    );
  }

  turn(loop: string, turn: number, model = "mock-1"): this {
    this.models.set(loop, model);
    return this.push("turn.start", { provider: "mock", model }, { loop, turn });
  }

  turnEnd(loop: string, turn: number, tool_count = 0): this {
    return this.push("turn.end", { tool_count }, { loop, turn });
  }

  text(loop: string, turn: number, text: string, n = turn): this {
    return this.push("message.end", { message: `${loop}/msg_${n}`, role: "assistant", text }, { loop, turn });
  }

  usage(loop: string, turn: number, of: Tokens): this {
    const data = {
      of: "turn" as const,
      provider: "mock",
      model: this.models.get(loop) ?? "mock-1",
      duration_ms: 700,
    };
    return this.push(
      "usage",
      { ...data, answer: { ...of, cached: 0, reasoning: 0 }, total: of },
      { loop, turn },
    );
  }

  call(
    loop: string,
    turn: number,
    index: number,
    name: string,
    args: DurableEventData["tool.start"]["arguments"] = {},
  ): this {
    const call = `${loop}.${turn}.${index}`;
    return this.push(
      "tool.start",
      { name, kind: "other", arguments: args, model_call_id: `m${index}` },
      { loop, turn, call },
    );
  }

  end(call: string, status: ToolStatus = "ok", result: Partial<DurableEventData["tool.end"]> = {}): this {
    const [loop, turn] = call.split(".");
    const start = this.events.findLast((event) => event.type === "tool.start" && event.call === call);
    const name = start?.type === "tool.start" ? start.data.name : "tool";
    const data = {
      name,
      status,
      result: "done",
      error: null,
      category: null,
      gate: null,
      duration_ms: 320,
      attempts: 1,
    };
    return this.push("tool.end", { ...data, ...result }, { loop, turn: Number(turn), call });
  }

  ask(question: string, asked: Partial<DurableEventData["question.asked"]> = {}, place: Place = {}): this {
    const data = {
      question,
      kind: "question",
      prompt: "Which one?",
      schema: null,
      tool: null,
      arguments: null,
      deadline: null,
    };
    return this.push("question.asked", { ...data, ...asked }, place);
  }

  lines(): string {
    return this.events.map((event) => `${JSON.stringify(event)}\n`).join("");
  }

  private stamp(place: Place): Omit<DurableEnvelope, "seq" | "type" | "data"> {
    const parent = place.loop == null ? null : (this.parents.get(place.loop) ?? null);
    return {
      v: 1,
      at: this.at,
      conversation: this.conversation,
      run: this.run,
      ...nowhere,
      parent,
      ...place,
    };
  }

  /** A bit of everything. */
  static sample(): EventLog {
    const log = new EventLog().created("A question");
    log.push("conversation.changed", { title: "A better question", archived: false });
    log.said("m_1", "What is it?").push("conversation.state", { state: "processing", why: "taken" });
    log.runStart("m_1").loop("l1", null, { task: "What is it?", mode: "plan" }).turn("l1", 1);
    log.push("thought.end", { text: "Hm." }, { loop: "l1", turn: 1 }).text("l1", 1, "I'll look.");
    log.usage("l1", 1, { input: 900, output: 40, cost_usd: 0.01 });
    log.push(
      "context.usage",
      {
        used: 940,
        window: 200_000,
        ratio: 0.0047,
        threshold: 180_000,
        source: "estimate",
        parts: { system: 300, tools: 400, messages: 240 },
      },
      { loop: "l1", turn: 1 },
    );
    log.call("l1", 1, 0, "web_search", { query: "it" }).call("l1", 1, 1, "research", { question: "it" });
    log
      .loop("l2", { loop: "l1", call: "l1.1.1" }, { name: "researcher" })
      .turn("l2", 1)
      .text("l2", 1, "Found.");
    log.usage("l2", 1, { input: 80, output: 4, cost_usd: null }).turnEnd("l2", 1).loopEnd("l2", 1);
    log.end("l1.1.0").end("l1.1.1").turnEnd("l1", 1, 2);
    log.push(
      "decision",
      { about: "stop", verdict: "continue", why: "calls were made", by: "loop", considered: [] },
      { loop: "l1", turn: 1 },
    );
    log.push("mode.changed", { from: "plan", to: "execute", by: "admin" }, { loop: "l1", turn: 1 });
    log.turn("l1", 2).call("l1", 2, 0, "run_code", { code: "1" });
    log.ask(
      "q_1",
      { kind: "approval", tool: "run_code", arguments: { code: "1" } },
      { loop: "l1", turn: 2, call: "l1.2.0" },
    );
    log.push("question.answered", { question: "q_1", answer: { decision: "approve" }, by: "admin" });
    log.push(
      "file.changed",
      { path: "a.txt", change: "written", before: null, after: "h1", bytes: 4 },
      { loop: "l1", turn: 2, call: "l1.2.0" },
    );
    log.end("l1.2.0", "error", { error: "exit 1" });
    const compacted = {
      before: 181_000,
      after: 22_000,
      archived: 41,
      kept: 5,
      strategy: "llm",
      reason: "threshold",
    };
    log.push(
      "context.compacted",
      { ...compacted, summary: "So far.", pinned: ["PLAN.md"], cut: [] },
      { loop: "l1", turn: 2 },
    );
    log.push(
      "doom.detected",
      { pattern: "repeat", period: 1, calls: ["ls", "ls", "ls"], strike: 1, action: "correct" },
      { loop: "l1", turn: 2 },
    );
    log.push("plan.changed", { entries: null, text: "1. Look" }, { loop: "l1", turn: 2 });
    log.push(
      "paper.changed",
      { project: "p_1", version: 3, op: "write", section: "s_1" },
      { loop: "l1", turn: 2 },
    );
    log.push("retry", { what: "model", attempt: 1, delay_ms: 500, reason: "429" }, { loop: "l1", turn: 2 });
    log
      .push("notice", { level: "warning", text: "slow" })
      .push("trace", { name: "skill_loaded", fields: { skill: "x" } });
    log.push("interrupt.requested", { by: "admin", reason: null });
    log.end("l1.2.0", "interrupted").loopEnd("l1", 2, "interrupted", "interrupted");
    log.push("run.interrupted", { by: "admin", reason: null, how: "unwound", ms: 212 });
    log.push("run.end", { status: "interrupted", exit_code: 130, error: null });
    return log.push("conversation.state", { state: "interrupted", why: "stopped" });
  }
}
