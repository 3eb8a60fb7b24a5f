/**
 * The stop table: from the facts of a turn to what becomes of the loop. Pure and total; the first row that fits decides.
 * `stopRows` says what each row finds, and what then happens.
 *
 * Without the option `completion` rows 5 to 8 and 10 to 13 do not exist, a person's words are looked at after row 14, and
 * texts without calls are counted at row 17. The rows ask for facts one by one, so whoever gathers them looks at nothing
 * that the decision does not need: a loop that goes on with its calls asks no judge.
 */

/** The rows by number: what was found, in words for people, and what becomes of the loop. */
export const stopRows: Readonly<Record<number, { readonly found: string; readonly next: string }>> = {
  1: { found: "something ended the loop in this turn", next: "end" },
  2: { found: "the loop asked to be parked", next: "suspend" },
  3: { found: "nothing new had come for too long", next: "end `stalled` / `no_progress`, or suspend" },
  4: {
    found: "post_turn_callback",
    next: "end, or go on; a call of `stop_after_successful_tools` goes on at 9",
  },
  5: { found: "the model made calls and claimed nothing", next: "go on" },
  6: { found: "a claim beside a failed call", next: "refuse `batch`" },
  7: {
    found: "the model called nothing and closed nothing",
    next: "`plain_answers`, and nothing open: go on at 9, past 11; prompts are left: refuse `silent`",
  },
  8: { found: "a claim was required and missing", next: "refuse `unclaimed`; at the bound go on at 9" },
  9: { found: "a person had spoken meanwhile", next: "go on; looked at once more after row 15" },
  10: { found: "workers of the session were running", next: "go on when one has ended (`wait_for_workers`)" },
  11: { found: "the evidence was missing", next: "refuse `evidence`" },
  12: { found: "the task contract was not met", next: "refuse `contract`" },
  13: { found: "work items were open", next: "refuse `work_items` (`verify_work_items`)" },
  14: { found: "a verifier, a judge or a required tool", next: "refuse, or end at their bounds" },
  15: { found: "a hook blocked the end", next: "refuse `hook`" },
  16: { found: "everything had passed", next: "end `done`" },
  17: { found: "nothing ended it", next: "go on" },
};

export type StopGate =
  | "batch"
  | "silent"
  | "unclaimed"
  | "evidence"
  | "contract"
  | "work_items"
  | "verify"
  | "required_tools"
  | "hook";

/** How a loop ends. */
export interface StopEnd {
  readonly status: string;
  readonly reason: string;
}

/** What a gate said to a proposed end. `endOfTurn`: its own bound, or that of all refusals, is reached. */
export type GateFact =
  | { readonly kind: "passed" }
  | { readonly kind: "refused"; readonly end: StopEnd | null };

/** An end that something other than silence proposes. */
export interface StopCandidate {
  readonly reason: string;
}

export interface StopFacts {
  /** The option `completion` is on. */
  controlled: boolean;
  ending: StopEnd | null;
  parked: boolean;
  /** The model answered in this turn. */
  answered: boolean;
  /** What the watch over progress says; `undefined`: nobody watches. */
  stall: { readonly stop: boolean; readonly park: boolean } | undefined;
  /** `post_turn_callback`: it ends the loop, keeps it going with words of its own, or says nothing. */
  callback:
    | { readonly kind: "nothing" }
    | { readonly kind: "continue" }
    | { readonly kind: "stop"; readonly reason: string };
  /** A call that ends the loop by its success, or a sentinel where it is one. */
  candidate: StopCandidate | null;
  /** A claim of completion; `beside_failure`: another call of its batch failed. */
  claim: "none" | "made" | "beside_failure";
  /** The turn called something, or tried to by a channel that it was refused. */
  acted: boolean;
  /** A judge, a person or a diagnosis kept the turn from being carried out. */
  held: boolean;
  /** Nothing was said, or the token limit cut it; `garbled`: calls that nobody could read. */
  lacking: "empty" | "cut" | "declined" | "garbled" | null;
  /** A text without calls is all that was asked for: `plain_answers`, and nothing that somebody asked for is open. */
  plain: boolean;
  /** A silent turn is answered with a continuation prompt: its bounds are not reached. */
  prompts: boolean;
  /** A silent turn is answered with the demand for a claim: one is required, and the bound is not reached. */
  demands: boolean;
  spoken: boolean;
  workers: boolean;
  /** What is done about an answer that is empty or cut, without `completion`: an end, or it was asked for again. */
  rest: StopEnd | "asked";
  /** A text without calls completes a loop without `completion`. */
  natural: StopCandidate | null;
  batch: GateFact;
  evidence: GateFact;
  contract: GateFact;
  items: GateFact;
  /** `not_due`: the judge's cadence leaves this turn out. */
  verified: GateFact | { readonly kind: "not_due" };
  required: GateFact;
  hook: GateFact;
  /** What idling came to; `null`: this loop does not idle. */
  idle: StopEnd | "woken" | null;
  /** Too many texts without calls in a row. */
  stuck: boolean;
  /** A text without calls is answered with a nudge. */
  nudges: boolean;
  /** The turn was told already why the loop goes on. */
  wasPrompted: boolean;
}

