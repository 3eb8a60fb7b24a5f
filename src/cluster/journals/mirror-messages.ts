/** What passes between a run and the thread that writes its copy, and where the run looks while it stands still. */
import type { MessagePort } from "node:worker_threads";
import type { OutputPiece } from "../ports.ts";
import type { BatchWrite } from "./batch.ts";
import type { DatabasePlace } from "./connection.ts";

export interface ThreadStart {
  readonly place: DatabasePlace;
  readonly schema: string;
  readonly job: string;
  readonly fence: number;
  /** Numbers that both see, at `seen`. */
  readonly shared: Int32Array;
  readonly port: MessagePort;
}

export interface ToThread {
  /** One more than the last; some may be left out. */
  readonly number: number;
  /** Somebody waits until it is committed. */
  readonly isAwaited: boolean;
  readonly writes: readonly BatchWrite[];
  readonly printed: readonly Omit<OutputPiece, "at">[];
  /** How many records the copy of this run has is to be told. */
  readonly ask?: string | undefined;
  /** Nothing follows. */
  readonly isLast?: boolean;
}

export type FromThread =
  | { readonly kind: "records"; readonly run: string; readonly records: number | undefined }
  /** Passing trouble, and what ended it. */
  | { readonly kind: "trouble" | "failure"; readonly words: string };

/** Places in the shared numbers. */
export const seen = {
  /** Another number with each change: what is waited for. */
  change: 0,
  /** The last message of which all is committed for good. It goes round at 2³¹. */
  settled: 1,
  /** One of `ends`. */
  end: 2,
} as const;

export const ends = { none: 0, taken: 1, failed: 2 } as const;
