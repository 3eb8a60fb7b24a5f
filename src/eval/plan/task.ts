/** A task as data (`TaskSpec`, fit for JSON) and, apart from it, what it runs (`TaskCode`). */
import type { Read } from "../../table/index.ts";
import type { Callable, Dict } from "../../values/index.ts";
import type { Gate } from "./gate.ts";
import type { SandboxSpec } from "./sandbox/spec.ts";
import type { ScorerSpec } from "./score.ts";
import type { taskFields } from "./task-fields.ts";
import type { Variant } from "./variant.ts";

/** As a script declares it. */
type TaskFieldsRead = Read<typeof taskFields>;

/** Where rows come from. Those that a script wrote down or computes are in `TaskCode.dataset`. */
export type DatasetRef =
  /** Relative to `base`, the folder of the script. `*` joins files. */
  | { readonly kind: "path"; readonly path: string; readonly base: string }
  | { readonly kind: "rows" }
  | { readonly kind: "closure" };

export type SampleChoice = NonNullable<TaskFieldsRead["sample"]>;

export type SolverKind =
  | { readonly kind: "closure" }
  /** The system text of one model call. */
  | { readonly kind: "text"; readonly system: string }
  /** Options of `agent_loop`, with `system`; the dict itself is in `TaskCode.solver`. */
  | { readonly kind: "loop"; readonly system: string };

export type OnUserFault = TaskFieldsRead["onUserFault"];
export type CacheSpec = NonNullable<TaskFieldsRead["cache"]>;

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

/** What is planned as it is declared. */
type PlainTask = Omit<
  TaskFieldsRead,
  keyof TaskCode | "success" | "variants" | "reduce" | "gates" | "race" | "sandbox"
>;

export interface TaskSpec extends PlainTask {
  readonly dataset: DatasetRef;
  /** Fields of the sample by the path of the row that they come from; null: as they are, or `TaskCode.fields`. */
  readonly fields: Readonly<Record<string, string>> | null;
  readonly solver: SolverKind;
  /** Names of the tools. */
  readonly tools: readonly string[];
  readonly scorers: readonly ScorerSpec[];
  /** Names of judges that compare two outcomes; they score no trial. */
  readonly pairwise: readonly string[];
  /** Scorers that must pass for a trial to succeed. */
  readonly success: readonly string[];
  /** At least one: `default`. */
  readonly variants: readonly Variant[];
  readonly reduce: Readonly<Record<string, Reduce>>;
  readonly gates: readonly Gate[];
  /** Null: every trial that is planned is run. */
  readonly race: RaceSpec | null;
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
export interface TaskCode
  extends Pick<
    TaskFieldsRead,
    "dataset" | "where" | "solver" | "tools" | "oracle" | "setup" | "cleanup" | "world" | "user"
  > {
  readonly fields: Callable | null;
  /** At the places of `TaskSpec.scorers`. */
  readonly scorers: readonly ScorerCode[];
  readonly pairwise: readonly PairwiseCode[];
}

export interface RegisteredTask {
  readonly spec: TaskSpec;
  readonly code: TaskCode;
}
