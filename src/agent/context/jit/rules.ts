/**
 * The built-in rules: when each says something, as pure functions of what is known before a turn. What they say is a
 * prompt, `agent.instruction.<id>`.
 *
 * Where no visible tool has the class that a rule needs, the rule is off.
 */
import type { BuiltinRuleId } from "../../options/jit-options.ts";
import type { RecordedTurn } from "../../state/jit-state.ts";

/** What is known before a turn. */
export interface JitFacts {
  /** The turn that comes, from 1, and the last that there may be. */
  readonly turn: number;
  readonly maxTurns: number;
  readonly reads: number;
  readonly writes: number;
  readonly distinctReads: number;
  /** Newest last. */
  readonly turns: readonly RecordedTurn[];
  readonly planning: number;
  readonly wasPlanningPrompted: boolean;
  readonly artifacts: number;
  readonly itemsOpen: number;
  readonly itemsTotal: number;
  readonly ledgerAge: number;
  /** After so many turns with writes the ledger is out of date. */
  readonly staleAfter: number;
  /** A compaction stands before this turn. */
  readonly compactedNow: boolean;
  /** Turns before which there was one. */
  readonly compactions: readonly number[];
  /** Classes of the visible tools. */
  readonly visible: ReadonlySet<string>;
}

/** How often a rule spoke, and in which turn of the loop last (0: not in this one). */
export interface RuleFiring {
  readonly times: number;
  readonly turn: number;
}

export interface BuiltinRule {
  readonly id: BuiltinRuleId;
  /** When it speaks, for people: after "when". */
  readonly when: string;
  /** Counted in the loop, not in the session: what it speaks of is the loop's. */
  readonly perLoop?: true;
  /** What its prompt is told; null: it has nothing to say. */
  readonly speaks: (facts: JitFacts, fired: RuleFiring) => Readonly<Record<string, number>> | null;
}

const serial = 4;
const manyReads = 15;
const often = { compactions: 3, turns: 20 };

/** So many of these turns have gone by since it spoke last. */
const spaced = ({ turn }: JitFacts, fired: RuleFiring, spacing: number): boolean =>
  fired.turn === 0 || turn - fired.turn >= spacing;

export const builtinRules: readonly BuiltinRule[] = [
  {
    id: "no_reads",
    when: "the first three turns read nothing and wrote nothing, though there are tools that read; once",
    speaks: ({ turn, visible, reads, writes }, { times }) =>
      times === 0 && turn > 3 && visible.has("read_only") && reads === 0 && writes === 0 ? {} : null,
  },
  {
    id: "serial_reads",
    when: "four turns running had one read each, all different; at most three times, eight turns apart",
    speaks: (facts, fired) =>
      fired.times < 3 && spaced(facts, fired, 8) && readsOneByOne(facts.turns) ? {} : null,
  },
  {
    id: "reads_without_output",
    when: "there were 15 different reads and no write or artifact, though the agent may write; once",
    speaks: ({ distinctReads, writes, artifacts, visible, itemsTotal }, { times }) => {
      const mayWrite = visible.has("mutating") || itemsTotal > 0;
      return times === 0 && distinctReads >= manyReads && writes === 0 && artifacts === 0 && mayWrite
        ? {}
        : null;
    },
  },
  {
    id: "turns_running_out",
    when: "a tenth of the turns, at least two, is left; again before the last one",
    perLoop: true,
    speaks: ({ turn, maxTurns }, { times }) => {
      const n = maxTurns - turn + 1;
      // Before the first turn nothing has been done that could be finished.
      if (turn === 1) return null;
      const first = times === 0 && n <= Math.max(2, Math.floor(maxTurns / 10));
      return first || (times === 1 && n === 1) ? { n } : null;
    },
  },
  {
    id: "planning_only",
    when: "four turns running had nothing but ledger, plan, progress and thinking; once for each such run of turns, at most twice",
    speaks: ({ planning, wasPlanningPrompted: wasPrompted }, { times }) =>
      times < 2 && planning >= serial && !wasPrompted ? {} : null,
  },
  {
    // Without work items there is nothing that says where the work stands.
    id: "compacted",
    when: "the conversation was compacted before this turn and there are work items",
    speaks: ({ compactedNow, itemsTotal }) => (compactedNow && itemsTotal > 0 ? {} : null),
  },
  {
    id: "compacted_often",
    when: "there were three compactions within 20 turns; every 20 turns",
    speaks: (facts, fired) => {
      const recent = facts.compactions.filter((turn) => turn > facts.turn - often.turns);
      return recent.length >= often.compactions && spaced(facts, fired, often.turns) ? {} : null;
    },
  },
  {
    id: "work_items_stale",
    when: "work items are open and so many turns with writes have gone by without a look at them (`stale_after`); every 12 turns",
    speaks: (facts, fired) => {
      const { itemsOpen, ledgerAge, staleAfter } = facts;
      return itemsOpen > 0 && ledgerAge >= staleAfter && spaced(facts, fired, 12) ? { n: ledgerAge } : null;
    },
  },
];

function readsOneByOne(turns: readonly RecordedTurn[]): boolean {
  const last = turns.slice(-serial);
  // A thought finds nothing out: it could not have been read in the same batch.
  const single = last.every(
    ({ classes, planning }) => !planning && classes.length === 1 && classes[0] === "read_only",
  );
  return (
    last.length === serial && single && new Set(last.flatMap(({ signatures }) => signatures)).size === serial
  );
}
