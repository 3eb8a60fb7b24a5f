/**
 * From what a run tells to what an editor is told: live events of agents (agents.md §4.2) become `session/update`s.
 *
 *     text, thinking (streamed)    agent_message_chunk, agent_thought_chunk
 *     tool_call, tool_call_update  the same, ids made unique: models repeat theirs
 *     progress_reported, plan      plan; a message alone is narration
 *     usage                        usage_update
 *
 * Only what the program's own loops say is a message; what loops inside tools say stays theirs, their tool calls are shown.
 */
import type { PlanEntry, SessionUpdate, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import type { LiveEvent } from "../../model/index.ts";
import { Dict, display, List, toJson, type Value } from "../../values/index.ts";

/** Sends one update, in order. */
export type SendUpdate = (update: SessionUpdate) => void;

const kinds: ReadonlySet<string> = new Set<ToolKind>([
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
]);

export class UpdateWriter {
  private readonly send: SendUpdate;
  /** Sessions of loops inside tools. */
  private readonly inner = new Set<string>();
  /** The model's id of a call, by session, and ours. */
  private readonly calls = new Map<string, string>();
  private calledSoFar = 0;
  private plan: PlanEntry[] = [];
  /** What was shown as message in this prompt. */
  shown = "";

  constructor(send: SendUpdate) {
    this.send = send;
  }

  /** A new prompt begins. */
  begin(): void {
    this.shown = "";
    this.calls.clear();
  }

  message(text: string): void {
    if (text === "") return;
    this.shown += text;
    this.send({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  /** What the script prints; not again what a loop has shown word for word. */
  printed(text: string): void {
    const bare = words(text);
    if (bare !== "" && words(this.shown).includes(bare)) return;
    this.message(text);
  }

  /** Streamed text and money. */
  live(event: LiveEvent): void {
    switch (event.type) {
      case "loop_start":
        if (event.parent_session_id !== undefined) this.inner.add(event.session_id);
        else this.inner.delete(event.session_id);
        break;
      case "text":
        if (!this.inner.has(event.session_id)) this.message(event.delta);
        break;
      case "thinking":
        if (!this.inner.has(event.session_id)) this.thought(event.delta);
        break;
      case "turn_end":
        // The next turn's text begins a paragraph of its own.
        if (!this.inner.has(event.session_id) && this.shown !== "" && !this.shown.endsWith("\n"))
          this.message("\n\n");
        break;
      default:
        break;
    }
  }

  private thought(text: string, meta?: Record<string, unknown>): void {
    if (text === "") return;
    const _meta = meta === undefined ? {} : { _meta: meta };
    this.send({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text }, ..._meta });
  }

  /** Live events of sessions. */
  event(event: Dict): void {
    switch (event.get("type")) {
      case "tool_call":
        this.toolCall(event);
        break;
      case "tool_call_update":
        this.toolUpdate(event);
        break;
      case "plan":
        this.replacePlan(event.get("plan") ?? null);
        break;
      case "progress_reported":
        this.progress(event);
        break;
      default:
        break;
    }
  }

  private toolCall(event: Dict): void {
    const name = text(event.get("tool_name"));
    const rawInput = inputOf(event.get("raw_input"));
    const kind = text(event.get("kind"));
    this.send({
      sessionUpdate: "tool_call",
      toolCallId: this.newId(event),
      title: titleOf(name, rawInput),
      kind: kinds.has(kind) ? (kind as ToolKind) : "other",
      status: "pending",
      rawInput,
      ...locations(rawInput),
      _meta: { harn: { toolName: name, sessionId: text(event.get("session_id")) } },
    });
  }

  private toolUpdate(event: Dict): void {
    const toolCallId = this.calls.get(keyOf(event));
    if (toolCallId === undefined) return;
    const status = text(event.get("status"));
    const output = event.get("raw_output") ?? null;
    const shown = output === null ? (event.get("error") ?? null) : output;
    this.send({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: status === "in_progress" || status === "completed" || status === "failed" ? status : "pending",
      ...(event.has("raw_input") ? { rawInput: inputOf(event.get("raw_input")) } : {}),
      ...(output === null ? {} : { rawOutput: toJson(output) }),
      ...(shown === null
        ? {}
        : { content: [{ type: "content", content: { type: "text", text: display(shown) } }] }),
      _meta: { harn: detailsOf(event) },
    });
  }

  /** The id of a call as the editor knows it; undefined for calls that it was not told of. */
  idOf(sessionId: string, callId: string): string | undefined {
    return this.calls.get(`${sessionId}\n${callId}`);
  }

  private newId(event: Dict): string {
    const id = `call_${++this.calledSoFar}`;
    this.calls.set(keyOf(event), id);
    return id;
  }

  // ── plans ───────────────────────────────────────────────────────────────────────────────────────────────────────

  private progress(event: Dict): void {
    const entries = event.get("entries") ?? null;
    const message = event.get("message") ?? null;
    if (message !== null) this.thought(`${display(message)}\n`, { harn: { kind: "progress" } });
    if (!(entries instanceof List) || entries.length === 0) return;
    if (event.get("replace") !== false) this.replacePlan(entries);
    else this.mergePlan(entriesOf(entries));
  }

  private replacePlan(entries: Value): void {
    this.plan = entriesOf(entries);
    this.send({ sessionUpdate: "plan", entries: this.plan });
  }

  /** Entries of the same words are brought up to date, others follow. */
  private mergePlan(entries: readonly PlanEntry[]): void {
    for (const entry of entries) {
      const at = this.plan.findIndex(({ content }) => content === entry.content);
      this.plan = at < 0 ? [...this.plan, entry] : this.plan.with(at, entry);
    }
    this.send({ sessionUpdate: "plan", entries: this.plan });
  }
}

/** Without the layout: paragraphs are put between turns. */
const words = (said: string): string => said.replaceAll(/\s+/g, " ").trim();
const keyOf = (event: Dict): string => `${text(event.get("session_id"))}\n${text(event.get("tool_call_id"))}`;
const text = (value: Value | undefined): string => (typeof value === "string" ? value : "");

/** Arguments are told as JSON text or as a value. */
function inputOf(value: Value | undefined): unknown {
  if (value === undefined || value === null) return {};
  if (typeof value !== "string") return toJson(value);
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function titleOf(name: string, input: unknown): string {
  const values = typeof input === "object" && input !== null ? Object.values(input) : [];
  const first = values.find((value) => typeof value === "string" && value !== "" && !value.includes("\n"));
  return first === undefined ? name : `${name}: ${String(first).slice(0, 80)}`;
}

function locations(input: unknown): { locations?: ToolCallLocation[] } {
  const path = typeof input === "object" && input !== null ? (input as { path?: unknown }).path : undefined;
  return typeof path === "string" && path.startsWith("/") ? { locations: [{ path }] } : {};
}

function entriesOf(value: Value): PlanEntry[] {
  if (!(value instanceof List)) return [];
  return [...value].flatMap((entry) => {
    const content = entry instanceof Dict ? text(entry.get("content")) : text(entry);
    if (content === "") return [];
    const priority = entry instanceof Dict ? text(entry.get("priority")) : "";
    const status = entry instanceof Dict ? text(entry.get("status")) : "";
    return [
      {
        content,
        priority: priority === "high" || priority === "low" ? priority : "medium",
        status: status === "in_progress" || status === "completed" ? status : "pending",
      },
    ];
  });
}

/** What the protocol has no field for. */
function detailsOf(event: Dict): Record<string, unknown> {
  const details: Record<string, unknown> = { toolName: text(event.get("tool_name")) };
  const executor = event.get("executor");
  if (executor instanceof Dict) {
    const kind = text(executor.get("kind"));
    details.executor = kind === "mcp_server" ? { kind, serverName: text(executor.get("server_name")) } : kind;
  }
  for (const [name, key] of [
    ["error", "error"],
    ["error_category", "errorCategory"],
    ["execution_duration_ms", "executionDurationMs"],
  ] as const) {
    const value = event.get(name) ?? null;
    if (value !== null) details[key] = toJson(value);
  }
  return details;
}
