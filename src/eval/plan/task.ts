/** A task as data (`TaskSpec`, fit for JSON) and, apart from it, what it runs (`TaskCode`). */
import type { Callable, Dict, Json, Value } from "../../values/index.ts";
import type { Gate } from "./gate.ts";
import type { Limits } from "./limits.ts";
import type { SandboxSpec } from "./sandbox/spec.ts";
import type { ScorerSpec } from "./score.ts";
import type { Variant } from "./variant.ts";

/** Where rows come from. Those that a script wrote down or computes are in `TaskCode.dataset`. */
export type DatasetRef =
  /** Relative to `base`, the folder of the script. `*` joins files. */
  | { readonly kind: "path"; readonly path: string; readonly base: string }
  | { readonly kind: "rows" }
  | { readonly kind: "closure" };

export interface SampleChoice {
  readonly n: number;
  readonly seed: string;
  /** From each value of this field its share, at least one. */
  readonly by: string | null;
}

export type SolverKind =
  | { readonly kind: "closure" }
  /** The system text of one model call. */
  | { readonly kind: "text"; readonly system: string }
  /** Options of `agent_loop`, with `system`; the dict itself is in `TaskCode.solver`. */
  | { readonly kind: "loop"; readonly system: string };

export type RetryCategory = "provider" | "environment" | "harness";

export interface Retries {
  readonly max: number;
  readonly on: readonly RetryCategory[];
  /** A retry begins anew instead of going on at the effect that failed. */
  readonly fresh: boolean;
}

export type OnUserFault =
  | { readonly kind: "keep" | "drop" }
  /** A new attempt with another stream of the user, so often at most. */
  | { readonly kind: "redo"; readonly times: number };

export interface CacheSpec {
  /** Milliseconds; null: for ever. */
  readonly ageMs: number | null;
}

/** Ends a set as soon as it is known which of two variants is better. */
export interface RaceSpec {
  readonly metric: string;
  /** Names of variants, A and B: B is compared with A. */
  readonly pairs: readonly (readonly [a: string, b: string])[];
  /** The chance of a false alarm, over all pairs. */
  readonly alpha: number;
  /** Differences within it count as equal; null: they never do. */
  readonly margin: number | null;
  /** Observations before the first decision. */
  readonly min: number;
}

/** How the epochs of a sample become one value; `at_least_K` says that K of them pass. */
export type Reduce =
  | "mean"
  | "median"
  | "max"
  | "min"
  | "mode"
  | "first"
  | { readonly kind: "at_least"; readonly k: number };

export interface TaskSpec {
  /** Unique in a set. */
  readonly name: string;
  readonly description: string | null;
  readonly tags: readonly string[];
  /** Fields of samples by which figures are shown. */
  readonly groupBy: readonly string[];
  readonly dataset: DatasetRef;
  /** Fields of the sample by the path of the row that they come from; null: as they are, or `TaskCode.fields`. */
  readonly fields: Readonly<Record<string, string>> | null;
  /** The seed of the order; null: as read. */
  readonly shuffle: string | null;
  readonly sample: SampleChoice | null;
  readonly take: number | null;
  readonly solver: SolverKind;
  /** Names of the tools. */
  readonly tools: readonly string[];
  readonly scorers: readonly ScorerSpec[];
  /** Names of judges that compare two outcomes; they score no trial. */
  readonly pairwise: readonly string[];
  /** Scorers that must pass for a trial to succeed. */
  readonly success: readonly string[];
  readonly epochs: number;
  /** At least one: `default`. */
  readonly variants: readonly Variant[];
  /** Options of model calls by role; `Json` of each dict. */
  readonly roles: Readonly<Partial<Record<"user" | "judge" | "agent", Readonly<Record<string, Json>>>>>;
  readonly limits: Limits;
  readonly retries: Retries;
  /** Below 1 a share of the trials, from 1 on a count, that ends the set early. */
  readonly maxErrors: number | null;
  readonly onUserFault: OnUserFault;
  /** Null: success, each scorer's mean, pass^k with several epochs, cost, tokens. */
  readonly metrics: readonly string[] | null;
  readonly reduce: Readonly<Record<string, Reduce>>;
  readonly gates: readonly Gate[];
  /** Name of a set. */
  readonly baseline: string | null;
  /** Answers of models are kept, and taken again until they are so old; null: every call asks. */
  readonly cache: CacheSpec | null;
  /** Null: every trial that is planned is run. */
  readonly race: RaceSpec | null;
  /** Stands for the digest of the program. */
  readonly version: string | null;
  readonly seed: string | null;
  readonly sandbox: SandboxSpec | null;
  /** It has an oracle; without one a sample's `solution` is its own. */
  readonly hasOracle: boolean;
}

/** A scorer's function and what it was given to be made of. */
export interface ScorerCode {
  /** `fn(outcome, sample) -> score` */
  readonly score: Callable;
  /** Options of the calls of its judges. */
  readonly calls: readonly Dict[];
}

/** A judge of pairs. */
export interface PairwiseCode {
  readonly name: string;
  /** `fn(a, b, sample) -> {preference: "A" | "B" | "tie", why?, error?}` */
  readonly compare: Callable;
}

/** What a task runs. It lives in the Runtime that evaluated the declaration, and is never stored. */
export interface TaskCode {
  /** Rows written in the script, a closure that gives them, or nil. */
  readonly dataset: Value;
  readonly fields: Callable | null;
  readonly where: Callable | null;
  /** A closure `fn(sample, trial)`, the text, or the dict. */
  readonly solver: Value;
  /** What solvers and dialogues offer: a registry, or nil. */
  readonly tools: Value;
  readonly oracle: Callable | null;
  readonly setup: Callable | null;
  readonly cleanup: Callable | null;
  /** A dict, or a closure `fn(sample)`. */
  readonly world: Value;
  /** `fn(sample)` giving an answerer. */
  readonly user: Callable | null;
  /** At the places of `TaskSpec.scorers`. */
  readonly scorers: readonly ScorerCode[];
  readonly pairwise: readonly PairwiseCode[];
}

export interface RegisteredTask {
  readonly spec: TaskSpec;
  readonly code: TaskCode;
}
