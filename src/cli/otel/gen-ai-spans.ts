/**
 * Live events of agents as OpenTelemetry spans with the GenAI semantic conventions: `invoke_agent` around a loop, `chat
 * MODEL` around each model call, `execute_tool NAME` around each tool call; what a tool call starts hangs below it.
 * Decisions, compactions and retries are events of the loop's span. Prompts, answers and arguments are not exported.
 *
 * The conventions are still in development; the names are those of semantic-conventions 1.45.
 */
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { LiveEvent } from "../../model/index.ts";
import type { Dict, Value } from "../../values/index.ts";
import { Float } from "../../values/index.ts";

interface OpenLoop {
  readonly span: Span;
  readonly context: Context;
  readonly provider: string;
  chat: Span | undefined;
  readonly tools: Map<string, { readonly span: Span; readonly context: Context }>;
}

type Of<T extends LiveEvent["type"]> = Extract<LiveEvent, { type: T }>;

/** Told in the spans already, or too many to keep. */
const notSpanEvents: ReadonlySet<string> = new Set([
  "iteration_start",
  "iteration_end",
  "tool_call",
  "tool_call_update",
  "loop_checkpoint",
]);

export class GenAiSpans {
  private readonly tracer: Tracer;
  private readonly loops = new Map<string, OpenLoop>();

  constructor(tracer: Tracer) {
    this.tracer = tracer;
  }

  /** For `runtime.state(agentObservers)`. */
  readonly observe = (event: LiveEvent): void => {
    if (event.type === "loop_start") this.startLoop(event);
    const loop = this.loops.get(event.session_id);
    // The beginning of a resumed loop is replayed, not exported.
    if (loop !== undefined) this.inLoop(loop, event);
  };

  /** For `runtime.state(sessionWatchers)`. */
  readonly note = (event: Dict): void => {
    const type = String(event.get("type"));
    const loop = this.loops.get(String(event.get("session_id")));
    if (loop !== undefined && !notSpanEvents.has(type)) loop.span.addEvent(`harn.${type}`, fieldsOf(event));
  };

  /** Ends what the run left open. */
  end(): void {
    for (const id of [...this.loops.keys()]) this.close(id, "interrupted");
  }

  private startLoop(event: Of<"loop_start">): void {
    const parent =
      event.parent_session_id === undefined ? undefined : this.loops.get(event.parent_session_id);
    const above =
      parent === undefined ? ROOT_CONTEXT : ([...parent.tools.values()].at(-1)?.context ?? parent.context);
    const span = this.tracer.startSpan(
      "invoke_agent",
      {
        kind: SpanKind.INTERNAL,
        attributes: {
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.provider.name": event.provider,
          "gen_ai.request.model": event.model,
          "gen_ai.conversation.id": event.session_id,
        },
      },
      above,
    );
    this.close(event.session_id, "interrupted");
    this.loops.set(event.session_id, {
      span,
      context: trace.setSpan(above, span),
      provider: event.provider,
      chat: undefined,
      tools: new Map(),
    });
  }

  private inLoop(loop: OpenLoop, event: LiveEvent): void {
    switch (event.type) {
      case "turn_start":
        loop.chat = this.tracer.startSpan(`chat ${event.model}`, chatStart(event), loop.context);
        break;
      case "usage":
        loop.chat?.setAttributes(usageOf(event));
        loop.chat?.end();
        loop.chat = undefined;
        break;
      case "retry":
        (loop.chat ?? loop.span).addEvent(`harn.${event.what}_retry`, {
          attempt: event.attempt,
          reason: event.reason,
        });
        break;
      case "tool_start":
        this.startTool(loop, event);
        break;
      case "tool_end":
        this.endTool(loop, event);
        break;
      case "loop_end":
        loop.span.setAttributes({
          "gen_ai.usage.input_tokens": event.total.input_tokens,
          "gen_ai.usage.output_tokens": event.total.output_tokens,
          "harn.loop.stop_reason": event.stop_reason,
          "harn.loop.iterations": event.iterations,
          ...costOf(event.total.cost_usd),
        });
        this.close(event.session_id, event.status);
        break;
    }
  }

  private startTool(loop: OpenLoop, event: Of<"tool_start">): void {
    const attributes = toolAttributes(event);
    const span = this.tracer.startSpan(`execute_tool ${event.tool_name}`, { attributes }, loop.context);
    loop.tools.set(event.tool_call_id, { span, context: trace.setSpan(loop.context, span) });
  }

  /** A refused call ends without having started. */
  private endTool(loop: OpenLoop, event: Of<"tool_end">): void {
    if (!loop.tools.has(event.tool_call_id)) {
      const attributes = toolAttributes(event);
      const span = this.tracer.startSpan(`execute_tool ${event.tool_name}`, { attributes }, loop.context);
      loop.tools.set(event.tool_call_id, { span, context: loop.context });
    }
    const span = loop.tools.get(event.tool_call_id)?.span;
    loop.tools.delete(event.tool_call_id);
    if (event.status !== "ok") fail(span, event.status, event.error);
    span?.end();
  }

  private close(session: string, status: string): void {
    const loop = this.loops.get(session);
    if (loop === undefined) return;
    this.loops.delete(session);
    for (const { span } of loop.tools.values()) {
      fail(span, "interrupted");
      span.end();
    }
    if (loop.chat !== undefined) {
      fail(loop.chat, status);
      loop.chat.end();
    }
    loop.span.setAttribute("harn.loop.status", status);
    if (failing.has(status)) fail(loop.span, status);
    loop.span.end();
  }
}

/** Statuses that are no result of work. */
const failing: ReadonlySet<string> = new Set(["provider_error", "failed", "exception", "interrupted"]);

function fail(span: Span | undefined, type: string, message?: string): void {
  span?.setAttribute("error.type", type);
  span?.setStatus({ code: SpanStatusCode.ERROR, ...(message === undefined ? {} : { message }) });
}

const chatStart = (event: Of<"turn_start">) => ({
  kind: SpanKind.CLIENT,
  attributes: {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": event.provider,
    "gen_ai.request.model": event.model,
    "gen_ai.conversation.id": event.session_id,
    "harn.loop.iteration": event.iteration,
  },
});

const usageOf = ({ turn }: Of<"usage">): Attributes => ({
  "gen_ai.usage.input_tokens": turn.input_tokens,
  "gen_ai.usage.output_tokens": turn.output_tokens,
  ...costOf(turn.cost_usd),
});

const costOf = (usd: number | null): Attributes => (usd === null ? {} : { "harn.cost_usd": usd });

const toolAttributes = (event: Of<"tool_start" | "tool_end">): Attributes => ({
  "gen_ai.operation.name": "execute_tool",
  "gen_ai.tool.name": event.tool_name,
  "gen_ai.tool.call.id": event.tool_call_id,
  "gen_ai.tool.type": "function",
  "gen_ai.conversation.id": event.session_id,
});

/** Numbers, switches and short words; texts may hold what people said. */
function fieldsOf(event: Dict): Attributes {
  const fields: Attributes = {};
  for (const [key, value] of event.entries()) {
    const plain = plainValue(value);
    if (key !== "type" && key !== "session_id" && plain !== undefined) fields[`harn.${key}`] = plain;
  }
  return fields;
}

const word = /^[\w.:-]{1,64}$/;

function plainValue(value: Value): string | number | boolean | undefined {
  if (value instanceof Float) return value.value;
  if (typeof value === "number" || typeof value === "boolean") return value;
  return typeof value === "string" && word.test(value) ? value : undefined;
}
