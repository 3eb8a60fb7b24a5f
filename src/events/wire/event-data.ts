/**
 * What the events of a log carry, type by type (docs/events.md). Pure types: the projection that makes them, server, browser
 * and other clients share them. `Text` is what a long text is: `EventText` in a log, `string` before its log replaces it.
 * Readers ignore types and fields that they don't know. Times are milliseconds since the epoch, durations milliseconds,
 * money US dollars; `cost_usd` is null when a model without a price took part.
 */
import type { ConversationState } from "../../durable/conversation-states.ts";
import type { EventText, Json, JsonObject } from "./json.ts";

export type { ConversationState };
export type Mode = "plan" | "execute";
/** When a run gets a message that comes while it works: the next run, the next model call, at once. */
export type Delivery = "queue" | "step" | "now";
export type ToolStatus = "ok" | "error" | "rejected" | "interrupted";
export type RunStatus = "done" | "failed" | "interrupted" | "waiting";

export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cost_usd: number | null;
}

/** Of one answer: tokens of the vendor's cache are part of `input`, reasoning of `output`. */
export interface AnswerTokens extends Tokens {
  readonly cached: number;
  readonly reasoning: number;
}

export interface ContextUsage {
  readonly used: number;
  readonly window: number | null;
  /** Of the window; null when it is not known. */
  readonly ratio: number | null;
  /** Tokens from which on the conversation is compacted; null when it is not. */
  readonly threshold: number | null;
  readonly source: "estimate" | "vendor";
  readonly parts: { readonly system: number; readonly tools: number; readonly messages: number };
}

/** A model call that failed, and with it what waited for it. */
export interface FailedCall {
  /** What the vendor said, without secrets, or what kept the call from it. */
  readonly message: string;
  readonly category: string;
  readonly provider: string;
  readonly model: string;
  /** Of HTTP; null where there was no answer. */
  readonly status: number | null;
  /** Where the call went; null for one that went nowhere. */
  readonly address: string | null;
}

export interface Considered {
  readonly layer: string;
  readonly said: string;
}

