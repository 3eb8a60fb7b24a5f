/** What the root asks of the engine: a run of some kind, whose events and end it is told. */
import type { RunWriter } from "../store/index.ts";
import type {
  FlowContext,
  FlowOptions,
  ForkOptions,
  HarnOptions,
  ReplayOptions,
  ResumeOptions,
  RunEnd,
  RunEvent,
  RunOptions,
  Runs,
  ScriptSource,
} from "./types.ts";

/** What of the options of `agent` is not `agent_loop`'s. */
export interface AgentRunOptions extends Omit<RunOptions, "input" | "args"> {
  readonly prompt: string;
}

/** A run that is to be made. `run` names it: the new one, or that which goes on or is played. */
export type Order =
  | {
      readonly kind: "script";
      readonly run: string;
      readonly source: ScriptSource;
      readonly options: RunOptions;
    }
  | {
      readonly kind: "agent";
      readonly run: string;
      readonly options: AgentRunOptions;
      /** Options of `agent_loop`, in camelCase. */
      readonly loop: { readonly [name: string]: unknown };
    }
  | {
      readonly kind: "flow";
      readonly run: string;
      readonly flow: string;
      readonly input: unknown;
      readonly options: FlowOptions;
    }
  | { readonly kind: "resume"; readonly run: string; readonly options: ResumeOptions }
  | { readonly kind: "replay"; readonly run: string; readonly options: ReplayOptions }
  | {
      readonly kind: "fork";
      readonly run: string;
      readonly from: string;
      readonly options: ForkOptions & ResumeOptions;
    };

/** What a run that lives takes. */
export interface LivingRun {
  /** Whether it waits for this answer. */
  answer(question: string, value: unknown): void;
  /** `cause`: what the program gave as the reason. */
  stop(reason: string, cause?: unknown): void;
}

/** Whoever hears of a run. */
export interface RunListener {
  event(event: RunEvent): void;
  /** Before its program begins. */
  lives(run: LivingRun): void;
}

export interface Engine {
  /** To its end. */
  perform(order: Order, listener: RunListener): Promise<RunEnd>;
  readonly runs: Runs;
  close(): Promise<void>;
}

export type FlowFunction = (ctx: FlowContext, input: unknown) => unknown;

/** What tests put in place of the world: `testHarn`, and what is built on it. All runs then have one machine, and one seed. */
export interface Bench {
  /** Asked before each order: gives what is carried out in its place. */
  order?(order: Order): Order;
  /** What a new run's journal is written by. */
  writer?(writer: RunWriter): RunWriter;
}

/** Options of `harn`, as they were when it was called. */
export interface Settings extends HarnOptions {
  readonly cwd: string;
  /** Those that were made so far, by name. */
  readonly flows: ReadonlyMap<string, FlowFunction>;
  readonly bench?: Bench;
}
