/**
 * What an event means for OpenTelemetry spans with the GenAI semantic conventions: `invoke_agent` around a loop, `chat MODEL`
 * around each model call of a turn, `execute_tool NAME` around each tool call; what a tool call starts hangs below it.
 * A pass of the ladder is `harness.compaction`. Decisions, interventions, other compactions and retries are events of the loop's span. Prompts, answers and arguments are not exported.
 *
 * The conventions are still in development; the names are those of semantic-conventions 1.45.
 */
import { type Dict, Float, firstLine, type Value } from "../../values/index.ts";
import type { EmittedEvent, NamedEvent } from "../run-event.ts";

type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** One thing to be done with spans. `id` names a span of the run: a loop, a call, `LOOP chat`. */
export type SpanStep =
  | {
      readonly step: "start";
      readonly id: string;
      /** The first of these that is open is around it. */
      readonly within: readonly string[];
      /** Where none is open: a trace of its own, or no span (the beginning of a resumed loop is not exported). */
      readonly alone: "root" | "skip";
      readonly name: string;
      readonly kind: "internal" | "client";
      readonly attributes: SpanAttributes;
    }
  | { readonly step: "set"; readonly id: string; readonly attributes: SpanAttributes }
  | {
      readonly step: "note";
      /** The first of these that is open. */
      readonly on: readonly string[];
      readonly name: string;
      readonly attributes: SpanAttributes;
    }
  | { readonly step: "fail"; readonly id: string; readonly type: string; readonly message: string | null }
  | { readonly step: "end"; readonly id: string }
  /** A loop and what is open in it. */
  | { readonly step: "close"; readonly loop: string; readonly status: string };

/** Told in the spans already, or too many to keep. */
const notSpanEvents: ReadonlySet<string> = new Set([
  "iteration_start",
  "iteration_end",
  "tool_call",
  "tool_call_update",
  "loop_checkpoint",
]);

export const chatOf = (loop: string): string => `${loop} chat`;

export function spanSteps(event: EmittedEvent): SpanStep[] {
  const { loop } = event;
  if (loop === null) return [];
  switch (event.type) {
    case "loop.start":
      return [startLoopSpan(event, loop)];
    case "turn.start":
      return [startChat(event, loop)];
    case "usage": {
      const { of, answer } = event.data;
      const id = chatOf(loop);
      if (of === "aside") return [];
      const attributes = {
        "gen_ai.usage.input_tokens": answer.input,
        "gen_ai.usage.output_tokens": answer.output,
        ...costAttributes(answer.cost_usd),
        ...contextOf(event.data.context),
      };
      return [
        { step: "set", id, attributes },
        { step: "end", id },
      ];
    }
    case "retry": {
      const { what, of, attempt, reason } = event.data;
      if (of === "aside") return [];
      return [
        {
          step: "note",
          on: [chatOf(loop), loop],
          name: `harn.${what}_retry`,
          attributes: { attempt, reason },
        },
      ];
    }
    case "tool.start": {
      const { name, model_call_id } = event.data;
      return [startTool(event, name, model_call_id)];
    }
    case "tool.end":
      return endTool(event);
    case "loop.end":
      return endLoop(event, loop);
    case "context.compacted":
    case "mode.changed":
    case "doom.detected":
    case "decision":
    case "plan.changed":
    case "question.asked":
    case "question.answered":
    case "question.expired":
    case "trace": {
      const { name, fields, live } = event.data;
      if (name === "compaction_started" || name === "compaction_completed")
        return compactionSteps(loop, event.data);
      if (name === "control_intervention") return [interventionNote(loop, event.data)];
      if (!live || notSpanEvents.has(name)) return [];
      return [{ step: "note", on: [loop], name: `harn.${name}`, attributes: fieldsOf(fields) }];
    }
    default:
      return [];
  }
}

function startLoopSpan({ session, parent, data }: EmittedEvent<"loop.start">, id: string): SpanStep {
  const within = parent === null ? [] : parent.call === null ? [parent.loop] : [parent.call, parent.loop];
  return {
    step: "start",
    id,
    within,
    alone: "root",
    name: "invoke_agent",
    kind: "internal",
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": data.provider,
      "gen_ai.request.model": data.model,
      "gen_ai.conversation.id": session,
    },
  };
}

