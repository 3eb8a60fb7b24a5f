/** What a loop keeps of its meter and of the ladder from turn to turn (context/meter.ts, context/compaction/). Data only. */

/** A count that a vendor told of a request, and what our own arithmetic gave for it. */
export interface UsageAnchor {
  readonly actual: number;
  readonly raw: number;
  /** Of the view that was sent: after a change of the view the count says nothing any more. */
  readonly revision: number;
}

/** The sum over a view, carried on while the view only grows. */
export interface ViewWeight {
  revision: number;
  length: number;
  weight: number;
}

/** Something that the model was given again. */
export interface RecallRecord {
  readonly ref: string;
  /** The message that has it, and the one with the answer. */
  readonly message: string;
  readonly offset: number;
  readonly limit: number;
  readonly turn: number;
  readonly call: string;
}

export const newLadderSlot = () => ({
  anchor: null as UsageAnchor | null,
  /** The last count that was told, whether or not it is believed. */
  counted: null as UsageAnchor | null,
  sum: { revision: -1, length: 0, weight: 0 } as ViewWeight,
  /** The system text of the last request, and what it weighs; null before the first. */
  system: null as { readonly text: string; readonly weight: number } | null,
  /** What was sent last: our arithmetic and the estimate. */
  sent: null as { raw: number; tokens: number; revision: number } | null,
  /** Tokens that the model takes in as a refusal has shown; null while nothing was refused. */
  window: null as number | null,
  /** Passes in a row that freed next to nothing, and up to how many tokens the next soft one waits. */
  strikes: 0,
  rest: 0,
  /** How long the log was after the last pass. */
  looked: -1,
  /** How long it was when bodies were looked through that are too large to enter. */
  entered: 0,
  pressure: "none" as "none" | "soft" | "hard",
  /** Failures of the summarizing model in a row, and the turn from which it is asked again. */
  failures: 0,
  offUntil: 0,
  degraded: false,
  /** 1-based turn in which a message of the model was said. */
  turns: new Map<string, number>(),
  /** Good answers of summarizers by what they were asked; the oldest go. */
  answers: new Map<string, string>(),
  recalled: [] as RecallRecord[],
  /** Characters given again, in this turn. */
  recalling: { turn: 0, chars: 0 },
  /** How often a body was recalled, by message. */
  recalls: new Map<string, number>(),
  /** What functions of `must_survive` found, by message. */
  survivors: new Map<string, readonly string[]>(),
  /** The model asked for a pass (`compact_context`), with what it wants to be kept in mind. */
  asked: null as { readonly focus: string } | null,
});
