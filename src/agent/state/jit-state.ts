/** What just-in-time instructions (context/jit/) keep of the turns before them: data only. */

/** The calls of a turn. */
export interface RecordedTurn {
  readonly calls: readonly string[];
  /** Of `tools/tool-class.ts`, by call. */
  readonly classes: readonly string[];
  /** Name and arguments, by call. */
  readonly signatures: readonly string[];
  /** Nothing but ledger, plan, progress and thinking. */
  readonly planning: boolean;
}

export interface JitState {
  reads: number;
  writes: number;
  readonly distinctReads: Set<string>;
  /** Newest last. */
  readonly turns: RecordedTurn[];
  /** Planning turns in a row, and whether that streak was spoken of. */
  planning: number;
  wasPlanningPrompted: boolean;
  /** Turns with writes since the ledger was written. */
  ledgerAge: number;
  /** Turns before which there was a compaction, and how many compactions are known. */
  readonly compactions: number[];
  compacted: number;
  /** How many there were when one of them said itself where the work stands. */
  compactionsPrompted: number;
  /** The last turn proposed an end and was refused, or was told something else of that kind. */
  refused: boolean;
  /** How often each rule spoke in the session, and in which turn of this loop last; null: not looked up yet. */
  fired: Map<string, { times: number; turn: number }> | null;
  /** Own rules that failed. */
  readonly off: Set<string>;
}

export const newJitState = (): JitState => ({
  reads: 0,
  writes: 0,
  distinctReads: new Set(),
  turns: [],
  planning: 0,
  wasPlanningPrompted: false,
  ledgerAge: 0,
  compactions: [],
  compacted: 0,
  compactionsPrompted: 0,
  refused: false,
  fired: null,
  off: new Set(),
});