const startChat = ({ session, turn, data }: EmittedEvent<"turn.start">, loop: string): SpanStep => ({
  step: "start",
  id: chatOf(loop),
  within: [loop],
  alone: "skip",
  name: `chat ${data.model}`,
  kind: "client",
  attributes: {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": data.provider,
    "gen_ai.request.model": data.model,
    "gen_ai.conversation.id": session,
    "harn.loop.iteration": turn,
    "harn.span": "harness.agent_call",
    "harn.turn": turn,
    ...(data.messages === undefined ? {} : { "harn.context.messages": data.messages }),
  },
});

const compactionOf = (loop: string): string => `${loop} compaction`;

/** A pass of the ladder is a span of its own, from its first event to its last. */
function compactionSteps(loop: string, { name, fields }: NamedEvent): SpanStep[] {
  const id = compactionOf(loop);
  const attributes = { "harn.span": "harness.compaction", ...fieldsOf(fields) };
  if (name === "compaction_started")
    return [
      {
        step: "start",
        id,
        within: [loop],
        alone: "skip",
        name: "harness.compaction",
        kind: "internal",
        attributes,
      },
    ];
  return [
    { step: "set", id, attributes },
    { step: "end", id },
  ];
}

/** Which rule did what: its reason may hold what models, people and tools said. */
const interventionNote = (loop: string, { name, fields }: NamedEvent): SpanStep => ({
  step: "note",
  on: [loop],
  name: `harn.${name}`,
  attributes: fieldsOf(fields.without("reason")),
});

const startTool = (
  { session, loop, call }: EmittedEvent<"tool.start" | "tool.end">,
  name: string,
  modelCallId: string,
): SpanStep => ({
  step: "start",
  id: call ?? "",
  within: [loop ?? ""],
  alone: "skip",
  name: `execute_tool ${name}`,
  kind: "internal",
  attributes: {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    "gen_ai.tool.call.id": modelCallId,
    "gen_ai.tool.type": "function",
    "gen_ai.conversation.id": session,
  },
});

/** A call that was not begun took no time: it has no span. */
function endTool({ call, data }: EmittedEvent<"tool.end">): SpanStep[] {
  const id = call ?? "";
  if (!data.begun) return [];
  const message = data.error === null ? null : firstLine(data.error);
  const end: SpanStep = { step: "end", id };
  return data.status === "ok" ? [end] : [{ step: "fail", id, type: data.status, message }, end];
}

function endLoop({ data }: EmittedEvent<"loop.end">, loop: string): SpanStep[] {
  const attributes = {
    "gen_ai.usage.input_tokens": data.total.input,
    "gen_ai.usage.output_tokens": data.total.output,
    "harn.loop.stop_reason": data.stop_reason,
    "harn.loop.iterations": data.turns,
    ...costAttributes(data.total.cost_usd),
  };
  return [
    { step: "set", id: loop, attributes },
    { step: "close", loop, status: data.status },
  ];
}

const contextOf = (
  context: { readonly tokens: number; readonly budget: number } | undefined,
): SpanAttributes =>
  context === undefined
    ? {}
    : { "harn.context.tokens": context.tokens, "harn.context.budget": context.budget };

const costAttributes = (usd: number | null): SpanAttributes => (usd === null ? {} : { "harn.cost_usd": usd });

/** Numbers, switches and short words; texts may hold what people said. */
function fieldsOf(fields: Dict): SpanAttributes {
  const attributes: Record<string, string | number | boolean> = {};
  for (const [key, value] of fields.entries()) {
    const plain = plainValue(value);
    if (key !== "type" && key !== "session_id" && plain !== undefined) attributes[`harn.${key}`] = plain;
  }
  return attributes;
}

const word = /^[\w.:-]{1,64}$/;

function plainValue(value: Value): string | number | boolean | undefined {
  if (value instanceof Float) return value.value;
  if (typeof value === "number" || typeof value === "boolean") return value;
  return typeof value === "string" && word.test(value) ? value : undefined;
}
