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

export const newJitState = () => ({
  reads: 0,
  writes: 0,
  distinctReads: new Set<string>(),
  /** Newest last. */
  turns: [] as RecordedTurn[],
  /** Planning turns in a row, and whether that streak was spoken of. */
  planning: 0,
  wasPlanningPrompted: false,
  /** Turns with writes since the ledger was written. */
  ledgerAge: 0,
  /** Turns before which there was a compaction, and how many compactions are known. */
  compactions: [] as number[],
  compacted: 0,
  /** How many there were when one of them said itself where the work stands. */
  compactionsPrompted: 0,
  /** The last turn proposed an end and was refused, or was told something else of that kind. */
  refused: false,
  /** How often each rule spoke in the session, and in which turn of this loop last; null: not looked up yet. */
  fired: null as Map<string, { times: number; turn: number }> | null,
  /** Own rules that failed. */
  off: new Set<string>(),
});
export type JitState = ReturnType<typeof newJitState>;