/** Durable types: a log keeps them, each with its `seq`. */
export interface DurableEventData<Text = EventText> {
  "conversation.created": {
    readonly agent: string;
    readonly title: string;
    readonly owner: string;
    readonly mode: string | null;
    readonly config: JsonObject;
    /** The conversation that this one was forked from. */
    readonly parent: string | null;
  };
  /** Only what changed. */
  "conversation.changed": {
    readonly title?: string;
    readonly mode?: string | null;
    readonly config?: JsonObject;
    readonly archived?: boolean;
  };
  "conversation.state": { readonly state: ConversationState; readonly why: string };
  "message.queued": {
    readonly message: string;
    readonly by: string;
    readonly text: Text;
    readonly attachments: readonly Json[];
    readonly delivery: Delivery;
  };
  "message.withdrawn": { readonly message: string };
  "message.taken": { readonly message: string };
  "run.start": { readonly message: string | null; readonly agent: string };
  "run.resumed": { readonly because: "crash" | "answer" | "asked" };
  "run.end": {
    readonly status: RunStatus;
    readonly exit_code: number | null;
    /** Why it failed; of a run that did not, why its agent did not do its work. */
    readonly error: string | null;
    /** How its agent ended that did not do its work, whatever the program made of it. */
    readonly outcome?: "failed" | "stalled" | null;
  };
  "loop.start": {
    readonly task: Text;
    /** What the loop calls itself, null without a name. */
    readonly name: string | null;
    readonly provider: string;
    readonly model: string;
    readonly format: string;
    readonly mode: string | null;
    readonly window: number | null;
  };
  "loop.end": {
    readonly status: string;
    readonly stop_reason: string;
    readonly turns: number;
    readonly duration_ms: number;
    readonly total: Tokens;
    /** The model call that ended it. */
    readonly error?: FailedCall | null;
  };
  "turn.start": { readonly provider: string; readonly model: string };
  "turn.end": { readonly tool_count: number };
  /** `message`: `LOOP/msg_N`, null for what never entered a conversation. */
  "message.end": { readonly message: string | null; readonly role: string; readonly text: Text };
  "thought.end": { readonly text: Text };
  "tool.start": {
    readonly name: string;
    /** What the tool's annotations say; `other` without. */
    readonly kind: string;
    /** As the model gave them: the text as it came where it could not be read. */
    readonly arguments: Json;
    readonly model_call_id: string;
  };
  "tool.end": {
    readonly name: string;
    readonly status: ToolStatus;
    /** What the model is told. */
    readonly result: Text;
    readonly error: string | null;
    readonly category: string | null;
    /** Who refused it. */
    readonly gate: string | null;
    readonly duration_ms: number;
    readonly attempts: number;
  };
  usage: {
    /** An answer in a turn, or one beside the conversation (a judge, a summary, a plain `llm_call`). */
    readonly of: "turn" | "aside";
    readonly provider: string;
    readonly model: string;
    readonly duration_ms: number;
    /** Of this answer. */
    readonly answer: AnswerTokens;
    /** Of the run so far. */
    readonly total: Tokens;
  };
  "context.usage": ContextUsage;
  "context.compacted": {
    /** Tokens. */
    readonly before: number;
    readonly after: number;
    /** Messages taken out of view, and those that stay. */
    readonly archived: number;
    readonly kept: number | null;
    readonly strategy: string;
    readonly reason: string;
    readonly summary: Text;
    /** The lanes that were carried over. */
    readonly pinned: readonly string[];
    /** Ids of messages among the untouched ones that are shown cut: they alone outgrew the window. */
    readonly cut: readonly string[];
  };
  "mode.changed": { readonly from: string | null; readonly to: string; readonly by: string };
  "doom.detected": {
    readonly pattern: "repeat" | "cycle";
    readonly period: number;
    /** Names of the calls, in the order of the pattern. */
    readonly calls: readonly string[];
    readonly strike: number;
    readonly action: "correct" | "block" | "stop";
  };
  decision: {
    /** `stop`, `judge`, `route`, `approval`, `mode`, `budget`, `narrowing`, `skill`; others may come. */
    readonly about: string;
    readonly verdict: string;
    readonly why: string;
    readonly by: string;
    readonly considered: readonly Considered[];
  };
  "question.asked": {
    readonly question: string;
    /** `question`, `approval`, `plan`, `permission` …: what an answer has to look like. */
    readonly kind: string;
    readonly prompt: string;
    /** JSON Schema of an answer, null when any text does. */
    readonly schema: Json;
    /** The call that waits for approval. */
    readonly tool: string | null;
    readonly arguments: Json;
    readonly deadline: number | null;
  };
  "question.answered": { readonly question: string; readonly answer: Json; readonly by: string | null };
  "question.expired": { readonly question: string };
  "question.withdrawn": { readonly question: string };
  "file.changed": {
    readonly path: string;
    readonly change: "created" | "written" | "removed";
    /** Digest of the content, null for a file that was not there or that nobody looked into. */
    readonly before: string | null;
    readonly after: string | null;
    readonly bytes: number | null;
    /** Up to 256 KiB; absent or null for what is no text, or was not looked into. */
    readonly before_text?: Text | null;
    readonly after_text?: Text | null;
  };
  "plan.changed": { readonly entries: Json; readonly text: Text | null };
  "paper.changed": {
    readonly project: string;
    readonly version: number;
    readonly op: string;
    readonly section: string | null;
  };
  retry: {
    readonly what: "model" | "tool";
    readonly attempt: number;
    readonly delay_ms: number;
    readonly reason: string;
  };
  notice: { readonly level: "info" | "warning" | "error"; readonly text: string };
  /** Every other live event of the runtime, under its own name. */
  trace: { readonly name: string; readonly fields: JsonObject };
  "interrupt.requested": { readonly by: string; readonly reason: string | null };
  "run.interrupted": {
    readonly by: string;
    readonly reason: string | null;
    readonly how: "unwound" | "killed" | "idle";
    /** From the request to this event. */
    readonly ms: number;
  };
}

/** Ephemeral types: never in a log, without a number. */
export interface EphemeralEventData {
  /** A piece of the answer of `turn` in `loop`; `message` as in `message.end` once it is known. */
  "message.delta": { readonly message: string | null; readonly text: string };
  "thought.delta": { readonly message: string | null; readonly text: string };
  "tool.output": { readonly call: string; readonly text: string };
  /** All that has been said so far of an answer that is not finished. */
  partial: { readonly message: string | null; readonly text: string };
  hello: { readonly head: number; readonly from: number };
  /** `trouble`: why what the server works on stands still; it goes on by itself. */
  ping: { readonly at: number; readonly head: number; readonly trouble?: "disk-full" };
  /** The log begins anew at `from`: what was kept of it is to be forgotten. */
  reset: { readonly reason: string; readonly from: number };
}

/** A failed model call in one line for people: what the vendor said, its status, the address. */
export function failedCallText({
  message,
  address,
}: {
  readonly message: string;
  readonly address?: string | null;
}): string {
  return address == null || message.includes(address) ? message : `${message} (${address})`;
}

/** Raised when a type or field gets another meaning; what is added does not count. */
export const protocolVersion = 1;

export interface WirePlace {
  /** `lN`, numbered per run in the order of `loop.start`; null outside of loops. */
  readonly loop: string | null;
  /** The loop above and its call (`LOOP.TURN.INDEX`) that started this one; null for outermost loops. */
  readonly parent: { readonly loop: string; readonly call: string | null } | null;
  /** From 1; 0 before the first turn and outside of loops. */
  readonly turn: number;
  /** `LOOP.TURN.INDEX`: the tool call in which it happened, null outside. */
  readonly call: string | null;
}
