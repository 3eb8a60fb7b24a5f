/** A set that came from elsewhere, before it lies in a store: samples, scores and nothing that could be replayed. */
import type { Json } from "../../values/index.ts";

export interface ImportedSet {
  readonly task: string;
  readonly rows: readonly ImportedTrial[];
  /** Scorers that decide, where the file says so. */
  readonly success?: readonly string[];
}

export interface ImportedTrial {
  readonly sample: string;
  readonly epoch: number;
  readonly variant: string;
  readonly cluster: string | null;
  /** What the sample is made of besides its id; equal for all trials of a sample. */
  readonly body: { readonly [name: string]: Json };
  /** The whole sample as canonical JSON, where the file has it; it counts before `body`. */
  readonly sampleText?: string;
  /** Text of the answer and messages, where they are known; `tools` are the calls in them, as an outcome has them. */
  readonly text: string;
  readonly messages: Json;
  readonly tools: Json;
  /** What the tools kept at the end. */
  readonly world: Json;
  readonly stopReason: string | null;
  /** The limit that ended it. */
  readonly limit: string | null;
  readonly turns: number;
  readonly error: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  readonly workingMs: number;
  /** Absent: as long as it worked. */
  readonly wallMs?: number;
  /** Milliseconds since 1970, where they are known. */
  readonly began?: number;
  readonly ended?: number;
  readonly scores: readonly ImportedScore[];
}

export interface ImportedScore {
  readonly scorer: string;
  /** Null: unscored, or a label alone. */
  readonly value: number | null;
  readonly pass: boolean | null;
  readonly label: string | null;
  readonly why: string | null;
}

/** Thrown for a file that is not what it should be. */
export class ImportProblem extends Error {
  /** A newer harn can read it. */
  readonly isNewer: boolean;
  constructor(message: string, isNewer = false) {
    super(message);
    this.isNewer = isNewer;
  }
}

/** A trial has its place once. `what`: what stands in for a trial in the file. */
export function mustBeDistinct(places: Iterable<readonly (string | number)[]>, what: string): void {
  const taken = new Set<string>();
  for (const place of places) {
    const key = JSON.stringify(place);
    if (taken.has(key)) throw new ImportProblem(`two ${what} are of one sample, variant and epoch: ${key}`);
    taken.add(key);
  }
}

export const maxImportedTrials = 1_000_000;

/** What passes unless a file says so itself. */
export const passesAt = 1;

export const numberScore = (scorer: string, value: number): ImportedScore => ({
  scorer,
  value,
  pass: value >= passesAt,
  label: null,
  why: null,
});

export const bareTrial = (sample: string, epoch: number, variant: string): ImportedTrial => ({
  sample,
  epoch,
  variant,
  cluster: null,
  body: {},
  text: "",
  messages: null,
  tools: null,
  world: null,
  stopReason: null,
  limit: null,
  turns: 0,
  error: null,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  workingMs: 0,
  scores: [],
});
