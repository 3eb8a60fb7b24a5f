/** Who does chunks of trials: workers behind engine and database (`engine-chunks.ts`), or this process (tests). */
import type { CarriedRun } from "../../store/copies/index.ts";

/** What is heard of a chunk while somebody is at work on it. */
export interface ChunkProgress {
  /** Trials that have ended. */
  readonly ended: number;
  readonly spentUsd: number;
}

/** How a chunk ended. */
export type ChunkEnd = {
  /** The journals of its trials that had begun, as far as they are known without a result. */
  readonly runs: readonly CarriedRun[];
} & (
  | {
      readonly kind: "done";
      /** A set file. */
      readonly result: Uint8Array;
    }
  /** Somebody ended it, and nobody was left to write what was done. */
  | { readonly kind: "stopped" }
  /** Whoever did it died, again and again. */
  | { readonly kind: "failed"; readonly words: string }
  /** No worker may do it, or can read it. */
  | { readonly kind: "refused"; readonly words: string }
);

export interface ChunkListener {
  /** Aborted when nobody wants to hear more of it; it goes on. */
  readonly signal: AbortSignal;
  /** Somebody is at work on it. */
  readonly onProgress: (progress: ChunkProgress) => void;
}

export interface ChunkRunner {
  /** Hands a chunk out; `file`: a set file. One that has this name already is meant, whatever is in the file. */
  handOut(name: string, file: Uint8Array): Promise<void>;
  /** Waits until it is over; `undefined`: there is none of that name. Rejects with the signal's reason. */
  ended(name: string, listener: ChunkListener): Promise<ChunkEnd | undefined>;
  /** Asks for what was done so far. */
  stop(name: string, reason: string): Promise<void>;
}
