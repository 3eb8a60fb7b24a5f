/**
 * The effects port: the one way by which anything outside a run reaches it (docs/journal.md).
 *
 * An effect is identified by its path (the task or child that asks) and its number on that path, and carries a
 * fingerprint of class, kind and arguments. Live, it runs; recorded, intent and result go to the journal; replayed,
 * the result comes from the journal and nothing outside is touched.
 */

import type { Json, MaybePromise } from "../values/index.ts";
import type { EffectClass } from "./effect-class.ts";
import type { InFlightEffect } from "./in-flight.ts";
import type { ResultShape } from "./result-shape.ts";
import type { Secrets } from "./secrets/secrets.ts";
import type { Turns } from "./turns.ts";

/** The classes that the journal knows. */
export type JournalledClass = Exclude<EffectClass, "pure" | "state">;

/** Where an effect is counted: a task, generator, callback, hook or child loop. Numbered by its parent at creation. */
export interface EffectScope {
  /** `0`, `0.1`, `0.1.3` …: the parent's path and the child's number on it. */
  readonly path: string;
  /** Effects and children begun on this path so far. */
  effects: number;
  children: number;
}

/** One effect as its performer describes it. `T` is what the performer gets back, live and replayed alike. */
export interface EffectCall<T> {
  readonly effect: JournalledClass;
  /** Stable name: `read_file`, `llm.call`, `tool.shell`. */
  readonly kind: string;
  /** For fingerprint and journal; asked for only when recording or replaying. Secrets are replaced by the port. */
  args(): Json;
  /** The variable of the environment that the program asks for by its name. */
  readonly variable?: string;
  /**
   * Does it. May throw or reject with anything; `ScriptError`s are recorded as results and replayed. The signal is
   * aborted when nobody waits for the result any more; it is made only for a function that declares the parameter.
   */
  run(signal: AbortSignal, left?: number): MaybePromise<T>;
  /**
   * It waits so many milliseconds and does nothing else. A run that is resumed passes what is `left` of them to `run`.
   */
  readonly waits?: number;
  /**
   * Always asynchronous. Its start is put off until all tasks wait, so that the intents of all that start together are
   * made durable together.
   */
  readonly deferred?: boolean;
  /** Class `write`: whether it is known to change nothing all the same: a command that only reads. */
  readonly onlyReads?: () => boolean;
  /** What a resume does when it is not known whether it happened; for class `write`. Default `ask`. */
  readonly inDoubt?: InDoubtRule | (() => InDoubtRule);
  /** What tells afterwards whether it happened, for class `write`. */
  readonly evidence?: EffectEvidence;
  /**
   * Called before it is done again: what it may have cost stays booked. `begun`: how often it had been begun before. `hasFailed`: it
   * is known that it failed then; else not whether it happened.
   */
  repeated?(begun: number, hasFailed: boolean): void;
  /**
   * No task waits for it: it is open for as long as the run, and counts neither when the run is looked at for deadlocks nor when
   * it parks or ends.
   */
  readonly background?: boolean;
  /** For class `human`: what the person is asked. A run that nobody can answer then parks until somebody does. */
  question?(): Json;
  /** What comes of it, and how that is recorded. */
  readonly result: ResultShape<T>;
}

/**
 * What a resume does with an effect of which only the intent is known. Doing it again is right for what can be done
 * twice (`repeat`); a sub-process that is known to change nothing is run again and a line says so (`say`), for any other
 * the run parks until somebody has decided (`park`); anything else is the user's to decide, and fails where nobody can be
 * asked (`ask`).
 */
export type InDoubtRule = "repeat" | "say" | "park" | "ask";

/** How an effect can find out whether it happened: an append notes the size of the file before. */
export interface EffectEvidence {
  /** Looked at before it happens; kept with the intent. */
  before(): Json;
  /** Looked at when the run is resumed. `done`: its result is nil. */
  after(before: Json): "done" | "undone" | "unknown";
}

/** What a record says of an effect before anybody asks for it. */
export interface RecordedKind {
  readonly effect: JournalledClass;
  readonly kind: string;
}

export type EffectMode = "live" | "record" | "replay";

/**
 * Something that happened between effects and that a replay cannot work out: at which step of which task a deadline,
 * a limit or an interrupt took effect.
 */
export interface Decision {
  readonly path: string;
  readonly steps: number;
  /** `deadline`, `interrupt` or the name of a limit. */
  readonly kind: string;
  /** Which one, when a task has several: `0.1#0` is the outermost deadline of task 0.1. */
  readonly subject: string;
  /** Turns taken before it: set by the port. */
  readonly turn?: number;
}

/** Why a run is asked to stop from outside. */
export interface StopRequest {
  /**
   * `interrupt` (Ctrl-C), `terminate` (TERM), `hangup` (the terminal was closed), `cancel` (the host's wish), `output`
   * (nobody takes it any more) or `parked` (all wait for people who are not there: the run ends at once, nothing unwinds).
   */
  readonly reason: "interrupt" | "terminate" | "hangup" | "cancel" | "output" | "parked";
  /** What the process should end with. */
  readonly exitCode: number;
  /** The run ends where it is: no handler is called, nothing unwinds, nobody is waited for. */
  readonly atOnce?: boolean;
}

/** How the agent of a run ended that did not do its work, whatever its program made of it. */
export interface AgentFailure {
  /** `failed`: it could not go on, or what it did was not what was asked; `stalled`: it got no further. */
  readonly status: "failed" | "stalled";
  /** In a line: what failed, or why it got no further. */
  readonly why: string;
}

