/**
 * What evaluations must be able to do at the end (issue 15), scenario by scenario, and the tests that show it. A scenario of which
 * something is still missing stands in `open` with what that is.
 */
import type { ShownRow } from "../../support/shown-by.ts";

const cli = "test/unit/cli/eval";

export const scenarios: readonly ShownRow[] = [
  [
    1,
    "capitals on a fresh clone: 20 rows, mock, summary, exit 0",
    ['test/examples.test.ts › name === "capitals" ? 20'],
  ],
  [
    2,
    "killed at random and resumed: the same receipt, each request once",
    [`${cli}/kills.test.ts › the receipt of an undisturbed set`],
  ],
  [
    3,
    "exported, imported elsewhere and replayed, with the network off",
    [
      `${cli}/kills.test.ts › carriedElsewhere(last)`,
      `${cli}/set-files.test.ts › replays to the same receipt without program, key and secret`,
    ],
  ],
  [
    4,
    "a set that grows keeps what is done; changed and removed rows",
    [`${cli}/sets.test.ts › keeps what is done and runs what is missing`],
  ],
  [5, "followed under a changed program", [`${cli}/sets.test.ts › an edited scorer asks no model`]],
  [
    6,
    "errors: requests that fail once, scorers and solvers that throw",
    [
      `${cli}/sets.test.ts › requests that fail once are asked again`,
      `${cli}/sets.test.ts › a scorer that throws leaves its trials unscored`,
    ],
  ],
  [
    7,
    "money is never passed, and goes on with more",
    [`${cli}/sets.test.ts › is never passed; a set that is paused goes on`],
  ],
  [
    8,
    "rate limits of two providers; one that answers nothing but 429",
    [
      "test/unit/eval/engine/governor.test.ts › two of eight requests a second are used to 85 per cent",
      "test/unit/eval/engine/governor.test.ts › one that answers nothing but 429",
    ],
  ],
  [
    9,
    "conversations: right, forbidden, invented, confirmed and stopped, promised too much",
    [
      `${cli}/conversations.test.ts › a refund that is right, and a user that confirms and stops at once`,
      `${cli}/conversations.test.ts › a refund that is forbidden`,
      `${cli}/conversations.test.ts › a user that invents an order number`,
      `${cli}/conversations.test.ts › a promise too much`,
    ],
  ],
  [
    10,
    "noise: each part within a quarter; a timestamp in the prompt",
    [
      `${cli}/noise.test.ts › each part comes out within a quarter`,
      `${cli}/noise.test.ts › a timestamp in a prompt is told`,
    ],
  ],
  [
    11,
    "gates: against itself, 0.2 less, without a baseline",
    [
      "test/unit/cli/eval-commands.test.ts › a set against itself never fails",
      "test/unit/cli/eval-commands.test.ts › 0.2 less fails with 1, in the summary and in JUnit",
      "test/unit/cli/eval-commands.test.ts › without a baseline they are unclear, which fails only strictly",
    ],
  ],
  [
    12,
    "a race ends early and right, names what it skipped; equal variants",
    [
      `${cli}/race.test.ts › ends early, the same however many trials run at once`,
      `${cli}/race.test.ts › of variants that are alike none is called better`,
    ],
  ],
  [
    13,
    "check: a failing reference action, a goal that is the beginning",
    ["test/unit/cli/eval-commands.test.ts › names a reference action that fails"],
  ],
  [
    14,
    "the page is inert; the old ways print as before; sizes",
    [
      "test/unit/eval/report/page.test.ts › runs nothing of what a trial says",
      "test/unit/eval/report/page.test.ts › holds 10,000 trials",
      "test/golden/evals/pack.harn",
      "test/golden/evals/suite.harn",
      `${cli}/pack-cases.test.ts`,
      "bench/evals.ts",
    ],
  ],
];

export const open: Readonly<Record<number, string>> = {
  2: "8 samples × 3 epochs and six kills in `npm run test:long`; HARN_EVAL_KILLS=200 is the torture (2026-11-23: none lost, the receipt equal)",
  14: "sizes are printed by `npm run bench evals` beside what is asked, and looked at by people: a loaded machine decides no test",
};
