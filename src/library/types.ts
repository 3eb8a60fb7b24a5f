/**
 * The public types of `harn`: what programs in TypeScript see. They name nothing of the inside and no schema library, so that a
 * program with a hundred tools checks in a second; what stands behind them is the engine's (`engine/`). Types that others agree on
 * come from where these agree: events from `events/wire`, options of agents from the rows of `agent_loop` (`agent-options.ts`).
 */
import type { DurableEventData, EphemeralEventData, Json, WirePlace } from "../events/wire/index.ts";
import type { LoopOptions } from "./agent-options.ts";

export type { Json };

// ── schemas ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a schema says of a value: the value as it reads it, or what is wrong with it. */
export type Validation<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly ValidationIssue[] };

export interface ValidationIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Any schema that follows Standard Schema (zod, valibot, arktype, …): reads an `I`, gives a `T`. */
export interface Schema<T = unknown, I = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validation<T> | Promise<Validation<T>>;
    readonly types?: { readonly input: I; readonly output: T } | undefined;
  };
}

/** What a schema reads a value as. */
export type Out<S extends Schema> = NonNullable<S["~standard"]["types"]>["output"];

/** What a schema reads. */
export type In<S extends Schema> = NonNullable<S["~standard"]["types"]>["input"];

/** A JSON Schema, for schemas that can't say theirs by themselves. */
export type JsonSchema = { readonly [key: string]: unknown };

// ── tools ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface ToolContext {
  /** Aborted when the run stops, or the tool's time is over. */
  readonly signal: AbortSignal;
  /** The same for the same call, however often it is made: `RUN#PATH#N`. */
  readonly idempotencyKey: string;
  /** How often this very call has been begun, with this time: 1, or more where a run that goes on makes it again. */
  readonly attempt: number;
  /** Name of the run. */
  readonly run: string;
  /** The model's id of the call; "" where a script calls the tool. */
  readonly call: string;
}

/**
 * Never given: what `execute` gives is typed as it is written, literals and tuples included, when it stands where this is expected.
 * Its literals are rare, so that no result is one of them.
 */
type Rare = "\u{10FFFF}" | 5e-324 | -9223372036854775807n;
type Part = Rare | true | false | { readonly [key: string]: Part } | readonly Part[] | [];
type AsWritten = Rare | { readonly [key: string]: Part } | readonly Part[] | [];
/** What `tool` takes `execute` to give before it has looked at it. */
export type Unseen = AsWritten | Promise<AsWritten>;

/** The only key of a result that does not fit, in words. */
type Misfit<R, T> = T extends readonly unknown[]
  ? never
  : { [K in keyof T]-?: K extends keyof R ? (R[K] extends T[K] ? never : K) : K }[keyof T];
type OnlyOne<K, All = K> = K extends string ? ([All] extends [K] ? `: see \`${K}\`` : "") : "";
type MisfitPlace<R, T> = [R, T] extends [object, object]
  ? [Misfit<R, T>] extends [never]
    ? ""
    : OnlyOne<Misfit<R, T>>
  : "";

type Executes<I extends Schema, R> = (input: Out<I>, context: ToolContext) => R;
type Fitting<I extends Schema, O extends Schema, R> = [R] extends [
  In<O> | Promise<In<O>> | PromiseLike<In<O>>,
]
  ? Executes<I, R>
  : `does not fit \`output\`${MisfitPlace<Awaited<R>, In<O>>}`;

/**
 * The function of a tool; a text where what it gives, `R`, does not fit `output`, so that the compiler says it in one line, at
 * `execute`, and does not print both types to their last field. What takes `Unseen` and a text too is no `Unseen`: `{}`, `unknown`.
 */
export type Execute<I extends Schema, O extends Schema, R> = [Unseen] extends [R]
  ? string extends R
    ? Fitting<I, O, R>
    : Executes<I, R>
  : Fitting<I, O, R>;

export interface ToolSpec<N extends string, I extends Schema, O extends Schema, R> {
  /** As models and scripts call it: letters, digits, `_` and `-`, 64 at most. */
  readonly name: N;
  /** For the model: what it does, when to use it. */
  readonly description: string;
  /** Of its arguments, an object. */
  readonly input: I;
  /** Of its result. Without one it may give whatever has a value in scripts: docs/library.md has the table. */
  readonly output?: O;
  /** JSON Schema of `input`, where the schema can't say it by itself; in its place where it can. */
  readonly inputSchema?: JsonSchema;
  /** What it does outside; `write` unless given. */
  readonly effect?: "read" | "write";
  /** It may be called again after a crash, with the same key, without being done twice. */
  readonly idempotent?: boolean;
  /** Milliseconds for a call; no limit of its own unless given. */
  readonly timeout?: number;
  /** A person is asked before each call. */
  readonly approval?: boolean;
  /** Does it. What it throws is an error of the script, or what the model is told. */
  readonly execute: Execute<I, O, R>;
}

