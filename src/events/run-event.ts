/**
 * `RunEvent`: what happens in a run, emitted once, in one vocabulary. Everything that shows, stores or forwards what agents do
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
import type { Dict } from "../values/index.ts";
import type { DurableEventData, EphemeralEventData, Tokens, WirePlace } from "./wire/index.ts";

/** An event as it travels, with its texts whole. */
type Wire = DurableEventData<string>;

/** The tool call under which a loop was started. */
export interface ParentCall {
  readonly session: string;
  /** From 1. */
  readonly turn: number;
  /** Position in the batch, from 0. */
  readonly index: number;
}

/** What everything so far has cost. */
export type RunTotals = Tokens;

/** Turns that a loop under the control plane may have, null without a limit; other loops do not say it. */
export type TurnLimit = number | null;

/** An event under a name of the runtime's own, with script values: one truth for subscribers and for `agent_trace()`. */
export interface NamedEvent {
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

/** What servers do, by name of the event. */
export type ServerData = Pick<
  Wire,
  | "conversation.created"
  | "conversation.changed"
  | "conversation.state"
  | "message.queued"
  | "message.withdrawn"
  | "message.taken"
  | "run.start"
  | "run.resumed"
  | "run.end"
  | "interrupt.requested"
  | "run.interrupted"
  | "question.withdrawn"
>;

export interface DurableData extends ServerData {
  "loop.start": Omit<Wire["loop.start"], "mode"> & {
    /** `plan` or `execute`, in a loop with modes. */
    readonly mode?: string | null;
    readonly parent_session: string | null;
    readonly parent_tool_call: ParentCall | null;
    readonly max_turns?: TurnLimit;
  };
  "loop.end": Wire["loop.end"] & {
    readonly tools_used: readonly string[];
    readonly successful_tools: readonly string[];
    readonly max_turns?: TurnLimit;
  };
  "turn.start": Wire["turn.start"] & {
    /** That the request has. */
    readonly messages?: number;
    readonly max_turns?: TurnLimit;
  };
  "turn.end": Wire["turn.end"] & {
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
  "message.end": Wire["message.end"];
  "thought.end": Wire["thought.end"];
  "tool.start": Wire["tool.start"] & {
    /** A call of a batch that a script runs by itself (`agent_dispatch_tool_batch`): its subscribers do not get it. */
    readonly script: boolean;
  };
  "tool.end": Wire["tool.end"] & {
    /** False for a call that a hook refused or that its loop had no time for: it has an end and no start. */
    readonly begun: boolean;
    /** As in `tool.start`. */
    readonly script: boolean;
    readonly model_call_id: string;
    readonly arguments: Dict;
    readonly executor: string | null;
    /** The MCP server that ran it. */
    readonly server: string | null;
  };
  usage: Wire["usage"] & {
    readonly model_call: string;
    /** What the request took of what it might have, in a loop that measures it (docs/control-plane.md). */
    readonly context?: { readonly tokens: number; readonly budget: number };
  };
  "context.usage": Wire["context.usage"];
  "context.compacted": NamedEvent &
    Pick<Wire["context.compacted"], "before" | "after" | "archived" | "strategy" | "reason"> & {
      readonly summary_chars: number;
      readonly kept?: number;
      readonly summary?: string;
      readonly pinned?: readonly string[];
      readonly cut?: readonly string[];
    };
  "mode.changed": NamedEvent & Wire["mode.changed"];
  "doom.detected": NamedEvent & Wire["doom.detected"];
  decision: NamedEvent & Wire["decision"] & { readonly about: DecisionSubject };
  "question.asked": NamedEvent & Pick<Wire["question.asked"], "question" | "kind" | "prompt">;
  "question.answered": NamedEvent & Pick<Wire["question.answered"], "question">;
  "question.expired": NamedEvent & Wire["question.expired"];
  "file.changed": Wire["file.changed"];
  "paper.changed": Wire["paper.changed"];
  "plan.changed": NamedEvent;
  retry: Wire["retry"] & {
    /** As in `usage`. */
    readonly of: "turn" | "aside";
  };
  /** Printed on standard error already. */
  notice: Wire["notice"];
  /** Every other live event. */
  trace: NamedEvent;
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
  "tool.output": EphemeralEventData["tool.output"];
}

/** Where a paused session goes on (the machine's own words). */
export type ContractPoint = "plan" | "step" | "dispatch" | "reflect";

/** The machine's states. */
export type MachineState = "IDLE" | "PLANNING" | "EXECUTING" | "AWAITING_TOOL" | "REFLECTING" | "DONE";

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
  "budget.warn": { kind: string; limit: number; used: number; state: MachineState };
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
export type DurableEventType = keyof DurableData;
export type ContractType = keyof ContractData;
export type RunEventType = keyof RunEventData;

/** Where something happened. */
export interface EventPlace extends WirePlace {
  /** The session, "" outside of any. */
  readonly session: string;
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
export type EmittedEvent<T extends RunEventType = RunEventType> = {
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
export const isDurable = (type: RunEventType): type is DurableEventType =>
  !ephemeral.has(type) && !contract.has(type);
