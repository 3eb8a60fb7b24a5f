/**
 * What the engine asks of whoever can make Runtimes (the command line): each trial and each scoring has one of its own, in the
 * state in which the plan was when the set began.
 */
import type { StopRequest } from "../../effects/index.ts";
import type { Runtime, Task } from "../../interp/index.ts";
import type { ModelConfig } from "../../model/index.ts";
import type { MaybePromise } from "../../values/index.ts";
import type { SandboxFiles, SandboxSpec } from "../plan/index.ts";
import type { EvalStore } from "../sets/eval-store.ts";
import type { TrialWaits } from "./trial-waits.ts";

/** `under a new program`: what the program asks for now may differ from what is recorded; from there on it is live. */
export type TrialResume =
  | "no"
  | "where it stopped"
  | "where it failed"
  /** At the model call that it waited for in vain when a limit of time was met. */
  | "where it waited"
  | "under a new program";

/** Where a fork begins: in a run that is there already, followed up to a step that is done differently. */
export interface ForkStart {
  /** Name of the run that it goes like. */
  readonly run: string;
  /** From 1. */
  readonly step: number;
  /** The step's own result, JSON or text; null: it is done. */
  readonly result: string | null;
  /** Variables of the environment from there on. */
  readonly env: Readonly<Record<string, string>>;
  /** Another program: what it asks for may differ earlier, and is live from there on. */
  readonly otherProgram: boolean;
}

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
  readonly resume: TrialResume;
  /** It begins as another run does; its own journal, when there is one, counts more. */
  readonly fork?: ForkStart | undefined;
  /** Nothing happens: it only replays. */
  readonly replayOnly?: boolean;
  /** What the engine fixes for its model calls. */
  readonly models: Pick<ModelConfig, "roles" | "wrap">;
  /** Told when it waits for its turn to run a command. */
  readonly waits?: TrialWaits | undefined;
  /** The folder of the trial, for whoever replays it elsewhere; absent without a sandbox. */
  readonly cwd?: string | undefined;
  /** The run in whose sandbox it works. */
  readonly sandbox?: string | undefined;
  /** Called in the transaction that begins its journal. */
  readonly beginning?: (() => void) | undefined;
  /** Called once around the writes that end its journal; what else is written in it becomes true with them. */
  readonly ending?: ((write: () => void) => Promise<void>) | undefined;
}

/** How a body ended in its Runtime. */
export type TrialPlay<T> =
  | { readonly kind: "ended"; readonly value: T }
  /** Asked to stop; its journal goes on from there. */
  | { readonly kind: "stopped"; readonly request: StopRequest }
  /** It did not come to its place, its journal can't be followed, or something else is wrong that is not its own matter. */
  | {
      readonly kind: "broken";
      readonly message: string;
      readonly isMismatch: boolean;
      /** Of one that only replays: the step at which it would have gone on live, and the kind of effect that it asked for. */
      readonly divergedAt?: { readonly step: number; readonly kind: string | null };
    };

export interface TrialRun {
  readonly runtime: Runtime;
  /** Brings the program to where the set begins, silently, and runs `body` there in a task of its own. */
  play<T>(body: (task: Task) => Promise<T>): Promise<TrialPlay<T>>;
  /** The name of its run, once there is a journal; a trial that goes another way than its journal has a new one. */
  recordedAs(): string | null;
  /** Of a fork: whether the next model call of a task is one that the other run has made before the step. */
  isBeforeFork(task: Task): boolean;
  /** A text as the store keeps it: with placeholders for secrets, which are the same in a replay that knows none. */
  hidden(text: string): string;
  /** What it has printed, at most 64 kB. */
  printed(): string;
  stop(request: StopRequest): void;
}

/** A file of a sandbox that a trial made, changed or removed. */
export interface SandboxFile {
  readonly path: string;
  /** SHA-256; null: it is gone. */
  readonly digest: string | null;
  readonly bytes: number;
  /** What is in it, where it is kept: as text, or base64 where it is none. */
  readonly text?: string;
  readonly base64?: string;
}

/** What a sandbox is made of. */
export interface SandboxRequest {
  /** Name of the set: containers carry it. */
  readonly set: string;
  readonly task: string;
  readonly spec: SandboxSpec;
  /** Files that the sample brings along. */
  readonly files: SandboxFiles;
}

/** The environment of a trial can't be had: whoever asks is told of an error of the environment. */
export class SandboxProblem extends Error {}

/** The folders and containers of trials; each has the name of the run that works in it. */
export interface Sandboxes {
  /**
   * Called before trials that need containers. False when no engine answers. What a process that was killed has left of the
   * set, and none of these runs goes on in, is removed.
   */
  ready(set: string, resumed: readonly string[]): Promise<boolean>;
  isThere(run: string): boolean;
  /** Where it is, or was when the run was recorded. */
  place(run: string): string;
  /** Throws a `SandboxProblem` for a container that can't be had. */
  make(run: string, request: SandboxRequest): Promise<void>;
  /** One that is there, to be resumed in: programs that ran in it have ended. Throws a `SandboxProblem`. */
  wake(run: string, task: string): Promise<void>;
  /** Why it can't be used any more; null while it can, and for folders. */
  lost(run: string): string | null;
  /** What is otherwise than at its beginning, sorted; with `keep` "all" every file. */
  files(run: string, keep: SandboxSpec["keep"]): MaybePromise<readonly SandboxFile[]>;
  /** As a trial left it: its beginning, and what was kept. False when not all of it was kept. */
  rebuild(run: string, request: SandboxRequest, left: readonly SandboxFile[]): Promise<boolean>;
  /** The trial is paused: programs that still run in its sandbox end, its files stay. */
  rest(run: string): Promise<void>;
  remove(run: string): Promise<void>;
}

export interface TrialRuns {
  readonly store: EvalStore;
  readonly sandboxes: Sandboxes;
  open(options: TrialRunOptions): TrialRun;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds on a clock that nobody sets back. */
  monotonic(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves where no interrupt breaks off what comes next. */
  steady(): Promise<void>;
  /** JSON text that `TrialRun.hidden` has hidden, with the secrets that this process has in their places. */
  revealed(json: string): string;
  /** Name of a run by its number in the store. */
  runNamed(id: number): string | undefined;
  /** Whether the journal of a run ends with what it came to. */
  hasEnded(run: string): boolean;
  /** Name of the newest run of a trial that is no scoring; `undefined` when it has none. */
  newestOf(trial: number): string | undefined;
}