/** A function of the program's own that models and scripts may call: `tool({…})`. */
export interface AnyTool {
  readonly name: string;
  readonly description: string;
  readonly effect: "read" | "write";
  readonly idempotent: boolean;
  readonly timeout: number | undefined;
  readonly approval: boolean;
  /** JSON Schema of its arguments, as models see it. */
  readonly parameters: JsonSchema;
  /** JSON Schema of its result, where `output` can say it. */
  readonly returns: JsonSchema | undefined;
  /** Validates, executes, validates. */
  call(input: unknown, context: ToolContext): Promise<unknown>;
}

export interface Tool<N extends string = string> extends AnyTool {
  readonly name: N;
}

// ── harn ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A line of what a run says to whoever looks after it. */
export interface LogLine {
  readonly level: "info" | "warning" | "error";
  readonly text: string;
  /** Name of the run. */
  readonly run: string;
}

/** An answer of a mock, as `--llm-mock` has them in a line: `text`, `tool_calls`, `error` … */
export type MockAnswer = { readonly [key: string]: unknown };

/** A run asks a person. */
export interface Question {
  /** What `answer` takes. */
  readonly id: string;
  readonly run: string;
  /** `question`, `approval`, `plan`, `permission`, `doubt` … */
  readonly kind: string;
  readonly prompt: string;
  /** JSON Schema of an answer; null when any text does. */
  readonly schema: Json;
  /** The call that waits for approval, and its arguments. */
  readonly tool: string | null;
  readonly arguments: Json;
  readonly choices: readonly string[];
}

export interface HarnOptions {
  /** The folder that paths mean, `store` among them; the process's own, when `harn` is called. */
  readonly cwd?: string;
  /** The state folder of the runs' store; the project's unless given. `"memory"`: gone with `close`. `false`: nothing is recorded. */
  readonly store?: string | "memory" | false;
  /** The variables that scripts see; the process's own unless given. */
  readonly env?: Readonly<Record<string, string>>;
  readonly model?: string;
  readonly provider?: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Answers in place of a model's: a file of `--llm-mock`, or the answers in order. */
  readonly mock?: string | readonly MockAnswer[];
  /** A file whose answers stand in for a model's where no provider is set: `--tape`. */
  readonly tape?: string;
  /** For every run. */
  readonly tools?: readonly AnyTool[];
  /** As `--allow` and `--deny`: `fs.read=DIR`, `net`, `process` … */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Answers what runs ask; without it such a run waits: its `status` is `waiting`. */
  readonly onQuestion?: (question: Question) => unknown;
  /** What is done with calls of which a killed run does not say whether they happened; `ask` unless given. */
  readonly onDoubt?: "ask" | "redo" | "skip" | "fail";
  /**
   * In place of the global one, for all requests of runs over HTTP: of scripts, to models, to MCP servers. Rules about hosts, bounds of
   * time and size, and what errors say stay as they are; connections are its own, so `proxy` and `tls` of a request are refused and
   * `connect_timeout_ms` is its matter.
   */
  readonly fetch?: typeof fetch;
  /** Stops every run. */
  readonly signal?: AbortSignal;
  /** Gets what the command line would write to standard error; nothing is written unless given. */
  readonly log?: (line: LogLine) => void;
}

/** A script: a path, or its text. */
export type ScriptSource = string | URL | { readonly text: string; readonly name?: string };

export interface RunOptions<O = unknown> {
  /** What the entry pipeline's parameters get, by name; all of it under the name `input`. */
  readonly input?: unknown;
  /** `argv` of the script. */
  readonly args?: readonly string[];
  /** Besides those of `harn`. */
  readonly tools?: readonly AnyTool[];
  /** Of the result: it is validated, and typed. */
  readonly output?: Schema<O>;
  /** Aborting it stops the run. */
  readonly signal?: AbortSignal;
  /** Milliseconds after which it is stopped, resumably. */
  readonly timeout?: number;
  /** The name of the run in the store; a new one unless given. */
  readonly name?: string;
  /** Gets what the program prints. */
  readonly onPrint?: (text: string) => void;
}

/** Options of `agent_loop`, and of the run. */
export interface AgentOptions<O = unknown>
  extends LoopOptions,
    Omit<RunOptions<O>, "input" | "args" | "tools"> {
  /** The task. */
  readonly prompt: string;
  readonly tools?: readonly AnyTool[];
}

/** What `agent` gives without an `output` schema: the result of `agent_loop` (docs/reference/agent-loop.md). */
export interface AgentResult {
  readonly status: string;
  readonly stop_reason: string;
  readonly text: string;
  readonly [key: string]: Json | undefined;
}

