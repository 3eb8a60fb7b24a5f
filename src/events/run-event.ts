/**
 * `RunEvent`: what happens in a run, told once, in one vocabulary. Everything that shows, stores or forwards what agents do
 * (script subscribers, `agent_trace()`, `harn trace`, spans, editors, `--events`, the event log, transcripts of model calls)
 * is a pure function of it: `projections/`.
 *
 * Durable types are what a log of a run keeps; ephemeral ones are gone when nobody listens; contract types are the eleven
 * of the loop machine's own log, which is always kept.
 *
 *     loop.start ▸ (turn.start ▸ message.delta* ▸ usage ▸ message.end ▸ (tool.start ▸ tool.end)* ▸ turn.end ▸ decision?)* ▸ loop.end
 *
 * What servers do (conversations, messages, runs, interrupts) is written to the log by operations of the store
 * (`durable/operations/conversations/`), with these types; no run emits it.
 */
import type { Json } from "../effects/index.ts";
import type { Dict } from "../values/index.ts";

/** The tool call under which a loop was started. */
export interface ParentCall {
  readonly session: string;
  /** From 1. */
  readonly turn: number;
  /** Position in the batch, from 0. */
  readonly index: number;
}

/** What everything so far has cost. `cost_usd` is null when a model without a price took part. */
export interface RunTotals {
  readonly input: number;
  readonly output: number;
  readonly cost_usd: number | null;
}

/** What one answer has cost. Tokens that came from the vendor's cache are part of `input`, reasoning of `output`. */
export interface AnswerUsage extends RunTotals {
  readonly cached: number;
  readonly reasoning: number;
}

/** Turns that a loop under the control plane may have, null without a limit; other loops do not say it. */
export type TurnLimit = number | null;

export type ToolStatus = "ok" | "error" | "rejected" | "interrupted";

/** An event under a name of the runtime's own, with script values: one truth for subscribers and for `agent_trace()`. */
export interface Named {
  readonly name: string;
  readonly fields: Dict;
  /** Script subscribers know it, by this name and with these fields (agents.md §4.2). */
  readonly live: boolean;
  /** The type under which `agent_trace()` lists it (agents.md §1.10); null when it does not. */
  readonly listed: string | null;
}

export type DecisionSubject =
  | "stop"
  | "judge"
  | "route"
  | "approval"
  | "mode"
  | "budget"
  | "narrowing"
  | "skill";

/** When a run hears a message that comes while it works: the next run, in front of the next model call, at once. */
export type MessageDelivery = "queue" | "step" | "now";

/** What servers do, by name of the event. */
export interface ServerData {
  "conversation.created": {
    readonly agent: string;
    readonly title: string;
    readonly owner: string;
    readonly mode: string | null;
    readonly config: { readonly [key: string]: Json };
    /** The conversation that this one was forked from. */
    readonly parent: string | null;
  };
  /** Only what changed. */
  "conversation.changed": {
    readonly title?: string;
    readonly mode?: string | null;
    readonly config?: { readonly [key: string]: Json };
    readonly archived?: boolean;
  };
  "conversation.state": {
    readonly state: "idle" | "queued" | "processing" | "waiting" | "interrupted" | "failed";
    readonly why: string;
  };
  "message.queued": {
    readonly message: string;
    readonly by: string;
    readonly text: string;
    readonly attachments: readonly Json[];
    readonly delivery: MessageDelivery;
  };
  "message.withdrawn": { readonly message: string };
  "message.taken": { readonly message: string };
  "run.start": { readonly message: string | null; readonly agent: string };
  "run.resumed": { readonly because: "crash" | "answer" | "asked" };
  "run.end": {
    readonly status: "done" | "failed" | "interrupted" | "waiting";
    readonly exit_code: number | null;
    readonly error: string | null;
  };
  "interrupt.requested": { readonly by: string; readonly reason: string | null };
  "run.interrupted": {
    readonly by: string;
    readonly reason: string | null;
    readonly how: "unwound" | "killed" | "idle";
    /** From the request to its end. */
    readonly ms: number;
  };
  "question.withdrawn": { readonly question: string };
}