/** What a program gave, or the error that nobody caught, in stored form. */
export type ProgramResult = { readonly value: Json } | { readonly error: Json };

/** How a run ended, for the journal. */
export interface RunEnd {
  readonly reason: "done" | "error" | "exit" | StopRequest["reason"];
  readonly exitCode: number;
  /** What whoever looks at the run later should know of it, a line each: agents that failed and were not looked at. */
  readonly notes?: readonly string[];
  /** Work of a program that is through and goes on when somebody answers, a line each. */
  readonly waits?: readonly string[];
  /** Of the outermost agent that ended last; absent when it did its work, and of runs without agents. */
  readonly outcome?: AgentFailure | undefined;
  /** Where somebody has the result as data, asked for only when it is written or compared; gives `undefined` for what has no stored form. */
  readonly result?: (() => ProgramResult | undefined) | undefined;
}

/** Nobody asked it to. */
export const endedByItself = ({ reason }: Pick<RunEnd, "reason">): boolean =>
  reason === "done" || reason === "error" || reason === "exit";

export interface Effects {
  readonly mode: EffectMode;
  /** The scope of the program itself. */
  readonly root: EffectScope;
  /** Who may go on, and when. */
  readonly turns: Turns;
  /** Opens the next child path of a scope. */
  child(parent: EffectScope): EffectScope;
  /**
   * Performs one effect. Synchronous effects give their result at once; asynchronous ones give a promise, and their
   * results are handed over one at a time, each when all runnable tasks have come to rest, in an order that is
   * recorded and kept on replay. A promise whose effect is abandoned never settles. Scripts' tasks go through
   * `Task.perform`, which also lets deadlines and cancellation end the wait.
   */
  perform<T>(scope: EffectScope, call: EffectCall<T>, inFlight?: InFlightEffect): MaybePromise<T>;
  /**
   * Whether the record knows how the next effect on a path ended, or that its task did not wait for that: it does not happen now.
   * Absent: in a replay all are.
   */
  isAnswered?(scope: EffectScope): boolean;
  /** While a record is followed: what it holds as the next effect on a path. */
  recordedNext?(scope: EffectScope): RecordedKind | undefined;
  /** A run that goes on lacks what it needs for that: it stays as it is, and ends with the problem, which is to be thrown. */
  cannotGoOn?(problem: unknown): unknown;
  /** While a record is followed: whether the next result that it hands over is of an effect that nobody has asked for yet. */
  isAhead?(): boolean;
  /** 32 random bits from the run's seed and the scope's own stream. */
  random32(scope: EffectScope): number;
  /** Where the run is recorded it is from now on, also before its first effect: an agent begins, or a program has the run's name. */
  beginsNow?(): void;
  /** Pieces of standard output so far. */
  readonly printed: number;
  /** Opens a child path whose randomness, and that of all below it, depends on `seed` and `name` alone. */
  seededChild(parent: EffectScope, seed: string, name: string): EffectScope;
  /** Numbers a piece of standard output. False: it must not be printed (the replayed run had ended before it). */
  output(text: string): boolean;
  /** Notes what took effect between two effects; does nothing on replay. */
  decided(decision: Decision): void;
  /**
   * On replay: what takes effect next on a task's path; it is asked for again until `steps` is reached. The path "" is
   * the whole run, whose steps are the looks at its limits.
   */
  nextDecision(path: string): Decision | undefined;
  /** On replay: `nextDecision` has taken effect. */
  decisionTaken(path: string): void;
  /** On replay: what was decided can't take effect, for the program is past its place or has nothing of that name. */
  decisionMissed(decision: Decision): void;
  /** On replay: the program computes. A run that goes on, and whose history is used up, is live from here. */
  computing(): void;
  /** On replay: far more time has passed in a deadline than it has, and the record holds nothing of its passing. */
  decisionLost(deadline: string, ms: number): void;
  /**
   * The recorded part of the run is over (it was broken off in a computation). What follows, the handlers of an interrupt,
   * happens and is neither recorded nor counted; `close` still notes how the run ended.
   */
  leaveRecord(): void;
  /** Asks the run to stop, in order with the results of effects. `onStop` is called when it takes effect. */
  requestStop(request: StopRequest): void;
  onStop: (request: StopRequest) => void;
  /**
   * A replay that cannot go on faithfully; `undefined` while all is well. Whoever runs the program must end it with
   * this problem, whatever the program itself says.
   */
  readonly problem: unknown;
  onProblem: (problem: unknown) => void;
  /** A rest at which no effect is in flight: the place to look for deadlocks. */
  onIdle: () => void;
  /** Set by the interpreter: every task that has not ended is in a wait that it knows of. */
  allWait: () => boolean;
  /** Harn itself failed: while a record is followed, what that holds may be why, and is `problem` then. */
  broke?(cause: unknown): void;
  /** The process has nothing left to wait for, and the program has not ended: a replay says what it misses. */
  lost(): void;
  /** So many pieces of standard output have been printed: a resume does not print them again. */
  shown(pieces: number): void;
  /** The secrets of this run, once its program has met one: what it finds out about them is recorded. */
  readonly metSecrets?: Secrets | undefined;
  /** What keeps secrets out of the journal; `undefined` while there is none. */
  keptSecrets?(): Secrets | undefined;
  /** From now on the value is stored as `{{secret:NAME}}` wherever it occurs. Nothing to do where nothing is stored. */
  keepSecret?(name: string, value: string): void;
  /** Writes what is buffered: for a process that is about to end without closing, and before output is printed. */
  flush(): void;
  /** Aborts effects in flight, writes what is pending and closes the journal. */
  close(end?: RunEnd): Promise<void>;
}