export type RunStatus = "done" | "failed" | "stopped" | "waiting";

export interface Usage {
  readonly input: number;
  readonly output: number;
}

/** How a run ended. */
export interface RunEnd<O = unknown> {
  readonly run: string;
  readonly status: RunStatus;
  readonly output?: O;
  readonly error?: HarnFailure;
  /** Tokens of all model calls. */
  readonly usage: Usage;
  /** US dollars; null when a model without a price took part. */
  readonly cost_usd: number | null;
  /** What it waits for. */
  readonly questions?: readonly Question[];
}

/** Where in a script something is. */
export interface Place {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** A failure as `HarnError` has it. */
export interface HarnFailure extends Error {
  /** `HARN-…`; docs/reference/errors.md explains each. */
  readonly code: string;
  readonly run?: string;
  readonly place?: Place;
  readonly questions?: readonly Question[];
}

type EventData = DurableEventData<string> & EphemeralEventData;

/** What happens in a run, as in a server's log (docs/events.md). `seq` counts from 1, null for what is not kept. */
export type RunEvent = {
  readonly [T in keyof EventData]: WirePlace & {
    readonly v: 1;
    readonly seq: number | null;
    /** Milliseconds since the epoch. */
    readonly at: number;
    readonly type: T;
    readonly conversation: string | null;
    readonly run: string;
    readonly data: EventData[T];
  };
}[keyof EventData];

/** Awaited, it is its output; a failure that nobody awaits is in `done` alone. */
export interface Run<O = unknown> extends Promise<O>, AsyncIterable<RunEvent>, AsyncDisposable {
  /** Its name in the store. */
  readonly id: string;
  /** How it ended, whatever happened: never rejects. */
  readonly done: Promise<RunEnd<O>>;
  /** What the outermost agent says, as it is said. */
  readonly text: AsyncIterable<string>;
  /** Answers a question while the run lives. */
  answer(question: string, value: unknown): void;
  /** Ends it where it is, resumably; settles when it has ended. */
  stop(reason?: string): Promise<void>;
}

export interface ResumeOptions<O = unknown>
  extends Pick<RunOptions<O>, "tools" | "output" | "signal" | "timeout" | "onPrint"> {
  /** Another version of its script. */
  readonly script?: string;
}

export interface ForkOptions {
  /** The first step that is done anew, as `harn runs show` numbers them. */
  readonly at: number;
  /** What that step gives. */
  readonly result?: Json;
  readonly model?: string;
  readonly provider?: string;
}

export interface ReplayOptions {
  /** Another version of its script, which must ask for the same; what was recorded with the run unless given. */
  readonly script?: string;
  /**
   * `live`: tools of `harn` that read or are idempotent are called, with the keys of then; what they give is compared, and the first that
   * gives something else ends the replay, with both values. All others give what is recorded. `recorded` unless given.
   */
  readonly tools?: "recorded" | "live";
}

export interface RunRow {
  readonly run: string;
  readonly status: string;
  readonly script: string;
  /** Milliseconds since the epoch. */
  readonly began: number;
  readonly ended: number | null;
  readonly exit_code: number | null;
  /** Of an agent that did not do its work, whatever its program made of it. */
  readonly outcome: { readonly status: "failed" | "stalled"; readonly why: string } | null;
  /** The run that it was forked from. */
  readonly parent: string | null;
}

export interface Runs {
  /** Newest first; `after`: those that stand behind this one. */
  list(options?: { readonly limit?: number; readonly after?: string }): Promise<readonly RunRow[]>;
  get(run: string): Promise<RunRow | undefined>;
  /** What happened in it, from its record; nothing outside is touched. */
  events(run: string, after?: number): AsyncIterable<RunEvent>;
  /** The open questions of a run. */
  questions(run: string): Promise<readonly Question[]>;
  /** Kept with the run; `resume` goes on with it. */
  answer(run: string, question: string, value: unknown): Promise<void>;
  export(run: string, file: string): Promise<void>;
  /** Gives its name. */
  import(file: string): Promise<string>;
  remove(run: string): Promise<void>;
}

// ── flows ───────────────────────────────────────────────────────────────────────────────────────────────────────────

type Anything<T> = 0 extends 1 & T ? true : unknown extends T ? true : false;
type Plain = string | number | bigint | boolean | null | undefined;

/** A value as a record gives it back: dates and addresses are texts, sets are lists, maps are objects; nothing is null. */
export type Recorded<T> =
  // biome-ignore lint/suspicious/noConfusingVoidType: what functions without a result give
  Anything<T> extends true ? T : T extends undefined | void ? null : RecordedPart<T>;
type RecordedPart<T> =
  Anything<T> extends true
    ? T
    : // What is JSON is itself, however deep.
      T extends Plain | Uint8Array | Json | { readonly [key: string]: Json | undefined }
      ? T
      : T extends { toJSON(...of: never): infer J }
        ? RecordedPart<J>
        : T extends ReadonlySet<infer V>
          ? RecordedPart<V>[]
          : T extends ReadonlyMap<string, infer V>
            ? { [key: string]: RecordedPart<V> }
            : T extends readonly (infer V)[]
              ? number extends T["length"]
                ? RecordedPart<V>[]
                : { [K in keyof T]: RecordedPart<T[K]> }
              : { [K in keyof T]: RecordedPart<T[K]> };

export interface StepOptions {
  /** What it does outside; `write` unless given. */
  readonly effect?: "read" | "write";
  /** It may be done again after a crash, with the same key, without being done twice. */
  readonly idempotent?: boolean;
}

export type StepContext = Omit<ToolContext, "call">;

/** What a person is asked for; `choices` and `context` are shown. */
export interface AskOptions<A = unknown> {
  /** Of the answer: it is asked for until it fits, and typed. */
  readonly schema?: Schema<A>;
  /** The answer when none comes in time. */
  readonly default?: A;
  /** Milliseconds; a day unless given. */
  readonly timeout?: number;
  readonly choices?: readonly string[];
  readonly context?: unknown;
}

/** An agent of a flow: options of `agent_loop`, its task, its tools besides those of the run, the schema of its result. */
export interface FlowAgentOptions<O = unknown> extends LoopOptions {
  readonly prompt: string;
  readonly tools?: readonly AnyTool[];
  readonly output?: Schema<O>;
}

export interface ParallelOptions {
  /** So many at a time; all unless given. */
  readonly concurrency?: number;
}

/** By which the function of a flow does what the outside sees: each call is recorded, and answered from the record later. */
export interface FlowContext {
  /** Name of the run; in a fork that of the run it is a fork of, so that what is made of it is the same. */
  readonly run: string;
  /** Does something outside, once: a resumed or replayed run gets the recorded result. Another `input` than recorded is told. */
  step<I, R>(
    name: string,
    input: I,
    fn: (input: Recorded<I>, context: StepContext) => R,
    options?: StepOptions,
  ): Promise<Recorded<Awaited<R>>>;
  /** Runs an agent: `agent_loop`. Rejects when it does not do its work. */
  agent<O = AgentResult>(options: FlowAgentOptions<O>): Promise<O>;
  /** Asks a person. The run waits, also for days and in no process, until somebody answers. */
  ask<A = Json>(prompt: string, options?: AskOptions<A>): Promise<A>;
  /** Milliseconds; a resumed run waits for what is left of them. */
  sleep(ms: number): Promise<void>;
  /** Milliseconds since the epoch; in a replay those of then. */
  now(): number;
  /** Calls `fn` for each item, each with a context of its own; rejects with the first error in their order when all have ended. */
  parallel<T, R>(
    items: Iterable<T>,
    fn: (ctx: FlowContext, item: T, index: number) => R,
    options?: ParallelOptions,
  ): Promise<Awaited<R>[]>;
}

export type FlowOptions<O = unknown> = Omit<RunOptions<O>, "input" | "args" | "onPrint">;

/** Runs the flow. With `output` its result is validated, and typed. */
export type Flow<I, O> = <V = Recorded<O>>(
  ...call: undefined extends I ? [input?: I, options?: FlowOptions<V>] : [input: I, options?: FlowOptions<V>]
) => Run<V>;

export interface Harn extends AsyncDisposable {
  /** Runs a script. */
  run<O = unknown>(source: ScriptSource, options?: RunOptions<O>): Run<O>;
  /** Runs an agent: `agent_loop`. */
  agent<O = AgentResult>(options: AgentOptions<O>): Run<O>;
  /**
   * Makes a flow: a function whose steps are recorded. It is called again when a run of it is resumed, forked or replayed; so the flow
   * of that name has to be made before.
   */
  flow<I, O>(name: string, fn: (ctx: FlowContext, input: I) => O): Flow<I, Awaited<O>>;
  /** Goes on with a run that was stopped, killed or waits. */
  resume<O = unknown>(run: string, options?: ResumeOptions<O>): Run<O>;
  /** Plays a recorded run again, its name or an exported file: nothing outside is touched. */
  replay<O = unknown>(run: string | URL, options?: ReplayOptions): Run<O>;
  /** A new run that goes like an old one up to a step. */
  fork<O = unknown>(run: string, options: ForkOptions & ResumeOptions<O>): Run<O>;
  readonly runs: Runs;
  /** Stops its runs, resumably, and closes its store. */
  close(): Promise<void>;
}
