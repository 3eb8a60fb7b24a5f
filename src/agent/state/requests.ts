/**
 * What a turn may ask the world for. A turn is a generator that yields these and is resumed with the answers; it never
 * does anything itself, so a test drives it by hand and the driver drives it through the effects port.
 *
 * `tools` and `pause`, the contract's two pull points, and `hook` come from `contract/`.
 */

import { type RunEventData, type RunEventType, typedEvent } from "../../events/index.ts";
import type { Task } from "../../interp/index.ts";
import type {
  BudgetRefusal,
  JsonObject,
  ModelError,
  ModelMessage,
  ModelResponse,
  ModelTool,
} from "../../model/index.ts";
import { type Callable, Dict, type MaybePromise, type Value } from "../../values/index.ts";
import type { ContractRequest } from "../contract/index.ts";
import type { HookSaid, SessionHookEvent } from "../hooks/session-hooks.ts";
import type { PromptSource } from "../options/prompt-source.ts";
import type { SuspensionRequest } from "./suspension.ts";

/** One model call of the loop: what the model is to see. Route and knobs are the driver's. */
export interface ModelAsk {
  readonly kind: "model";
  readonly system: string | null;
  readonly messages: ModelMessage[];
  readonly tools: ModelTool[];
  /** Entries of the vendor's own, before the tools. */
  readonly providerTools: JsonObject[];
  /** `llm_options` of callbacks, laid over the loop's own. */
  readonly overrides: Dict | null;
  /** 1-based. */
  readonly iteration: number;
  /** What the request takes of what it may have, where the loop measures it. */
  readonly reading: { readonly tokens: number; readonly budget: number } | null;
}

export type ModelAnswer =
  | {
      readonly ok: true;
      readonly response: ModelResponse;
      readonly durationMs: number;
      readonly emptyRetries: number;
    }
  | {
      readonly ok: false;
      readonly error: ModelError;
      readonly budget: BudgetRefusal | undefined;
      /** A caller's own status, used verbatim. */
      readonly status?: string;
      /** What the caller said about it. */
      readonly value?: Value;
    };

/** One structured question to a judging model. */
export interface JudgeAsk {
  readonly kind: "judge";
  readonly name: string;
  readonly system: string;
  readonly prompt: string;
  /** The judge's options: its own provider, model … over the loop's. */
  readonly config: Dict;
}

export type JudgeAnswer =
  | {
      readonly ok: true;
      readonly data: Dict;
      readonly durationMs: number;
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly costUsd: number;
      readonly provider: string;
      readonly model: string;
    }
  | { readonly ok: false; readonly error: string; readonly durationMs: number };

/** A function of the script, called on its own child path. What it throws, the loop throws. */
export interface CallbackAsk {
  readonly kind: "callback";
  readonly callback: Callable;
  readonly args: readonly Value[];
}

/** A function of the script whose failure the loop survives. */
export interface TryCallbackAsk {
  readonly kind: "try_callback";
  readonly callback: Callable;
  readonly args: readonly Value[];
}

export type TryCallbackAnswer =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: string };

/** The folder that the agent works in, looked at once. */
export interface EnvironmentAsk {
  readonly kind: "environment";
  readonly root: string | null;
  readonly maxEntries: number;
  readonly depth: number;
}

/** What was found; folders end in a slash. */
export interface FolderOverview {
  readonly folder: string;
  readonly os: string;
  /** Paths below the folder, sorted. */
  readonly entries: readonly string[];
  /** So many were left out. */
  readonly more: number;
}

export type EnvironmentAnswer =
  | { readonly ok: true; readonly value: FolderOverview }
  | { readonly ok: false; readonly error: string };

/** A line on standard error for whoever runs the program. */
export interface WarnAsk {
  readonly kind: "warn";
  readonly text: string;
}

/** An event of the loop (`events/run-event.ts`): script subscribers are done with it when the turn goes on. */
export type EventAsk = {
  readonly [T in RunEventType]: {
    readonly kind: "event";
    readonly type: T;
    readonly data: RunEventData[T];
    /** Position in the batch of the call that it is about. */
    readonly index: number | null;
  };
}[RunEventType];

/** What time it is, milliseconds since the epoch. */
export interface TimeAsk {
  readonly kind: "time";
}

/** Lets time pass. */
export interface WaitAsk {
  readonly kind: "wait";
  readonly ms: number;
}

/** What a model that wants to suspend asked for; to be checked. */
export interface SuspensionAsk {
  readonly kind: "park_ask";
  readonly reason: Value;
  readonly conditions: Value;
}

export type SuspensionAnswer =
  | { readonly ok: true; readonly asked: SuspensionRequest }
  | { readonly ok: false; readonly error: string };

/** Session hooks of the run, called for an event. */
export interface SessionHookAsk {
  readonly kind: "session_hook";
  readonly event: SessionHookEvent;
  readonly fields: Dict;
  readonly subject: string;
}

