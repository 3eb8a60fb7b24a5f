/**
 * What a tool, a call and its outcome are, for everything under `agent/`.
 *
 * A registry is a script dict (`{_type: "tool_registry", tools: [entry…]}`), so that scripts can look at it and build
 * it by hand; `ToolSet` is that dict read once, checked, with JSON Schemas made from the parameter shorthands. Calls
 * are plain JSON, because loop states and journals hold them; only `ToolOutcome.result` is a script value.
 */

import type { LoopIdentity } from "../../events/index.ts";
import type { Task } from "../../interp/index.ts";
import type { Callable, Dict, MaybePromise, Value } from "../../values/index.ts";
import type { JsonObject, JsonSchema } from "../llm/index.ts";

export type ToolExecutor = "harn" | "host_bridge" | "mcp_server" | "provider_native";

/** Who brought a tool: runtime tools never make a loop "tool-using" (agents.md §10.1). */
export type ToolOrigin = "user" | "mcp" | "runtime";

export interface ToolEntry {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the argument object: `{type: "object", properties, required, …}`. */
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | undefined;
  readonly handler: Callable | undefined;
  readonly executor: ToolExecutor;
  readonly hostCapability: string | undefined;
  readonly mcpServer: string | undefined;
  readonly annotations: Dict | undefined;
  readonly deferLoading: boolean;
  readonly namespace: string | undefined;
  /** Arguments that the schema does not name are refused. */
  readonly strict: boolean;
  readonly origin: ToolOrigin;
  /** Tools of the runtime itself: run instead of a handler. Gives what a handler would return, throws as one. */
  readonly native: ((task: Task, args: Dict, call: ToolCall) => MaybePromise<Value>) | undefined;
  /** The script's own entry, every key kept (durability, modes, examples …). */
  readonly raw: Dict;
}

export interface ToolSet {
  /** Registration order. */
  readonly entries: readonly ToolEntry[];
  readonly byName: ReadonlyMap<string, ToolEntry>;
}

/** A call as the model emitted it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** `null` when the arguments could not be read; `parseError` then says why. */
  readonly arguments: JsonObject | null;
  /**
   * The JSON text that `arguments` was read from: keeps `5.0` apart from `5` and large integers exact.
   * "" when arguments were made or changed by the program.
   */
  readonly rawArguments: string;
  readonly parseError: string | null;
  readonly channel: "native" | "text";
}

export type CallStatus = "ok" | "error" | "rejected";

/** Why a call was refused (agents.md §8.2). */
export interface ToolDenial {
  readonly gate:
    | "tool_ceiling"
    | "capability_ceiling"
    | "side_effect_ceiling"
    | "arg_constraint"
    | "dynamic_permission"
    | "approval_policy"
    | "approval_unavailable"
    | "hook"
    | "mode"
    | "doom_loop"
    | "unknown_tool";
  readonly reason: string;
  readonly retryable: boolean;
  readonly capability?: string;
  readonly denied_paths?: readonly string[];
  /** What the model may do instead. */
  readonly next_step?: string;
  /** For the transcript: somebody was asked before it was refused. */
  readonly escalated?: boolean;
  /** For the transcript: the receipt of the approval policy. */
  readonly policyDecision?: Dict;
}

/** What a call came to outside. */
export interface CallChanges {
  /** It changed a file. */
  readonly writes: boolean;
  /** It ran a program that is not known to only read. */
  readonly runs: boolean;
  /** It, or a call inside of it, succeeded with more than a model's own words. */
  readonly found: boolean;
}

/** How one call ended: the result entry of agents.md §8.1. */
export interface ToolOutcome {
  readonly callId: string;
  readonly name: string;
  readonly ok: boolean;
  readonly status: CallStatus;
  /** After aliases, defaults, hooks; what the handler got. */
  readonly arguments: Dict;
  /** What the handler returned; nil on failure. */
  readonly result: Value;
  /** Display of the result, or the error or denial text, cut to the output limit. Without frame. */
  readonly rendered: string;
  /** What the model is told: `rendered` in its frame. */
  readonly observation: string;
  readonly error: string | null;
  readonly errorCategory: string | null;
  /** `null` for calls that never reached an executor. */
  readonly executor: ToolExecutor | null;
  readonly durationMs: number;
  readonly attempts: number;
  readonly denial: ToolDenial | null;
  /** What it changed outside; nothing unless it is given. */
  readonly changes?: CallChanges;
  /** Kept from approval and middleware for the result entry. */
  readonly approval?: Value;
  readonly audit?: Value;
  /** The dict that a `tool_caller` gave, for the keys that only it knows (`receipt`, a status of its own). */
  readonly own?: Dict;
  /** Functions that still have something to write down about this call. */
  readonly flushes?: readonly Callable[];
}

