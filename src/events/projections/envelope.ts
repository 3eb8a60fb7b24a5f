/**
 * What the log of a conversation keeps of an event, and what pages are sent: `{v, type, loop, parent, turn, call, data}` as JSON,
 * without values of scripts (docs/events.md). Time, number, run and stream are the log's.
 */
import type { Json } from "../../effects/index.ts";
import { Dict, toJsonOrNull } from "../../values/index.ts";
import type { EmittedEvent, RunEvent } from "../run-event.ts";
import {
  type DurableEventData,
  type EphemeralEventData,
  protocolVersion,
  type WirePlace,
} from "../wire/index.ts";

/** Data by type, before a log replaces long texts by their names. */
type EnvelopeData = DurableEventData<string> & EphemeralEventData;

type EnvelopeType = keyof EnvelopeData;

/** An event on its way into a log. */
export type Envelope<T extends EnvelopeType = EnvelopeType> = {
  readonly [K in T]: WirePlace & {
    readonly v: typeof protocolVersion;
    readonly type: K;
    readonly data: EnvelopeData[K];
  };
}[T];

/** Null for the eleven events of the loop contract, which have a log of their own. */
export function envelopeOfEvent(event: RunEvent | EmittedEvent): Envelope | null {
  const data = envelopeData(event);
  if (data === null) return null;
  const { loop, parent, turn, call } = event;
  return { v: protocolVersion, type: event.type, loop, parent, turn, call, data } as Envelope;
}

function envelopeData(event: RunEvent | EmittedEvent): object | null {
  switch (event.type) {
    case "loop.start": {
      const { task, name, provider, model, format, window, mode = null } = event.data;
      return { task, name, provider, model, format, mode, window };
    }
    case "loop.end": {
      const { status, stop_reason, turns, duration_ms, total, error = null } = event.data;
      return { status, stop_reason, turns, duration_ms, total, error };
    }
    case "turn.start":
      return { provider: event.data.provider, model: event.data.model };
    case "turn.end":
      return { tool_count: event.data.tool_count };
    case "message.end": {
      const { message, role, text } = event.data;
      return { message: message === null ? null : `${event.loop ?? ""}/${message}`, role, text };
    }
    case "tool.start": {
      const { script: _, ...data } = event.data;
      return data;
    }
    case "tool.end": {
      const { script: _s, arguments: _a, executor: _e, server: _v, ...data } = event.data;
      return data;
    }
    case "usage": {
      const { model_call: _m, context: _c, ...data } = event.data;
      return data;
    }
    case "context.compacted":
      return compacted(event.data);
    case "mode.changed": {
      const { from, to, by } = event.data;
      return { from, to, by };
    }
    case "doom.detected": {
      const { pattern, period, calls, strike, action } = event.data;
      return { pattern, period, calls, strike, action };
    }
    case "decision": {
      const { about, verdict, why, by, considered } = event.data;
      return { about, verdict, why, by, considered };
    }
    case "question.asked":
      return asked(event.data);
    case "question.answered": {
      const { question, fields } = event.data;
      return { question, answer: jsonField(fields, "answer"), by: textOrNull(fields, "reviewer") };
    }
    case "question.expired":
      return { question: event.data.question };
    case "plan.changed":
      return {
        entries: event.data.fields.has("plan")
          ? jsonField(event.data.fields, "plan")
          : toJsonOrNull(event.data.fields),
        text: textOrNull(event.data.fields, "text"),
      };
    case "retry": {
      const { what, attempt, delay_ms, reason } = event.data;
      return { what, attempt, delay_ms, reason };
    }
    case "trace":
      return { name: event.data.name, fields: toJsonOrNull(event.data.fields) };
    case "message.delta":
    case "thought.delta":
      return { message: null, text: event.data.text };
    case "session.start":
    case "plan.draft":
    case "plan.commit":
    case "step.start":
    case "step.end":
    case "tool.call":
    case "tool.result":
    case "tool.error":
    case "budget.warn":
    case "session.pause":
    case "session.complete":
      return null;
    // As they are.
    case "conversation.created":
    case "conversation.changed":
    case "conversation.state":
    case "message.queued":
    case "message.withdrawn":
    case "message.taken":
    case "run.start":
    case "run.resumed":
    case "run.end":
    case "interrupt.requested":
    case "run.interrupted":
    case "question.withdrawn":
    case "thought.end":
    case "context.usage":
    case "file.changed":
    case "paper.changed":
    case "notice":
    case "call.progress":
    case "tool.output":
      return event.data;
    default:
      return event satisfies never;
  }
}

function compacted(data: EmittedEvent<"context.compacted">["data"]): EnvelopeData["context.compacted"] {
  const {
    before,
    after,
    archived,
    kept = null,
    strategy,
    reason,
    summary = "",
    pinned = [],
    cut = [],
  } = data;
  return { before, after, archived, kept, strategy, reason, summary, pinned, cut };
}

function asked({
  question,
  kind,
  prompt,
  fields,
}: EmittedEvent<"question.asked">["data"]): EnvelopeData["question.asked"] {
  const metadata = fields.get("metadata");
  const schema = metadata instanceof Dict ? jsonField(metadata, "schema") : null;
  const more = metadata instanceof Dict ? toJsonOrNull(metadata) : null;
  const tool = textOrNull(fields, "tool_name");
  const args = tool === null ? more : jsonField(fields, "tool_args");
  return { question, kind, prompt, schema, tool, arguments: args, deadline: null };
}

const jsonField = (fields: Dict, key: string): Json => toJsonOrNull(fields.get(key) ?? null);

function textOrNull(fields: Dict, key: string): string | null {
  const value = fields.get(key);
  return typeof value === "string" ? value : null;
}
