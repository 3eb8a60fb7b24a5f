/**
 * The stop table over all combinations of facts (docs/control-plane.md): it always decides, by the first row that fits, and
 * looks at no fact that an earlier row made needless.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  decideStop,
  type FactName,
  type GateFact,
  type StopEnd,
  type StopFacts,
  type StopVerdict,
  stopTable,
} from "../../src/agent/completion/stop-table.ts";

const over: StopEnd = { status: "ended", reason: "bound" };
const gate: readonly GateFact[] = [
  { kind: "passed" },
  { kind: "refused", end: null },
  { kind: "refused", end: over },
];
const flag = [false, true] as const;

/** Every value that the table can tell from another. */
const domains: { readonly [K in FactName]: readonly StopFacts[K][] } = {
  controlled: flag,
  ending: [null, { status: "provider_error", reason: "provider_error" }],
  parked: flag,
  answered: flag,
  stall: [undefined, { stop: false, park: false }, { stop: true, park: false }, { stop: false, park: true }],
  callback: [{ kind: "nothing" }, { kind: "continue" }, { kind: "stop", reason: "post_turn_stop" }],
  candidate: [null, { reason: "natural" }],
  claim: ["none", "made", "beside_failure"],
  acted: flag,
  held: flag,
  lacking: [null, "empty", "cut", "garbled"],
  plain: flag,
  prompts: flag,
  demands: flag,
  spoken: flag,
  workers: flag,
  rest: ["asked", { status: "stuck", reason: "empty_answer" }],
  natural: [null, { reason: "natural" }],
  batch: gate,
  evidence: gate,
  contract: gate,
  items: gate,
  verified: [...gate, { kind: "not_due" }],
  required: gate,
  hook: gate,
  idle: [null, "woken", { status: "idle", reason: "idle" }],
  stuck: flag,
  nudges: flag,
  wasPrompted: flag,
};

const facts = fc.record(
  Object.fromEntries(
    Object.entries(domains).map(([name, values]) => [name, fc.constantFrom(...(values as unknown[]))]),
  ),
) as unknown as fc.Arbitrary<StopFacts>;

const endOf = ({ status, reason }: StopEnd): Pick<StopVerdict, "verdict" | "status" | "stop_reason"> => ({
  verdict: "end",
  status,
  stop_reason: reason,
});

/** The rows of the page as a list, with `completion`: what each looks for, and what it says. */
type Row = readonly [
  row: number,
  when: (f: StopFacts) => boolean,
  says: (f: StopFacts) => Partial<StopVerdict>,
];
const silent = (f: StopFacts): boolean => f.claim === "none" && f.candidate === null && !f.acted && !f.held;
/** A text without calls that is all that was asked for. */
const isPlain = (f: StopFacts): boolean => silent(f) && f.idle === null && f.lacking === null && f.plain;
const asksForClaim = (f: StopFacts): boolean => silent(f) && !isPlain(f);
const gated = (
  row: number,
  name: "batch" | "evidence" | "contract" | "items" | "verified" | "required" | "hook",
): Row => [
  row,
  (f) =>
    f[name].kind === "refused" &&
    (name !== "evidence" || !isPlain(f)) &&
    (name !== "batch" || (f.claim === "beside_failure" && f.candidate === null)),
  (f) => {
    const fact = f[name] as { readonly end: StopEnd | null };
    return fact.end === null ? { verdict: "refuse" } : endOf(fact.end);
  },
];