/** A call on its way through the decisions of agents.md §8.1. */
export interface PendingCall {
  readonly call: ToolCall;
  /** `undefined` only in gates that run before the tool is known to exist. */
  readonly entry: ToolEntry | undefined;
  readonly arguments: Dict;
  readonly sessionId: string;
  /** 0-based. */
  readonly iteration: number;
  /** Position in the batch. */
  readonly index: number;
}

export type GateDecision =
  | { readonly kind: "allow"; readonly approval?: Value }
  /** The hook form: go on with other arguments. Every gate sees them again. */
  | { readonly kind: "change"; readonly arguments: Dict }
  | { readonly kind: "deny"; readonly denial: ToolDenial };

/** Steps 4–7: policy, permissions, approval, pre-tool hooks, in this order. */
export interface ToolGate {
  readonly name: string;
  /** Speaks for a tool that does not exist here; undefined: it has nothing to say. */
  unknown?(name: string): ToolDenial | undefined;
  decide(task: Task, pending: PendingCall): MaybePromise<GateDecision>;
}

/** Step 2: tools that the loop itself answers. The result is the text for the model. */
export type StructuralTool = (
  task: Task,
  pending: PendingCall,
) => MaybePromise<{ ok: boolean; text: string; result?: Value }>;

/**
 * Step 9: `tool_caller` middleware around the executor. Arguments that `next` is given and that differ from those that
 * were decided about pass all gates and the schema again.
 */
export type ToolWrapper = (
  task: Task,
  pending: PendingCall,
  next: (task: Task, args: Dict) => MaybePromise<ToolOutcome>,
) => MaybePromise<ToolOutcome>;

/** Step 12: may replace the text that the model is told. */
export type ToolAfter = (
  task: Task,
  pending: PendingCall,
  outcome: ToolOutcome,
) => MaybePromise<string | undefined>;

/** A batch as its loop knows it. */
export interface LoopBatch {
  readonly loop: LoopIdentity;
  /** Positions in the turn's batch; those that hooks refused are not dispatched. */
  readonly positions: readonly number[];
  /** Positions of the calls whose end was emitted. */
  readonly ended: Set<number>;
  /** The loop's own hooks look at results before they stand: it emits the ends itself. */
  readonly endsLater: boolean;
}

export interface DispatchOptions {
  readonly sessionId: string;
  /** 0-based. */
  readonly iteration: number;
  /** Calls in flight at once; default 1. Results come in call order either way. */
  readonly maxConcurrent?: number;
  /** Further attempts after a handler error; default 0. */
  readonly retries?: number;
  /** Base of the doubling delay between attempts; default 1000. */
  readonly backoffMs?: number;
  /** Longest run of one attempt; default none. An entry's own `timeout_ms` wins. */
  readonly timeoutMs?: number;
  /** Milliseconds that the whole batch may take; what is not over then is stopped, told with `text`. Default: no end. */
  readonly time?: { readonly left: number; readonly late: () => void; readonly text: string };
  /** Characters of result text that the model is given; default `defaultOutputLimit`. */
  readonly maxOutputChars?: number;
  readonly structural?: ReadonlyMap<string, StructuralTool>;
  readonly gates?: readonly ToolGate[];
  /** Called for every refusal by a gate. */
  readonly onDenied?: (pending: PendingCall, denial: ToolDenial) => void;
  /** Called before a call's gates, and before what runs it. */
  readonly reached?: (phase: "gate" | "tool") => void;
  readonly wrap?: ToolWrapper;
  readonly after?: readonly ToolAfter[];
  /** The batch of a loop's turn; without one the calls are a script's own. */
  readonly batch?: LoopBatch;
  /** Called for every further attempt; dispatch fills it in. */
  readonly retrying?: (attempt: number, delayMs: number, reason: string) => void;
  /** Names to list when a tool is unknown; default all of the set. */
  readonly visible?: readonly string[];
}
