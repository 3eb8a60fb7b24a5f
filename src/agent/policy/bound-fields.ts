/** Turns, time, money and calls of a loop (agents.md §11.4). An unknown key in these dicts is an error. */
import { type Read, row, rows } from "../../table/index.ts";

const strict = { strict: true } as const;

const failureRows = rows(
  () => ({
    max: row.int("So many failed calls in a row end the loop.", null, { min: 1 }).required(),
    kinds: row
      .list(row.text(), "Categories, kinds or reasons of errors that are lived with; without it, all.")
      .full()
      .to((kinds): ReadonlySet<string> => new Set(kinds)),
    paused_for_ms: row.number("Rest before the next try, in milliseconds.", 0, { min: 0 }),
  }),
  strict,
);
/** Failed model calls in a row that a loop lives with. */
export type FailureTolerance = Read<typeof failureRows>;

export const iterationBudgetFields = rows(
  () => ({
    mode: row.oneOf(["fixed", "adaptive"], "Whether the number of turns may grow.", "fixed"),
    initial: row.int("Turns at the beginning; a quarter of `max` when adaptive.", null, { min: 1 }),
    max: row.int("Turns at most; 16 when adaptive, else `max_iterations`.", null, { min: 1 }),
    extend_by: row.int("Turns that are added at a time, when adaptive.", null, { min: 1 }).usually("2"),
    expose_decisions: row.bool("The result tells when and why turns were added; true when adaptive."),
    wall_clock_ms: row
      .number("Milliseconds that the loop may run.", null, { min: 0 })
      .with({ below: "holds" }),
    total_cost_usd: row
      .number("Dollars that its model calls may cost.", null, { min: 0 })
      .with({ below: "holds" }),
    consecutive_failures: row
      .either(
        [row.int("", null, { min: 1 }), row.dict(failureRows)],
        "Failed model calls in a row that it lives with.",
      )
      .to((read) => (typeof read === "number" ? { ...failureRows.usual, max: read } : read)),
  }),
  strict,
);

export const limitFields = rows(
  () => ({
    tool_calls: row.number("Tool calls of the loop.", null, { min: 0 }),
    tokens: row.number("Tokens of its model calls, in and out.", null, { min: 0 }).with({ below: "holds" }),
    closing_turn: row.bool(
      "At the limit of tool calls the model gets one more turn, without tools, to say what it has come to.",
      false,
    ),
  }),
  strict,
);
