/** What the watcher of repetition (completion/repetition/) keeps between two turns: data only, so that a loop that is suspended takes it along. */

/** The signs by which a loop that gets nowhere is told apart. */
export type StallPattern = "repeat" | "cycle" | "error" | "undo" | "churn" | "idle";

/** What is known of a file without looking at it: a content it was given as a whole, and the changes since. */
export interface FileHistory {
  readonly seen: Set<string>;
  base: string;
  readonly changes: (readonly [old: string, next: string])[];
}

export const newProgressState = () => ({
  /** Digests of what the loop has found out or changed so far. */
  effects: new Set<string>(),
  /** Fingerprints that the loop had since its last new effect: a new effect makes all older ones unreachable. */
  fingerprints: new Set<string>(),
  /** What the last turns called and got, newest last. */
  turns: [] as string[],
  /** The calls of the last turns as a person is told of them, newest last. */
  calls: [] as (readonly string[])[],
  /** Failures of the last turns, newest last. */
  failures: [] as (readonly string[])[],
  /** Contents that each file had, by symbol, and what it has now. */
  files: new Map<string, FileHistory>(),
  /** Turns without progress in a row. */
  streak: 0,
  /** Of them: how often a file came back to what it had been. */
  returns: 0,
  /** Warnings of this streak, and turns without progress since the last of them. */
  warned: 0,
  since: 0,
  /** The last turn with digits folded, how often in a row it came, and whether that was warned of. */
  churn: { turn: "", count: 0, warned: false },
});
export type ProgressState = ReturnType<typeof newProgressState>;

/** A call as the watch for circles remembers it. */
export interface CircleCall {
  /** What it is compared by. */
  readonly signature: string;
  /** What it is refused by: the call without its result. */
  readonly call: string;
  readonly tool: string;
  /** It may be repeated to see what has become of something: it counts only with its result, and only when it is many. */
  readonly polls: boolean;
}

export const newCircleState = () => ({
  /** The last calls since something was different, newest last. */
  sequence: [] as CircleCall[],
  strikes: 0,
  /** Calls since the last detection. */
  since: 0,
  /** The last turn in which a call is refused, by the call. */
  blocked: new Map<string, number>(),
  /** What begins the watch anew: persons' messages, compactions, changes of the mode; null before the first turn. */
  standing: null as string | null,
});
export type CircleState = ReturnType<typeof newCircleState>;

/** The same call reached its threshold. */
export interface EqualCallWarning {
  readonly iteration: number;
  readonly toolName: string;
  readonly repeatCount: number;
  readonly threshold: number;
  readonly argumentsDigest: string;
  readonly signatureDigest: string;
  readonly arguments: string | null;
}

export interface EqualCallState {
  signature: string;
  streak: number;
  repeated: number;
  feedback: number;
  readonly warnings: EqualCallWarning[];
}

export const newRepetitionState = () => ({
  progress: newProgressState(),
  circles: newCircleState(),
  equalCalls: { signature: "", streak: 0, repeated: 0, feedback: 0, warnings: [] } as EqualCallState,
});
