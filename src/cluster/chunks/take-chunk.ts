/** What a chunk came to, taken into its set; its note is gone in the same transaction. */
import type { EvalSetRow } from "../../durable/index.ts";
import {
  type EvalStore,
  newestScores,
  type PlannedTrial,
  plainScore,
  plannedTrials,
  SpentBefore,
  type SpentMoney,
  type TrialResult,
} from "../../eval/engine/index.ts";
import { type ChunkNote, forgetChunk, setLease } from "../../eval/local/index.ts";
import {
  ContradictingResult,
  placeCarried,
  SetArchive,
  takeIntoSet,
} from "../../eval/local/transfer/index.ts";
import { ImportProblem } from "../../eval/report/index.ts";
import type { CarriedRun } from "../../store/copies/index.ts";
import { movesBetween, type SnapshotRoots, type Store } from "../../store/index.ts";
import { Dict, jsonParse } from "../../values/index.ts";
import { type ChunkOutcome, chunkOutcomeIn } from "./chunk-order.ts";
import type { ChunkEnd } from "./chunk-runner.ts";

interface Spent {
  readonly spent: SpentMoney<number>;
}

export type TakenChunk = Spent &
  (
    | {
        readonly kind: "done";
        /** How its trials ended, as a set of their own. */
        readonly state: ChunkOutcome["state"];
        readonly why: string | null;
        /** It paused because its share was used up. */
        readonly isOfMoney: boolean;
        /** Nothing ended and nothing was spent. */
        readonly isIdle: boolean;
        readonly warnings: readonly string[];
      }
    /** It was never handed out. */
    | { readonly kind: "never" }
    | { readonly kind: "stopped" }
    /** Whoever did it died, again and again. */
    | { readonly kind: "died"; readonly why: string }
    /** It is no chunk of this set, or no worker may do it. */
    | { readonly kind: "failed"; readonly why: string }
  );

interface EndedChunk {
  readonly set: EvalSetRow;
  readonly note: ChunkNote;
  readonly end: ChunkEnd | undefined;
  /** Where folders lie on this machine. */
  readonly roots: SnapshotRoots;
}

export const nothingSpent = { costUsd: 0, tokens: 0 };

export function takeChunk(files: Store, store: EvalStore, chunk: EndedChunk): TakenChunk {
  try {
    return store.together(() => {
      files.leases.mustBeOwn(setLease(chunk.set.name));
      const taken = taking(files, store, chunk);
      forgetChunk(files, chunk.note.name);
      return taken;
    });
  } catch (error) {
    const isUseless =
      error instanceof ContradictingResult || (error instanceof ImportProblem && !error.isNewer);
    if (!isUseless) throw error;
    // It can't be taken, now or later.
    return store.together(() => {
      forgetChunk(files, chunk.note.name);
      return { kind: "failed", why: error.message, spent: spentInVain(files, store, chunk) };
    });
  }
}

/** What it has spent although it came to nothing; no less, where nobody knows. */
function spentInVain(files: Store, store: EvalStore, { set, note, end }: EndedChunk): SpentMoney<number> {
  try {
    return takenRuns(files, store, set, note, end?.runs ?? []);
  } catch (error) {
    if (!(error instanceof ContradictingResult || error instanceof ImportProblem)) throw error;
    return { costUsd: note.costUsd ?? 0, tokens: note.tokens ?? 0 };
  }
}

function taking(files: Store, store: EvalStore, { set, note, end, roots }: EndedChunk): TakenChunk {
  if (end === undefined) return { kind: "never", spent: nothingSpent };
  if (end.kind !== "done") {
    const spent = takenRuns(files, store, set, note, end.runs);
    if (end.kind === "stopped") return { kind: "stopped", spent };
    return { kind: end.kind === "refused" ? "failed" : "died", why: end.words, spent };
  }
  const archive = new SetArchive(end.result);
  const { state, why, spentUsd, tokens, warnings, roots: there } = chunkOutcomeIn(archive);
  takeIntoSet(files, store, set, {
    archive,
    trials: new Set(note.trials),
    moves: movesBetween(there, roots),
  });
  const isOver = (id: number): boolean => ["done", "errored"].includes(store.trial(id)?.state ?? "");
  return {
    kind: "done",
    state,
    why,
    warnings,
    isOfMoney: state === "paused" && (why === "budget" || why === "budget of tokens"),
    isIdle: spentUsd === 0 && tokens === 0 && !note.trials.some(isOver),
    spent: { costUsd: spentUsd, tokens },
  };
}

/** Journals of a chunk that nobody has written a result of; gives what they say was spent. */
function takenRuns(
  files: Store,
  store: EvalStore,
  set: EvalSetRow,
  note: ChunkNote,
  runs: readonly CarriedRun[],
): SpentMoney<number> {
  const trials = new Set(note.trials);
  const spent = (): SpentMoney<number> => {
    const kind = note.as === "oracle" ? "oracle" : "epoch";
    const own = plannedTrials(store, set, kind).filter(({ id }) => trials.has(id));
    return new SpentBefore(store, set, own, store.scores(set.id), false);
  };
  const before = spent();
  placeCarried(files, store, runs, { set: set.name, from: note.name, to: set.name, trials });
  const after = spent();
  return { costUsd: after.costUsd - before.costUsd, tokens: after.tokens - before.tokens };
}

/** What a trial came to, as its set looks at it. */
export function resultOfRow(store: EvalStore, { row, spec }: PlannedTrial): TrialResult {
  if (row.state === "errored")
    return {
      kind: "errored",
      error: {
        category: (row.category ?? "harness") as "provider" | "environment" | "config" | "harness",
        message: row.error ?? "",
      },
    };
  if (row.state !== "done") return { kind: "stopped" };
  // Only races look at what it left.
  const outcome = spec.race === null ? null : store.piece(row.outcome);
  const scores = spec.race === null ? [] : newestScores(store.scoresOf(row.id)).map(plainScore);
  const left = outcome === null ? undefined : jsonParse(outcome);
  return { kind: "done", outcome: left instanceof Dict ? left : new Dict(), scores };
}