export type TurnRequest =
  | SessionHookAsk
  | ModelAsk
  | JudgeAsk
  | SummaryAsk
  | TemplateAsk
  | SettleAsk
  | CallbackAsk
  | TryCallbackAsk
  | EnvironmentAsk
  | WarnAsk
  | EventAsk
  | DaemonAsk
  | SuspensionAsk
  | WorkerAsk
  | CheckAsk
  | TimeAsk
  | WaitAsk;
export type LoopRequest = TurnRequest | ContractRequest;

/** A part of a turn. */
export type Turn<T> = Generator<TurnRequest, T, unknown>;

export function* askModel(ask: Omit<ModelAsk, "kind">): Turn<ModelAnswer> {
  return (yield { kind: "model", ...ask }) as ModelAnswer;
}

export function* askJudge(ask: Omit<JudgeAsk, "kind">): Turn<JudgeAnswer> {
  return (yield { kind: "judge", ...ask }) as JudgeAnswer;
}

export function* callBack(callback: Callable, ...args: Value[]): Turn<Value> {
  return (yield { kind: "callback", callback, args }) as Value;
}

/** Calls a function whose failure is an answer like any other. */
export function* tryCallBack(callback: Callable, ...args: Value[]): Turn<TryCallbackAnswer> {
  return (yield { kind: "try_callback", callback, args }) as TryCallbackAnswer;
}

export function* lookAround(ask: Omit<EnvironmentAsk, "kind">): Turn<EnvironmentAnswer> {
  return (yield { kind: "environment", ...ask }) as EnvironmentAnswer;
}

export function* warnPerson(text: string): Turn<void> {
  yield { kind: "warn", text };
}

/** Emits an event: ask `loop.listens()` first, unless `agent_trace()` lists it. */
export function* emit<T extends RunEventType>(
  type: T,
  data: RunEventData[T],
  index: number | null = null,
): Turn<void> {
  yield { kind: "event", type, data, index } as EventAsk;
}

/** Emits an event under a name of the runtime's own (agents.md §4.2); `listed`: its type in `agent_trace()`. */
export function* emitNamed(
  name: string,
  fields: Readonly<Record<string, Value | undefined>>,
  listed: string | null = null,
): Turn<void> {
  const [type, data] = typedEvent({ name, fields: Dict.of(fields), live: true, listed });
  yield* emit(type, data);
}

/** `null`: no hook of this event is registered. */
export function* requestHooks(event: SessionHookEvent, fields: Dict, subject = ""): Turn<HookSaid | null> {
  return (yield { kind: "session_hook", event, fields, subject }) as HookSaid | null;
}

export function* askToSuspend(reason: Value, conditions: Value): Turn<SuspensionAnswer> {
  return (yield { kind: "park_ask", reason, conditions }) as SuspensionAnswer;
}

export function* requestTime(): Turn<number> {
  return (yield { kind: "time" }) as number;
}

export function* wait(ms: number): Turn<void> {
  if (ms > 0) yield { kind: "wait", ms };
}

/** A look at the outside (a predicate, the files of the beginning), made on a child path and within a time. */
export interface CheckAsk<T = unknown> {
  readonly kind: "check";
  readonly timeoutMs: number;
  readonly look: (task: Task) => MaybePromise<T>;
}

/** `error`: what the look threw, or that it was late. */
export type CheckAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: string };

export function* askToLook<T>(
  timeoutMs: number,
  look: (task: Task) => MaybePromise<T>,
): Turn<CheckAnswer<T>> {
  return (yield { kind: "check", timeoutMs, look }) as CheckAnswer<T>;
}

/** Waits until a worker of the session has ended; gives how, or `null` when none is running. */
export interface WorkerAsk {
  readonly kind: "worker";
}

export function* askForWorker(): Turn<string | null> {
  return (yield { kind: "worker" }) as string | null;
}

/** A model's summary of archived messages. */
export interface SummaryAsk {
  readonly kind: "summary";
  readonly prompt: string;
  /** Provider, model and knobs that the compaction's own options name. */
  readonly options: Dict;
}

export type SummaryAnswer =
  | { readonly ok: true; readonly text: string }
  /** `refused`: the budget can't pay, nobody was asked. */
  | { readonly ok: false; readonly error: string; readonly refused?: boolean };

/** A prompt of the script, rendered. */
export interface TemplateAsk {
  readonly kind: "template";
  readonly source: PromptSource;
  readonly bindings: Dict;
}

/** Computing that is under way by itself, and asks nobody: the library's functions between two questions. */
export interface SettleAsk {
  readonly kind: "settle";
  readonly promise: Promise<unknown>;
}

export type DaemonAsk =
  /** The next message of the loop's mailbox; `null`: none waits. */
  | { readonly kind: "daemon_event" }
  /** The loop idles: what it has come to is written. */
  | { readonly kind: "daemon_idled" }
  /** Answered with a `Wake`. */
  | { readonly kind: "daemon_wait"; readonly ms: number | null };
