/** What the watcher of repetition (completion/repetition/) keeps between two turns: data only, so that a loop that is suspended takes it along. */

/** The signs by which a loop that gets nowhere is told apart. */
export type StallPattern = "repeat" | "cycle" | "error" | "undo" | "churn" | "idle";

export interface ProgressState {
  /** Digests of what the loop has found out or changed so far. */
  readonly effects: Set<string>;
  /** Fingerprints that the loop had since its last new effect: a new effect makes all older ones unreachable. */
  readonly fingerprints: Set<string>;
  /** What the last turns called and got, newest last. */
  readonly turns: string[];
  /** The calls of the last turns as a person is told of them, newest last. */
  readonly calls: (readonly string[])[];
  /** Failures of the last turns, newest last. */
  readonly failures: (readonly string[])[];
  /** Contents that each file had, by symbol, and what it has now. */
  readonly files: Map<string, FileHistory>;
  /** Turns without progress in a row. */
  streak: number;
  /** Of them: how often a file came back to what it had been. */
  returns: number;
  /** Warnings of this streak, and turns without progress since the last of them. */
  warned: number;
  since: number;
  /** The last turn with digits folded, how often in a row it came, and whether that was warned of. */
  readonly churn: { turn: string; count: number; warned: boolean };
}

/** What is known of a file without looking at it: a content it was given as a whole, and the changes since. */
export interface FileHistory {
  readonly seen: Set<string>;
  base: string;
  readonly changes: (readonly [old: string, next: string])[];
}

export const newProgressState = (): ProgressState => ({
  effects: new Set(),
  fingerprints: new Set(),
  turns: [],
  calls: [],
  failures: [],
  files: new Map(),
  streak: 0,
  returns: 0,
  warned: 0,
  since: 0,
  churn: { turn: "", count: 0, warned: false },
});

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

export interface CircleState {
  /** The last calls since something was different, newest last. */
  sequence: CircleCall[];
  strikes: number;
  /** Calls since the last detection. */
  since: number;
  /** The last turn in which a call is refused, by the call. */
  readonly blocked: Map<string, number>;
  /** What begins the watch anew: persons' messages, compactions, changes of the mode; null before the first turn. */
  standing: string | null;
}

export const newCircleState = (): CircleState => ({
  sequence: [],
  strikes: 0,
  since: 0,
  blocked: new Map(),
  standing: null,
});

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

export interface RepetitionState {
  readonly progress: ProgressState;
  readonly circles: CircleState;
  readonly equalCalls: EqualCallState;
}

export const newRepetitionState = (): RepetitionState => ({
  progress: newProgressState(),
  circles: newCircleState(),
  equalCalls: { signature: "", streak: 0, repeated: 0, feedback: 0, warnings: [] },
});
