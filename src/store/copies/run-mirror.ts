/**
 * A second copy of runs, written outside of the store at the same time (docs/cluster.md): whoever goes on with a run elsewhere has what
 * it did so far. Only stores that were opened with one have it; nothing of it is loaded otherwise.
 */

/** What a run wrote to the store in one transaction, as it is kept there. */
export interface MirroredWrite {
  readonly run: string;
  /** Of a run that begins with it: the header. */
  readonly header?: string | undefined;
  /** Of such a run: the one that it goes on from. */
  readonly parent?: string | undefined;
  /** Number of the first of the records. */
  readonly from: number;
  readonly records: readonly string[];
  /** Pieces that the records refer to; those that the copy has already may be among them. */
  readonly pieces: readonly (readonly [hash: string, body: string])[];
  /** How many pieces of standard output have been printed. */
  readonly shown?: number | undefined;
}

/** All of it throws a `StoreError`: "taken" when somebody else goes on with the runs, "away" when the copy can't be written. */
export interface RunMirror {
  /** How many records the copy of a run has; `undefined`: it has no such run. */
  recordsOf(run: string): number | undefined;
  /**
   * Adds what was committed in the store; the same once more is harmless. `durable`: it returns when that is committed in the copy as
   * well, with all that came before.
   */
  append(write: MirroredWrite, durable: boolean): void;
  /** Returns when all that was added is committed in the copy. */
  settle(): void;
}
