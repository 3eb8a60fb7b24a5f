/** What the watcher of progress (completion/stall/) keeps between two turns: data only, so that a loop that is suspended takes it along. */

/** The signs by which a loop that gets nowhere is told apart. */
export type StallPattern = "repeat" | "cycle" | "error" | "undo" | "churn" | "idle";

export interface StallState {
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

export const newStallState = (): StallState => ({
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
