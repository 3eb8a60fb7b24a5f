/** What the watch for equal calls (completion/stall/doom.ts) keeps between two turns: data only. */

/** A call as the watch remembers it. */
export interface DoomCall {
  /** What it is compared by. */
  readonly signature: string;
  /** What it is refused by: the call without its result. */
  readonly call: string;
  readonly tool: string;
  /** It may be repeated to see what has become of something: it counts only with its result, and only when it is many. */
  readonly polls: boolean;
}

export interface DoomState {
  /** The last calls since something was different, newest last. */
  sequence: DoomCall[];
  strikes: number;
  /** Calls since the last detection. */
  since: number;
  /** The last turn in which a call is refused, by the call. */
  readonly blocked: Map<string, number>;
  /** What begins the watch anew: persons' messages, compactions, changes of the mode; null before the first turn. */
  standing: string | null;
}

export const newDoomState = (): DoomState => ({
  sequence: [],
  strikes: 0,
  since: 0,
  blocked: new Map(),
  standing: null,
});