export interface DurableData extends ServerData {
  "loop.start": {
    readonly task: string;
    /** What the loop calls itself (`agent`), null without a name. */
    readonly name: string | null;
    readonly provider: string;
    readonly model: string;
    readonly format: string;
    /** `plan` or `execute`, in a loop with modes. */
    readonly mode?: string | null;
    /** Tokens that the model takes in; null when nobody knows. */
    readonly window: number | null;
    readonly parent_session: string | null;
    readonly parent_tool_call: ParentCall | null;
    readonly max_turns?: TurnLimit;
  };
  "loop.end": {
    readonly status: string;
    readonly stop_reason: string;
    readonly turns: number;
    readonly duration_ms: number;
    readonly total: RunTotals;
    readonly tools_used: readonly string[];
    readonly successful_tools: readonly string[];
    readonly max_turns?: TurnLimit;
  };
  "turn.start": {
    readonly provider: string;
    readonly model: string;
    /** That the request has. */
    readonly messages?: number;
    readonly max_turns?: TurnLimit;
  };
  "turn.end": {
    readonly tool_count: number;
    readonly provider: string;
    readonly model: string;
    /** The answer as the model wrote it. */
    readonly text: string;
    readonly response_ms: number;
    readonly input: number;
    readonly output: number;
    readonly thinking_chars: number;
    readonly cost_usd: number;
    /** Model and tools of the loop so far. */
    readonly wall_clock_ms: number;
    readonly max_turns?: TurnLimit;
  };
  /** `message`: its id in the conversation (`msg_N`); `text`: what a person sees of it. */
  "message.end": { readonly message: string | null; readonly role: string; readonly text: string };
  "thought.end": { readonly text: string };
  "tool.start": {
    /** A call of a batch that a script runs by itself (`agent_dispatch_tool_batch`): its subscribers are not told. */
    readonly script: boolean;
    readonly name: string;
    /** What the tool's annotations say; `other` without. */
    readonly kind: string;
    /** The text as it came where it could not be read. */
    readonly arguments: Json;
    /** The id that the model gave; models repeat theirs. */
    readonly model_call_id: string;
  };
  "tool.end": {
    /** False for a call that a hook refused or that its loop had no time for: it has an end and no start. */
    readonly begun: boolean;
    /** As in `tool.start`. */
    readonly script: boolean;
    readonly name: string;
    readonly model_call_id: string;
    readonly status: ToolStatus;
    readonly arguments: Dict;
    /** What the model is told. */
    readonly result: string;
    readonly error: string | null;
    readonly category: string | null;
    /** Who refused it. */
    readonly gate: string | null;
    readonly duration_ms: number;
    readonly attempts: number;
    readonly executor: string | null;
    /** The MCP server that ran it. */
    readonly server: string | null;
  };
  usage: {
    /** An answer in a turn, or one beside the conversation (a judge, a summary, a plain `llm_call`). */
    readonly of: "turn" | "aside";
    readonly model_call: string;
    readonly provider: string;
    readonly model: string;
    readonly duration_ms: number;
    readonly answer: AnswerUsage;
    /** Of the run. */
    readonly total: RunTotals;
    /** What the request took of what it might have, in a loop that measures it (docs/control-plane.md). */
    readonly context?: { readonly tokens: number; readonly budget: number };
  };
  "context.usage": {
    readonly used: number;
    readonly window: number | null;
    /** Of the window; null when it is not known. */
    readonly ratio: number | null;
    /** Tokens from which on the conversation is compacted; null when it is not. */
    readonly threshold: number | null;
    /** `vendor`: what the last call reported, and the estimate of what came since. */
    readonly source: "estimate" | "vendor";
    readonly parts: { readonly system: number; readonly tools: number; readonly messages: number };
  };
  "context.compacted": Named & {
    readonly before: number;
    readonly after: number;
    /** Messages taken out of view. */
    readonly archived: number;
    readonly strategy: string;
    readonly reason: string;
    readonly summary_chars: number;
    /** Messages that stay in view. */
    readonly kept?: number;
    readonly summary?: string;
    /** Lanes that were carried over. */
    readonly pinned?: readonly string[];
  };
  "mode.changed": Named & { readonly from: string | null; readonly to: string; readonly by: string };
  "doom.detected": Named & {
    readonly pattern: "repeat" | "cycle";
    /** Calls after which the pattern begins again. */
    readonly period: number;
    /** Names of the tools, in the order of the pattern. */
    readonly calls: readonly string[];
    /** From 1. */
    readonly strike: number;
    readonly action: "correct" | "block" | "stop";
  };
  decision: Named & {
    readonly about: DecisionSubject;
    readonly verdict: string;
    readonly why: string;
    readonly by: string;
    readonly considered: readonly { readonly layer: string; readonly said: string }[];
  };
  "question.asked": Named & {
    readonly question: string;
    readonly kind: string;
    readonly prompt: string;
  };
  "question.answered": Named & { readonly question: string };
  "question.expired": Named & { readonly question: string };
  /** Digests are null where nobody looked into the file. */
  "file.changed": {
    readonly path: string;
    readonly change: "created" | "written" | "removed";
    readonly before: string | null;
    readonly after: string | null;
    readonly bytes: number | null;
  };
  "paper.changed": {
    readonly project: string;
    readonly version: number;
    readonly op: string;
    readonly section: string | null;
  };
  "plan.changed": Named;
  retry: {
    readonly what: "model" | "tool";
    /** As in `usage`. */
    readonly of: "turn" | "aside";
    readonly attempt: number;
    readonly delay_ms: number;
    readonly reason: string;
  };
  /** Printed on standard error already. */
  notice: { readonly level: "warning"; readonly text: string };
  /** Every other live event. */
  trace: Named;
}