const first: readonly Row[] = [
  [1, (f) => f.ending !== null, (f) => endOf(f.ending as StopEnd)],
  [2, (f) => f.parked, () => ({ verdict: "park" })],
  [17, (f) => !f.answered, () => ({ verdict: "continue" })],
  [3, (f) => f.stall?.park === true, () => ({ verdict: "park" })],
  [3, (f) => f.stall?.stop === true, () => endOf({ status: "stalled", reason: "no_progress" })],
  [4, (f) => f.callback.kind === "stop", () => endOf({ status: "done", reason: "post_turn_stop" })],
];
const controlled: readonly Row[] = [
  ...first,
  [
    4,
    (f) => f.claim === "none" && f.candidate === null && f.callback.kind === "continue",
    () => ({ verdict: "continue" }),
  ],
  [
    5,
    (f) => f.claim === "none" && f.candidate === null && (f.acted || f.held),
    () => ({ verdict: "continue" }),
  ],
  gated(6, "batch"),
  [17, (f) => f.claim === "beside_failure" && f.candidate === null, () => ({ verdict: "continue" })],
  [17, (f) => silent(f) && f.idle === "woken", () => ({ verdict: "continue" })],
  [17, (f) => silent(f) && f.idle !== null, (f) => endOf(f.idle as StopEnd)],
  [7, (f) => asksForClaim(f) && f.prompts, () => ({ verdict: "refuse", gate: "silent" })],
  [8, (f) => asksForClaim(f) && f.demands, () => ({ verdict: "refuse", gate: "unclaimed" })],
  [8, (f) => silent(f) && f.lacking === "empty", () => endOf({ status: "stuck", reason: "empty_answer" })],
  [
    8,
    (f) => silent(f) && f.lacking === "cut",
    () => endOf({ status: "budget_exhausted", reason: "max_tokens" }),
  ],
  [8, (f) => silent(f) && f.lacking === "garbled", () => endOf({ status: "stuck", reason: "max_nudges" })],
  [9, (f) => f.spoken, () => ({ verdict: "continue" })],
  [10, (f) => f.workers, () => ({ verdict: "continue" })],
  gated(11, "evidence"),
  gated(12, "contract"),
  gated(13, "items"),
  [14, (f) => f.verified.kind === "not_due", () => ({ verdict: "continue" })],
  gated(14, "verified"),
  gated(14, "required"),
  gated(15, "hook"),
  [16, (f) => f.idle === "woken", () => ({ verdict: "continue" })],
  [16, (f) => f.idle !== null, (f) => endOf(f.idle as StopEnd)],
  [
    16,
    () => true,
    (f) =>
      endOf({
        status: "done",
        reason:
          f.candidate !== null || isPlain(f)
            ? "natural"
            : f.claim === "made"
              ? "work_complete"
              : "unclaimed_completion",
      }),
  ],
];

test("S2, S6, S11: with `completion` the first row that fits decides", () => {
  fc.assert(
    fc.property(facts, (input) => {
      const all = { ...input, controlled: true };
      const [row, , says] = controlled.find(([, when]) => when(all)) as Row;
      expect(decideStop(all)).toMatchObject({ row, ...says(all) });
    }),
    { numRuns: 20_000 },
  );
});

test("without `completion` only the marked rows exist", () => {
  fc.assert(
    fc.property(facts, (input) => {
      const all = { ...input, controlled: false };
      const verdict = decideStop(all);
      expect([1, 2, 3, 4, 9, 14, 15, 16, 17]).toContain(verdict.row);
      const row = first.find(([, when]) => when(all));
      if (row !== undefined) expect(verdict).toMatchObject({ row: row[0], ...row[2](all) });
      // What the rows of `completion` look at changes nothing.
      const others = {
        claim: "made",
        plain: true,
        prompts: true,
        demands: true,
        workers: true,
        batch: gate[1],
        items: gate[2],
      };
      expect(decideStop({ ...all, ...others } as StopFacts)).toEqual(verdict);
    }),
    { numRuns: 5000 },
  );
});

/** Every leaf of the walk: a value for each fact that is asked, and for no other. */
function* leaves(known: Partial<StopFacts>): Generator<readonly [Partial<StopFacts>, StopVerdict]> {
  const walk = stopTable();
  let step = walk.next();
  const asked = new Set<FactName>();
  while (step.done !== true) {
    const name: FactName = step.value;
    // No fact is looked up for nothing, and none twice but by two rows of one walk.
    if (!(name in known)) {
      for (const value of domains[name]) yield* leaves({ ...known, [name]: value });
      return;
    }
    asked.add(name);
    step = walk.next(known[name]);
  }
  expect([...asked].sort()).toEqual(Object.keys(known).sort());
  yield [known, step.value];
}

test("total: every combination of the facts that are asked ends in one row", () => {
  let count = 0;
  const rows = new Set<number>();
  for (const [known, verdict] of leaves({})) {
    count++;
    rows.add(verdict.row);
    expect(verdict.verdict === "end").toBe(verdict.status !== undefined && verdict.stop_reason !== undefined);
    if (verdict.verdict === "refuse") expect(verdict.gate).toBeDefined();
    // Cheap rows ask nobody: a turn of calls without a claim goes on before any gate is looked at.
    if (verdict.row <= 5)
      for (const dear of ["verified", "contract", "hook"]) expect(known).not.toHaveProperty(dear);
  }
  expect(count).toBeGreaterThan(1000);
  expect([...rows].sort((a, b) => a - b)).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
  ]);
});
