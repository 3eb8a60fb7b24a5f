/** What a labelled trace of the stall corpus is: what tools were called turn by turn, what came back, and who is right. */

export interface TracedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly ok: boolean;
  readonly result: string;
}

export interface TracedTurn {
  readonly calls: readonly TracedCall[];
  /** Statuses of the work items behind this turn, where the trace has any. */
  readonly ledger?: string;
  /** A person spoke in front of this turn. */
  readonly person?: true;
}

export interface Trace {
  readonly id: string;
  readonly family: string;
  readonly label: "healthy" | "stalled";
  /** Stalled: the first turn (from 0) of the stretch that gets nowhere, and how many turns one sign of it takes. */
  readonly from?: number;
  readonly number?: number;
  /** The class of each tool, as annotations would say it. */
  readonly classes: Readonly<Record<string, string>>;
  readonly turns: readonly TracedTurn[];
}