export interface EphemeralData {
  /** A piece of the turn's message, as a person sees it. The message has its number when it enters the conversation. */
  "message.delta": { readonly text: string };
  "thought.delta": { readonly text: string };
  /** A live model call beside the turns of loops: it begins, more of its answer arrives, it is over. */
  "call.progress": {
    /** Counts such calls of the run from 1. */
    readonly call: number;
    readonly provider: string;
    readonly model: string;
    /** Of the answer so far, thoughts included. */
    readonly chars: number;
    readonly over: boolean;
  };
  /** What a call at work prints. */
  "tool.output": { readonly call: string; readonly text: string };
}

/** Where a paused session goes on (the machine's own words). */
export type ContractPoint = "plan" | "step" | "dispatch" | "reflect";

/** The machine's states. */
export type ContractState = "IDLE" | "PLANNING" | "EXECUTING" | "AWAITING_TOOL" | "REFLECTING" | "DONE";

/** The eleven events of the loop contract. */
export interface ContractData {
  "session.start": { goal: unknown };
  "plan.draft": { plan: unknown };
  /** `kept`: the plan was committed before and goes on after a pause. */
  "plan.commit": { plan: unknown; step: number; kept: boolean };
  /** `aborted`: what keeps it from being executed; absent when nothing does. */
  "step.start": { step: unknown; turn: number; aborted?: string };
  "step.end": {
    step: unknown;
    turn: number;
    next: "step" | "replan" | "done";
    skipped: boolean;
    error: string | null;
    /** How the session ends, for `done`. */
    status?: string;
    reason?: string;
  };
  /** A call that is handed over. */
  "tool.call": { id: string; name: string; arguments: unknown; turn: number };
  /** `index`: position in the batch; ids come from models and may be double. An error without its call: a hook refused it. */
  "tool.result": { id: string; name: string; index: number; value: unknown };
  "tool.error": { id: string; name: string; index: number; error: string; category: string };
  /** `state`: where the loop was when it met the limit. */
  "budget.warn": { kind: string; limit: number; used: number; state: ContractState };
  /** `at`: where it will take up again, with this plan; `calls`: the batch that waits there for its dispatch. */
  "session.pause": {
    reason: string;
    detail: unknown;
    at: ContractPoint;
    turns: number;
    plan: unknown;
    step: number;
    calls: readonly { readonly id: string; readonly name: string; readonly arguments: unknown }[];
  };
  "session.complete": { status: string; reason: string; turns: number; tool_calls: number };
}

export interface RunEventData extends DurableData, EphemeralData, ContractData {}
export type DurableType = keyof DurableData;
export type ContractType = keyof ContractData;
export type RunEventType = keyof RunEventData;

/** Where something happened. */
export interface EventPlace {
  /** The session, "" outside of any. */
  readonly session: string;
  /** `lN`, numbered per run in the order of `loop.start`; null outside of every loop. */
  readonly loop: string | null;
  /** The loop above and its call (`LOOP.TURN.INDEX`) that started this one; null for outermost loops. */
  readonly parent: { readonly loop: string; readonly call: string | null } | null;
  /** From 1; 0 before the first and outside of loops. */
  readonly turn: number;
  /** `LOOP.TURN.INDEX`: the tool call in which it happened, null outside. */
  readonly call: string | null;
}

/** An event with its identity. Sinks are called when it happens: who keeps a time (`at`) takes it from a clock of their own. */
export type RunEvent<T extends RunEventType = RunEventType> = {
  readonly [K in T]: EventPlace & {
    readonly type: K;
    /** Counts the durable events of its loop from 1: `RUN:LOOP:K` is the event's origin. Null for all others. */
    readonly k: number | null;
    readonly data: RunEventData[K];
  };
}[T];

/** What a projection looks at: an event whose number does not matter. */
export type Told<T extends RunEventType = RunEventType> = {
  readonly [K in T]: EventPlace & { readonly type: K; readonly data: RunEventData[K] };
}[T];

const ephemeral: ReadonlySet<string> = new Set<keyof EphemeralData>([
  "call.progress",
  "message.delta",
  "thought.delta",
  "tool.output",
]);

/** The machine's own types, in the order in which a session goes through them. */
export const contractTypes = [
  "session.start",
  "plan.draft",
  "plan.commit",
  "step.start",
  "step.end",
  "tool.call",
  "tool.result",
  "tool.error",
  "budget.warn",
  "session.pause",
  "session.complete",
] as const satisfies readonly ContractType[];

const contract: ReadonlySet<string> = new Set(contractTypes);

/** Whether a log of a run keeps events of this type. */
export const isDurable = (type: RunEventType): type is DurableType =>
  !ephemeral.has(type) && !contract.has(type);
