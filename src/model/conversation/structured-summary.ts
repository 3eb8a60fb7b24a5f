/**
 * What a session remembers of messages that went out of view: entries with ids that they keep for ever, and what no model
 * wrote. Plain data; who makes and changes it is `agent/context/compaction/`.
 */

/** How far the words of an entry can be trusted: as far as the weakest of its sources. */
export type Trust = "user" | "model" | "tool";

export interface SummaryFact {
  readonly id: string;
  readonly text: string;
  readonly sources: readonly string[];
  readonly trust: Trust;
}

interface SummaryDecision {
  readonly id: string;
  readonly text: string;
  readonly why: string;
  readonly sources: readonly string[];
}

interface SummaryItem {
  readonly id: string;
  readonly text: string;
  readonly status: "open" | "closed";
  readonly sources: readonly string[];
}

interface SummaryOutcome {
  readonly id: string;
  readonly tool: string;
  readonly text: string;
  readonly ok: boolean;
  readonly sources: readonly string[];
}

interface SummaryArtifact {
  readonly id: string;
  readonly ref: string;
  readonly what: string;
  readonly sources: readonly string[];
}

/** Ids: F1 …, D1 …, O1 …, T1 …, A1 …, counted per section. */
export interface StructuredSummary {
  readonly facts: readonly SummaryFact[];
  readonly decisions: readonly SummaryDecision[];
  readonly open_items: readonly SummaryItem[];
  readonly tool_outcomes: readonly SummaryOutcome[];
  readonly artifact_refs: readonly SummaryArtifact[];
  readonly current_task: string;
  readonly current_plan: string;
  /** Entries that are no longer true. `by`: the entry in their place. */
  readonly superseded: readonly {
    readonly id: string;
    readonly by: string | null;
    readonly reason: string;
  }[];
}

/** What of the anchors of a pass is left: literally, by the message that has it, or not at all. */
export interface Retention {
  readonly checked: number;
  readonly present: number;
  readonly recoverable: number;
  readonly lost: readonly string[];
}

/** Something that stays word for word. `must`: the script asked for it, so it never goes. */
export interface ExactValue {
  readonly message: string;
  readonly text: string;
  readonly must: boolean;
}

interface ChangedFile {
  readonly path: string;
  /** 1-based turn of the loop that changed it last; 0 when nobody knows. */
  readonly turn: number;
  readonly message: string;
}

/** Everything that the ladder keeps of a session. */
export interface LadderMemory {
  readonly summary: StructuredSummary;
  readonly values: readonly ExactValue[];
  readonly files: readonly ChangedFile[];
  /** The messages that went into the summary, and those that were dropped without. */
  readonly covered: { readonly first: string; readonly last: string; readonly count: number } | null;
  readonly dropped: readonly { readonly first: string; readonly last: string; readonly count: number }[];
  /** The message that shows all this. */
  readonly message: string | null;
}

export const noSummary: StructuredSummary = {
  facts: [],
  decisions: [],
  open_items: [],
  tool_outcomes: [],
  artifact_refs: [],
  current_task: "",
  current_plan: "",
  superseded: [],
};

export const noMemory: LadderMemory = {
  summary: noSummary,
  values: [],
  files: [],
  covered: null,
  dropped: [],
  message: null,
};

/** What a tool says of its result: it stays in view (`pin`), and how far it can be had again (`durability`). */
export interface ResultNote {
  readonly pin: boolean;
  readonly durability: string | null;
}
