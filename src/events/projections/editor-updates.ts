/**
 * What an editor gets of an event (ACP `session/update`, agents.md §20):
 *
 *     message.delta, thought.delta   message, thought: of the program's own loops; what loops inside tools say stays theirs
 *     turn.end                       paragraph: the next turn's text begins a new one
 *     tool.start, tool.end           call, result: of every loop
 *     plan, progress_reported        plan, and a message as narration
 */
import type { PlanEntry, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { Dict, display, List, toJson, type Value } from "../../values/index.ts";
import type { EmittedEvent } from "../run-event.ts";
import { scriptEvents } from "./script-events.ts";

export type EditorStep =
  | { readonly step: "message"; readonly text: string }
  | { readonly step: "thought"; readonly text: string; readonly meta?: Readonly<Record<string, unknown>> }
  | { readonly step: "paragraph" }
  /** `call`: its identity, for which the editor is given an id; `asked`: session and id as requests for approval name it. */
  | { readonly step: "call"; readonly call: string; readonly asked: string; readonly update: CallUpdate }
  | { readonly step: "result"; readonly call: string; readonly update: ResultUpdate }
  | { readonly step: "plan"; readonly entries: PlanEntry[]; readonly replace: boolean };

interface CallUpdate {
  readonly title: string;
  readonly kind: ToolKind;
  readonly status: "pending";
  readonly rawInput: unknown;
  readonly locations?: ToolCallLocation[];
  readonly _meta: { readonly harn: Record<string, unknown> };
}

interface ResultUpdate {
  readonly status: "in_progress" | "completed" | "failed";
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  readonly content?: { type: "content"; content: { type: "text"; text: string } }[];
  readonly _meta: { readonly harn: Record<string, unknown> };
}

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

export function editorSteps(event: EmittedEvent): EditorStep[] {
  const isOwn = event.parent === null;
  switch (event.type) {
    case "message.delta":
      return isOwn ? [{ step: "message", text: event.data.text }] : [];
    case "thought.delta":
      return isOwn ? [{ step: "thought", text: event.data.text }] : [];
    case "turn.end":
      return isOwn ? [{ step: "paragraph" }] : [];
    case "tool.start":
      return started(event);
    case "tool.end":
      return scriptEvents(event).map((emitted) => toolResultStep(event.call ?? "", emitted));
    case "plan.changed": {
      const { name, fields } = event.data;
      return name === "plan"
        ? [{ step: "plan", entries: entriesOf(fields.get("plan") ?? null), replace: true }]
        : progress(fields);
    }
    default:
      return [];
  }
}

/** How a request for approval names a call. */
export const askedAs = (session: string, modelCallId: string): string => `${session}\n${modelCallId}`;

function started(event: EmittedEvent<"tool.start">): EditorStep[] {
  const { name, kind, arguments: input } = event.data;
  const rawInput = toolInputOf(input);
  const update: CallUpdate = {
    title: updateTitleOf(name, rawInput),
    kind: kinds.has(kind) ? (kind as ToolKind) : "other",
    status: "pending",
    rawInput,
    ...locations(rawInput),
    _meta: { harn: { toolName: name, sessionId: event.session } },
  };
  const call = event.call ?? "";
  const running: ResultUpdate = { status: "in_progress", _meta: { harn: { toolName: name } } };
  return [
    { step: "call", call, asked: askedAs(event.session, event.data.model_call_id), update },
    { step: "result", call, update: running },
  ];
}

function toolResultStep(call: string, emitted: Dict): EditorStep {
  const output = emitted.get("raw_output") ?? null;
  const shown = output === null ? (emitted.get("error") ?? null) : output;
  const update: ResultUpdate = {
    status: emitted.get("status") === "completed" ? "completed" : "failed",
    rawInput: toJson(emitted.get("raw_input") ?? new Dict()),
    ...(output === null ? {} : { rawOutput: toJson(output) }),
    ...(shown === null
      ? {}
      : { content: [{ type: "content", content: { type: "text", text: display(shown) } }] }),
    _meta: { harn: updateDetailsOf(emitted) },
  };
  return { step: "result", call, update };
}

/** What the protocol has no field for. */
function updateDetailsOf(emitted: Dict): Record<string, unknown> {
  const details: Record<string, unknown> = { toolName: text(emitted.get("tool_name")) };
  const executor = emitted.get("executor");
  if (executor instanceof Dict) {
    const kind = text(executor.get("kind"));
    details.executor = kind === "mcp_server" ? { kind, serverName: text(executor.get("server_name")) } : kind;
  }
  for (const [name, key] of [
    ["error", "error"],
    ["error_category", "errorCategory"],
    ["execution_duration_ms", "executionDurationMs"],
  ] as const) {
    const value = emitted.get(name) ?? null;
    if (value !== null) details[key] = toJson(value);
  }
  return details;
}

// ── plans ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function progress(fields: Dict): EditorStep[] {
  const entries = fields.get("entries") ?? null;
  const message = fields.get("message") ?? null;
  const said: EditorStep[] =
    message === null
      ? []
      : [{ step: "thought", text: `${display(message)}\n`, meta: { harn: { kind: "progress" } } }];
  if (!(entries instanceof List) || entries.length === 0) return said;
  return [...said, { step: "plan", entries: entriesOf(entries), replace: fields.get("replace") !== false }];
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

// ── calls ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const text = (value: Value | undefined): string => (typeof value === "string" ? value : "");

/** Arguments that could not be read come as the text that they were. */
function toolInputOf(value: unknown): unknown {
  if (value === undefined || value === null) return {};
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function updateTitleOf(name: string, input: unknown): string {
  const values = typeof input === "object" && input !== null ? Object.values(input) : [];
  const first = values.find((value) => typeof value === "string" && value !== "" && !value.includes("\n"));
  return first === undefined ? name : `${name}: ${String(first).slice(0, 80)}`;
}

function locations(input: unknown): { locations?: ToolCallLocation[] } {
  const path = typeof input === "object" && input !== null ? (input as { path?: unknown }).path : undefined;
  return typeof path === "string" && path.startsWith("/") ? { locations: [{ path }] } : {};
}