export type FactName = keyof StopFacts;

export interface StopVerdict {
  readonly verdict: "continue" | "refuse" | "end" | "park";
  readonly status?: string;
  readonly stop_reason?: string;
  /** What refused, or what would have to be passed next. */
  readonly gate?: StopGate | "nudge";
  /** 1-based row of the table. */
  readonly row: number;
}

/** The table at work: yields the name of the fact that it needs next and is resumed with its value. */
export type StopWalk = Generator<FactName, StopVerdict, unknown>;

function* know<K extends FactName>(name: K): Generator<FactName, StopFacts[K], unknown> {
  return (yield name) as StopFacts[K];
}

const endOfTurn = (row: number, { status, reason }: StopEnd, gate?: StopGate): StopVerdict => ({
  verdict: "end",
  status,
  stop_reason: reason,
  row,
  ...(gate === undefined ? {} : { gate }),
});

const continueAt = (row: number): StopVerdict => ({ verdict: "continue", row });

const refuseStop = (row: number, gate: StopGate): StopVerdict => ({ verdict: "refuse", gate, row });

/** Decides over facts that are all known. */
export function decideStop(facts: StopFacts): StopVerdict {
  const walk = stopTable();
  let step = walk.next();
  while (step.done !== true) step = walk.next(facts[step.value]);
  return step.value;
}

/** Decides over facts that are looked up when a row needs them. */
export function* stopTable(): StopWalk {
  const ending = yield* know("ending");
  if (ending !== null) return endOfTurn(1, ending);
  if (yield* know("parked")) return { verdict: "park", row: 2 };
  if (!(yield* know("answered"))) return continueAt(17);
  const stall = yield* know("stall");
  if (stall?.park === true) return { verdict: "park", row: 3 };
  if (stall?.stop === true) return endOfTurn(3, { status: "stalled", reason: "no_progress" });
  return (yield* know("controlled")) ? yield* controlledRows() : yield* plainRows();
}

// ── with `completion` ───────────────────────────────────────────────────────────────────────────────────────────────

/** Rows 4 to 17. */
function* controlledRows(): StopWalk {
  const candidate = yield* know("candidate");
  const callback = yield* know("callback");
  if (callback.kind === "stop") return endOfTurn(4, { status: "done", reason: callback.reason });
  const claim = yield* know("claim");
  if (candidate !== null) return yield* lastRows(candidate.reason);
  if (claim === "none" && callback.kind === "continue") return continueAt(4);
  if (claim === "none" && ((yield* know("acted")) || (yield* know("held")))) return continueAt(5);
  if (claim === "beside_failure") return refusedBy(6, "batch", yield* know("batch")) ?? continueAt(17);
  if (claim === "made") return yield* lastRows("work_complete");
  return yield* silentRows();
}

/** Rows 7 and 8: nothing was called, and nothing claimed. */
function* silentRows(): StopWalk {
  const idle = yield* know("idle");
  if (idle !== null) return idle === "woken" ? continueAt(17) : endOfTurn(17, idle);
  const lacking = yield* know("lacking");
  if (lacking === null && (yield* know("plain"))) return yield* lastRows("natural", true);
  // Asked again it would decline again.
  if (lacking === "declined") return endOfTurn(8, { status: "stuck", reason: "refusal" });
  if (yield* know("prompts")) return refuseStop(7, "silent");
  if (yield* know("demands")) return refuseStop(8, "unclaimed");
  // Nobody claims anything by an answer that is none.
  if (lacking === "empty") return endOfTurn(8, { status: "stuck", reason: "empty_answer" });
  if (lacking === "cut") return endOfTurn(8, { status: "budget_exhausted", reason: "max_tokens" });
  if (lacking === "garbled") return endOfTurn(8, { status: "stuck", reason: "max_nudges" });
  return yield* lastRows("unclaimed_completion");
}

