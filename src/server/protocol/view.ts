/**
 * What a log of events amounts to: the state that `GET …/state` answers with and that a page shows. Plain JSON, so a server
 * sends it as it is. Loops, calls and runs are named by the run that they are of, since `lN` counts per run.
 */
import type {
  ContextUsage,
  ConversationState,
  Delivery,
  DurableEventData,
  EventText,
  Json,
  JsonObject,
  RunStatus,
  Tokens,
  ToolStatus,
} from "../../events/wire/index.ts";

/** `RUN/lN`, `RUN/lN.T.I`. Runs without an id (a report of one run) have "". */
export type LoopKey = string;
export type CallKey = string;

export interface TotalsView extends Tokens {
  readonly cached: number;
  readonly reasoning: number;
  /** Answers of models that were booked. */
  readonly answers: number;
}

export interface RunView {
  readonly run: string;
  readonly message: string | null;
  readonly agent: string | null;
  readonly started: number;
  readonly ended: number | null;
  /** null while it runs. */
  readonly status: RunStatus | null;
  readonly exit_code: number | null;
  readonly error: string | null;
  /** How its agent ended that did not do its work. */
  readonly outcome: "failed" | "stalled" | null;
  readonly resumed: number;
  readonly outermost: readonly LoopKey[];
}

export interface LoopView {
  readonly key: LoopKey;
  readonly run: string;
  readonly loop: string;
  readonly parent: { readonly loop: LoopKey; readonly call: CallKey | null } | null;
  readonly name: string | null;
  readonly task: EventText;
  readonly provider: string;
  readonly model: string;
  readonly mode: string | null;
  readonly window: number | null;
  readonly started: number;
  readonly ended: number | null;
  /** null while it runs. */
  readonly status: string | null;
  readonly stop_reason: string | null;
  readonly turn: number;
  readonly gauge: ContextUsage | null;
  /** Its own answers, without those of loops inside. */
  readonly totals: TotalsView;
  readonly calls: readonly CallKey[];
  readonly loops: readonly LoopKey[];
}

export interface CallView {
  readonly key: CallKey;
  readonly call: string;
  readonly loop: LoopKey;
  readonly turn: number;
  readonly name: string;
  readonly kind: string;
  readonly started: number | null;
  /** null while it runs. */
  readonly status: ToolStatus | null;
  readonly gate: string | null;
  readonly duration_ms: number | null;
  /** The loops that it started. */
  readonly loops: readonly LoopKey[];
}

export interface QuestionView {
  readonly id: string;
  readonly run: string | null;
  readonly loop: LoopKey | null;
  readonly call: CallKey | null;
  readonly seq: number;
  readonly asked: number;
  readonly data: DurableEventData["question.asked"];
  readonly state: "open" | "answered" | "expired" | "withdrawn";
  readonly answer: Json;
  readonly by: string | null;
  readonly closed: number | null;
}

export interface QueuedView {
  readonly message: string;
  readonly text: EventText;
  readonly by: string;
  readonly delivery: Delivery;
  readonly seq: number;
  readonly at: number;
}

export interface FileView {
  readonly path: string;
  readonly change: DurableEventData["file.changed"]["change"];
  /** How often, and by which events: the first and the last. */
  readonly changes: number;
  readonly first: number;
  readonly last: number;
  readonly before: string | null;
  readonly after: string | null;
  readonly bytes: number | null;
  readonly at: number;
}

export interface InterruptView {
  readonly asked: number;
  readonly by: string;
  readonly reason: string | null;
  /** null while the run is being stopped. */
  readonly done: {
    readonly at: number;
    readonly how: "unwound" | "killed" | "idle";
    readonly ms: number;
  } | null;
}

/** An answer that arrives. */
export interface LiveText {
  readonly turn: number;
  readonly message: string | null;
  readonly text: string;
  readonly thought: string;
}

export interface LogView {
  /** Number and time of the last event that was folded in; 0 before the first. */
  readonly seq: number;
  readonly at: number;
  readonly created: number | null;
  readonly agent: string | null;
  readonly title: string | null;
  readonly owner: string | null;
  readonly mode: string | null;
  readonly config: JsonObject;
  readonly forked_from: string | null;
  readonly archived: boolean;
  readonly state: ConversationState;
  readonly why: string;
  /** The run at work, else the last one. */
  readonly run: string | null;
  readonly totals: TotalsView;
  /** Of the outermost loop that reported last. */
  readonly gauge: ContextUsage | null;
  readonly turns: number;
  readonly compactions: number;
  readonly decisions: number;
  readonly plan: { readonly seq: number; readonly text: EventText | null; readonly entries: Json } | null;
  readonly interrupt: InterruptView | null;
  readonly runs: Readonly<Record<string, RunView>>;
  readonly loops: Readonly<Record<LoopKey, LoopView>>;
  readonly calls: Readonly<Record<CallKey, CallView>>;
  readonly questions: Readonly<Record<string, QuestionView>>;
  readonly queued: readonly QueuedView[];
  readonly files: Readonly<Record<string, FileView>>;
  /** Project ▸ its last version. */
  readonly papers: Readonly<Record<string, number>>;
  /** By loop. Only where ephemeral events are folded in. */
  readonly live: Readonly<Record<LoopKey, LiveText>>;
  /** Output of a call at work, by call; the end of it when it is long. */
  readonly output: Readonly<Record<CallKey, string>>;
}
