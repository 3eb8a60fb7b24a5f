/**
 * Chunks of trials that are on workers (docs/cluster.md). They are noted before they are handed out, and until what was done is taken
 * into the set: whoever goes on with it finds them, and nothing of it is run here meanwhile.
 */
import type { EvalSetRow } from "../../durable/index.ts";
import { UsageError } from "../../host/command/index.ts";
import type { Store } from "../../store/index.ts";
import type { Solver } from "../engine/index.ts";
import { evalMessage } from "../index.ts";

export interface ChunkNote {
  /** Of the chunk. */
  readonly name: string;
  /** Number of the set, and of the trials. */
  readonly set: number;
  readonly trials: readonly number[];
  readonly as: Solver;
  /** What it may spend; null: there is no limit. */
  readonly costUsd: number | null;
  readonly tokens: number | null;
  /** Requests at once to providers. */
  readonly connections: Readonly<Record<string, string>>;
  /** It was handed out: somebody may have begun with it. */
  readonly isSent?: boolean;
}

const space = "eval.on_workers";

/** Of a set, in the order of their names. */
export function chunksElsewhere(files: Store, set: number): ChunkNote[] {
  const notes = files.entries.list(space).map(({ value }) => value as unknown as ChunkNote);
  return notes.filter((note) => note.set === set);
}

/** `owned`: the set that this process has; a `StoreError` when another one has it by now. */
export function noteChunk(files: Store, note: ChunkNote, owned: string): void {
  files.transaction(() => {
    files.leases.mustBeOwn(setLease(owned));
    files.entries.set(space, note.name, { ...note });
  });
}

/** What whoever works on a set holds. */
export const setLease = (name: string): string => `eval:${name}`;

/** It is over, and what was done is in the set. */
export function forgetChunk(files: Store, name: string): void {
  files.entries.delete(space, name);
}

export const trialsAway = (notes: readonly ChunkNote[]): number =>
  notes.reduce((sum, { trials }) => sum + trials.length, 0);

/** A `UsageError` while trials of the set are elsewhere. */
export function mustBeHere(files: Store, { id, name }: Pick<EvalSetRow, "id" | "name">): void {
  const trials = trialsAway(chunksElsewhere(files, id));
  if (trials > 0) throw new UsageError(evalMessage("HARN-EVL-019", { name, trials }));
}
