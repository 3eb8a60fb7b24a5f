/** The judges of a loop (agents.md §11.1–11.3). */

import { asideCall, callRoute } from "../../model/index.ts";
import {
  type Field,
  type ReadRow,
  type Rows,
  type RowTable,
  readRows,
  row,
  rows,
} from "../../table/index.ts";
import { Dict } from "../../values/index.ts";

/** How a judge is asked. */
export const questionRows = rows(() => ({
  ...callRoute(),
  system: row.text("The system text of the judge."),
  tool_format: row.oneOf(["native", "text", "json", "auto"], "Kept for the record; a judge has no tools."),
  ...asideCall(),
}));

const judgeQuestion = (): readonly Field[] => questionRows.rows;

const cadenceRows = rows(() => ({
  every: row.int("It judges in every so many turns.", 1, { min: 1 }),
  when: row
    .either(
      [row.oneOf(["always", "stalled"]), row.closure()],
      "When it judges: always, or only when the loop stalls.",
    )
    .or("always")
    .usually('"always"'),
  max_invocations: row.int("It judges so often at most.", null, { min: 0 }).bounds(),
  min_iterations_before_first: row.int("Turns before it judges at all.", 0, { min: 0 }),
}));

const judgeRows = rows(
  () => ({
    feedback_fallback: fallback(),
    max_invocations: row
      .int("Vetoes after which the loop ends as `verify_capped`; 0 for no cap.", null, { min: 0 })
      .alias("max_feedback")
      .bounds(),
    cadence: row.dict(cadenceRows, "When it judges.").or(cadenceRows.usual),
    fail_open: row.bool("Accept when the judge can't be asked.", false),
  }),
  { beside: judgeQuestion },
);

const stepJudgeRows = rows(
  () => ({
    feedback_fallback: fallback(),
    rubric: row.text("What is looked at: `default`, `adversarial`, or your own words.", "default"),
    on_veto: row.oneOf(
      ["replace", "retain"],
      "Whether the step is taken out of the conversation or stays.",
      "replace",
    ),
    max_attempts: row.int("Vetoes in a row; the next step passes.", 3, { min: 1 }),
    skip_when_empty: row.bool("Steps without text and calls pass.", true),
    skip_when_stalled: row.bool("Steps in which a stall was seen pass.", true),
    skip_when_iterations_remaining: row.int("Steps pass when so few turns are left.", 1, { min: 0 }),
    fail_open: row.bool("Pass when the judge can't be asked.", true),
  }),
  { beside: judgeQuestion },
);

const fallback = () => row.text("What the model is told after a veto without words.");

/** A judge that a bool or a dict switches on; `config`: the dict, for its calls. */
const judgeOptionRow = <R extends Rows>(table: RowTable<R>, doc: string) =>
  row.either([row.bool(), row.dict(null).with({ nested: table })], doc).to((given, place) => {
    if (given === false) return null;
    const config = given === true ? new Dict() : given;
    return { config, ...readRows(config, table, place) };
  });

/** `verify_completion_judge` and `done_judge`. `cap`: vetoes after which it no longer fires and the loop ends; `null`: none. */
export const judgeRow = (usualCap: number | null, doc: string) =>
  judgeOptionRow(judgeRows, doc).to((read) => {
    const cap = read?.maxInvocations ?? usualCap;
    return read === null ? null : { ...read, cap: cap === 0 ? null : cap };
  });
export type JudgeOptions = NonNullable<ReadRow<typeof judgeRow>>;

export const stepJudgeRow = (doc: string) => judgeOptionRow(stepJudgeRows, doc);
export type StepJudgeOptions = NonNullable<ReadRow<typeof stepJudgeRow>>;