/** Rows 9 to 16: what stands between a claim, or a plain answer, and the end. */
function* lastRows(reason: string, isPlain = false): StopWalk {
  if (yield* know("spoken")) return continueAt(9);
  if (yield* know("workers")) return continueAt(10);
  const refused =
    // Who claims nothing has nothing to show for it.
    (isPlain ? undefined : refusedBy(11, "evidence", yield* know("evidence"))) ??
    refusedBy(12, "contract", yield* know("contract")) ??
    refusedBy(13, "work_items", yield* know("items"));
  if (refused !== undefined) return refused;
  const verified = yield* know("verified");
  if (verified.kind === "not_due") return continueAt(14);
  const late =
    refusedBy(14, "verify", verified) ??
    refusedBy(14, "required_tools", yield* know("required")) ??
    refusedBy(15, "hook", yield* know("hook"));
  if (late !== undefined) return late;
  // While the gates were asked.
  if (yield* know("spoken")) return continueAt(9);
  // A claim of a loop that idles ends the work of this waking only.
  const idle = yield* know("idle");
  if (idle !== null) return idle === "woken" ? continueAt(16) : endOfTurn(16, idle);
  return endOfTurn(16, { status: "done", reason });
}

function refusedBy(row: number, gate: StopGate, fact: GateFact): StopVerdict | undefined {
  if (fact.kind === "passed") return undefined;
  return fact.end === null ? refuseStop(row, gate) : endOfTurn(row, fact.end, gate);
}

// ── without `completion` ────────────────────────────────────────────────────────────────────────────────────────────

function* plainRows(): StopWalk {
  const candidate = yield* know("candidate");
  const callback = yield* know("callback");
  if (callback.kind === "stop") return endOfTurn(4, { status: "done", reason: callback.reason });
  const held = yield* know("held");
  const lacking = yield* know("lacking");
  const asksForRest = lacking !== null && lacking !== "garbled" && candidate === null;
  if (asksForRest && callback.kind === "nothing" && !held) {
    const rest = yield* know("rest");
    return rest === "asked" ? continueAt(17) : endOfTurn(17, rest);
  }
  const acted = yield* know("acted");
  const mayEnd = callback.kind === "nothing" && !held && !acted;
  const proposed = candidate ?? (mayEnd ? yield* know("natural") : null);
  const decided = proposed === null ? undefined : yield* plainGates(proposed.reason);
  return decided?.verdict === "end"
    ? decided
    : yield* walkPlainText(acted, callback.kind === "continue", decided);
}

/** Rows 14, 9, 15, 16; `undefined`: the judge was not due. */
function* plainGates(reason: string): Generator<FactName, StopVerdict | undefined, unknown> {
  const verified = yield* know("verified");
  if (verified.kind === "not_due") return undefined;
  const refused =
    refusedBy(14, "verify", verified) ?? refusedBy(14, "required_tools", yield* know("required"));
  if (refused !== undefined) return refused;
  if (yield* know("spoken")) return continueAt(9);
  const held = refusedBy(15, "hook", yield* know("hook"));
  if (held !== undefined) return held;
  // While the hook was asked.
  return (yield* know("spoken")) ? continueAt(9) : endOfTurn(16, { status: "done", reason });
}

/** Row 17: a text without calls idles, is nudged, or was one too many; what refused it stands. */
function* walkPlainText(acted: boolean, spokeAlready: boolean, decided: StopVerdict | undefined): StopWalk {
  const stands = decided ?? continueAt(17);
  if (acted) return stands;
  const wasPrompted = decided !== undefined || spokeAlready || (yield* know("wasPrompted"));
  const idle = wasPrompted ? null : yield* know("idle");
  if (idle !== null) return idle === "woken" ? stands : endOfTurn(17, idle);
  // What a hook refuses has a bound of its own.
  if (decided?.gate === "hook") return decided;
  if (yield* know("stuck")) return endOfTurn(17, { status: "stuck", reason: "max_nudges" });
  return !wasPrompted && (yield* know("nudges")) ? { ...stands, gate: "nudge" } : stands;
}
