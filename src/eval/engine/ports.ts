/**
 * What the engine asks of whoever can make Runtimes (the command line): each trial and each scoring has one of its own, in the
 * state in which the plan was when the set began.
 */
import type { Json, StopRequest } from "../../effects/index.ts";
import type { Runtime, Task } from "../../interp/index.ts";
import type { ModelConfig } from "../../model/index.ts";
import type { EvalStore } from "../sets/eval-store.ts";

/** A Runtime to be opened. */
export interface TrialRunOptions {
  /** Name of its run in the store. */
  readonly run: string;
  /** Number of the trial; its runs are no runs of their own in lists. */
  readonly trial: number;
  /** What the journal's header says of it. */
  readonly address: string;
  readonly seed: string;
  /** What is there of the run is replayed first. */
  readonly resume: "no" | "where it stopped" | "where it failed";
  /** Nothing happens: it only replays. */
  readonly replayOnly?: boolean;
  /** What the engine fixes for its model calls. */
  readonly models: Pick<ModelConfig, "roles" | "wrap">;
  /** Results of effects that the journal lacks, by `path#number`: answers of people. */
  readonly folder?: { readonly cwd: string; readonly env: Readonly<Record<string, string>> } | undefined;
  /** Called once around the writes that end its journal; what else is written in it becomes true with them. */
  readonly ending?: ((write: () => void) => void) | undefined;
}

/** How a body ended in its Runtime. */
export type Played<T> =
  | { readonly kind: "ended"; readonly value: T }
  /** Asked to stop; its journal goes on from there. */
  | { readonly kind: "stopped"; readonly request: StopRequest }
  /** It did not come to its place, its journal can't be followed, or something else is wrong that is not its own matter. */
  | { readonly kind: "broken"; readonly message: string; readonly isMismatch: boolean };

export interface TrialRun {
  readonly runtime: Runtime;
  /** Brings the program to where the set begins, silently, and runs `body` there in a task of its own. */
  play<T>(body: (task: Task) => Promise<T>): Promise<Played<T>>;
  /** Whether its journal was begun: there is a run of its name. */
  recorded(): boolean;
  /** What it has printed, at most 64 kB. */
  printed(): string;
  stop(request: StopRequest): void;
}

export interface TrialRuns {
  readonly store: EvalStore;
  open(options: TrialRunOptions): TrialRun;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds on a clock that nobody sets back. */
  monotonic(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves where no interrupt breaks off what comes next. */
  steady(): Promise<void>;
  /** Removes runs that are to begin anew. */
  forget(run: string): void;
  /** Keys of the projects' configuration, for messages about what is done. */
  readonly options?: Json;
}
