/**
 * What the log of a conversation keeps of an event, and what pages are sent: `{v, type, loop, parent, turn, call, data}` as JSON,
 * without values of scripts (docs/events.md). Time, number, run and stream are the log's.
 */
import type { Json } from "../../effects/index.ts";
import { Dict, toJson, type Value } from "../../values/index.ts";
import type { EphemeralData, EventPlace, Named, RunEvent, ServerData, Told } from "../run-event.ts";

/** Raised when a type or field gets another meaning; what is added does not count. */
export const envelopeVersion = 1;

type JsonObject = { readonly [key: string]: Json };

/** The data of types that look different on the wire than inside a run. */
interface Projected {
  "loop.start": Pick<
    Told<"loop.start">["data"],
    "task" | "name" | "provider" | "model" | "format" | "window"
  > & { readonly mode: string | null };
  "loop.end": Pick<Told<"loop.end">["data"], "status" | "stop_reason" | "turns" | "duration_ms" | "total">;
  "turn.start": { readonly provider: string; readonly model: string };
  "turn.end": { readonly tool_count: number };
  "message.end": Told<"message.end">["data"];
  "thought.end": Told<"thought.end">["data"];
  "tool.start": Omit<Told<"tool.start">["data"], "script">;
  "tool.end": Omit<Told<"tool.end">["data"], "script" | "arguments" | "executor" | "server">;
  usage: Omit<Told<"usage">["data"], "model_call" | "context">;
  "context.usage": Told<"context.usage">["data"];
  "context.compacted": {
    readonly before: number;
    readonly after: number;
    readonly archived: number;
    readonly kept: number | null;
    readonly strategy: string;
    readonly reason: string;
    readonly summary: string;
    readonly pinned: readonly string[];
  };
  "mode.changed": Omit<Told<"mode.changed">["data"], keyof Named>;
  "doom.detected": Omit<Told<"doom.detected">["data"], keyof Named>;
  decision: Omit<Told<"decision">["data"], keyof Named>;
  "question.asked": {
    readonly question: string;
    readonly kind: string;
    readonly prompt: string;
    readonly schema: Json;
    readonly tool: string | null;
    readonly arguments: Json;
    readonly deadline: number | null;
  };
  "question.answered": { readonly question: string; readonly answer: Json; readonly by: string | null };
  "question.expired": { readonly question: string };
  "file.changed": Told<"file.changed">["data"];
  "paper.changed": Told<"paper.changed">["data"];
  "plan.changed": { readonly entries: Json; readonly text: string | null };
  retry: Omit<Told<"retry">["data"], "of">;
  notice: Told<"notice">["data"];
  trace: { readonly name: string; readonly fields: JsonObject };
  "message.delta": EphemeralData["message.delta"] & { readonly message: string | null };
  "thought.delta": EphemeralData["thought.delta"] & { readonly message: string | null };
  "tool.output": EphemeralData["tool.output"];
}

/** Data by type, as it is on the wire, before long texts are replaced by their names. */
export interface EnvelopeData extends Projected, ServerData {}

export type EnvelopeType = keyof EnvelopeData;

/** An event on its way into a log. */
export type Envelope<T extends EnvelopeType = EnvelopeType> = {
  readonly [K in T]: Omit<EventPlace, "session"> & {
    readonly v: typeof envelopeVersion;
    readonly type: K;
    readonly data: EnvelopeData[K];
  };
}[T];

/** Null for the eleven events of the loop contract, which have a log of their own. */
export function envelopeOfEvent(event: RunEvent | Told): Envelope | null {
  const data = dataOf(event);
  if (data === null) return null;
  const { loop, parent, turn, call } = event;
  return { v: envelopeVersion, type: event.type, loop, parent, turn, call, data } as Envelope;
}

function dataOf(event: RunEvent | Told): object | null {
  switch (event.type) {
    case "loop.start": {
      const { task, name, provider, model, format, window, mode = null } = event.data;
      return { task, name, provider, model, format, mode, window };
    }
    case "loop.end": {
      const { status, stop_reason, turns, duration_ms, total } = event.data;
      return { status, stop_reason, turns, duration_ms, total };
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
          : jsonOf(event.data.fields),
        text: textOrNull(event.data.fields, "text"),
      };
    case "retry": {
      const { what, attempt, delay_ms, reason } = event.data;
      return { what, attempt, delay_ms, reason };
    }
    case "trace":
      return { name: event.data.name, fields: jsonOf(event.data.fields) };
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
    default:
      return event.data;
  }
}

function compacted(data: Told<"context.compacted">["data"]): Projected["context.compacted"] {
  const { before, after, archived, kept = null, strategy, reason, summary = "", pinned = [] } = data;
  return { before, after, archived, kept, strategy, reason, summary, pinned };
}

function asked({
  question,
  kind,
  prompt,
  fields,
}: Told<"question.asked">["data"]): Projected["question.asked"] {
  const metadata = fields.get("metadata");
  const schema = metadata instanceof Dict ? jsonField(metadata, "schema") : null;
  const more = metadata instanceof Dict ? jsonOf(metadata) : null;
  const tool = textOrNull(fields, "tool_name");
  const args = tool === null ? more : jsonField(fields, "tool_args");
  return { question, kind, prompt, schema, tool, arguments: args, deadline: null };
}

const jsonField = (fields: Dict, key: string): Json => jsonOf(fields.get(key) ?? null);

function textOrNull(fields: Dict, key: string): string | null {
  const value = fields.get(key);
  return typeof value === "string" ? value : null;
}

/** What can't be JSON (a function among the fields) stands as null: an event must not fail for it. */
function jsonOf(value: Value): Json {
  try {
    return toJson(value) as Json;
  } catch {
    return null;
  }
}
