/** Who is to blame for a trial that did not succeed: the first rule that fits (docs/evals.md). */
import { expect, test } from "vitest";
import { type BlameFacts, blameOf, type Fault, isHelped, type Score } from "../../../src/eval/index.ts";
import { Dict } from "../../../src/values/index.ts";

const facts = (more: Partial<BlameFacts>): BlameFacts => ({
  errorCategory: null,
  success: 0,
  scores: [],
  deciding: ["tone"],
  oraclePasses: null,
  faults: [],
  ...more,
});
const draw = (pass: boolean | null, more: Partial<Score> = {}): Score => ({
  scorer: "tone",
  draw: 1,
  value: pass === null ? null : Number(pass),
  pass,
  label: null,
  answer: null,
  why: null,
  parts: {},
  meta: null,
  error: null,
  ...more,
});
const fault = (severity: Fault["severity"]): Fault => ({ kind: "x", severity, turn: 1, evidence: "" });
const panel = (votes: readonly number[]): Score =>
  draw(false, {
    parts: Object.fromEntries(votes.map((vote, at) => [`judge_${at + 1}`, vote])),
    meta: Dict.of({ split: true }),
  });

test.each([
  ["nobody", facts({ success: 1 }), null],
  ["harness", facts({ errorCategory: "harness", faults: [fault("hindered")] }), "harness"],
  [
    "harness",
    facts({ success: null, scores: [draw(null, { error: { code: null, message: "oops" } })] }),
    "harness",
  ],
  ["environment", facts({ errorCategory: "provider", oraclePasses: false }), "environment"],
  ["task", facts({ oraclePasses: false, faults: [fault("hindered")] }), "task"],
  [
    "task",
    facts({ success: null, scores: [draw(null, { error: { code: "HARN-EVL-033", message: "x" } })] }),
    "task",
  ],
  ["user", facts({ faults: [fault("minor"), fault("hindered")], scores: [draw(true), draw(false)] }), "user"],
  ["judge: one vote of three", facts({ scores: [draw(true), draw(false), draw(false)] }), "judge"],
  ["judge: a tie", facts({ scores: [draw(true), draw(false)] }), "judge"],
  ["judge: a split panel", facts({ scores: [panel([1, 0, 0])] }), "judge"],
  [
    "judge: broken",
    facts({ success: null, scores: [draw(null, { error: { code: "judge_error", message: "x" } })] }),
    "judge",
  ],
  ["agent: a clear panel", facts({ scores: [panel([0, 0, 0, 0, 1])] }), "agent"],
  ["agent: all against", facts({ scores: [draw(false), draw(false), draw(false)] }), "agent"],
  [
    "agent: another scorer is split",
    facts({ deciding: ["other"], scores: [draw(true), draw(false)] }),
    "agent",
  ],
  ["agent: minor and helping faults", facts({ faults: [fault("minor"), fault("helped")] }), "agent"],
] as const)("%s", (_label, input, blame) => {
  expect(blameOf(input)).toBe(blame);
});

test("a success that the user helped to", () => {
  expect(isHelped(1, [fault("helped")])).toBe(true);
  expect(isHelped(1, [fault("hindered")])).toBe(false);
  expect(isHelped(0, [fault("helped")])).toBe(false);
});
