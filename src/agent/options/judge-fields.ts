/** The judges of a loop (agents.md §11.1–11.3). */

import { asideRows, routeRows } from "../../model/index.ts";
import { type Field, field, fieldTable } from "../../table/index.ts";

const judgeQuestion = (): readonly Field[] => [
  ...routeRows(),
  field("system", "string", "The system text of the judge."),
  field("tool_format", "string", "Kept for the record; a judge has no tools.", {
    values: ["native", "text", "json", "auto"],
  }),
  ...asideRows(),
  field("feedback_fallback", "string", "What the model is told after a veto without words."),
];

const cadenceFields = fieldTable(() => [
  field("every", "int", "It judges in every so many turns.", { default: "1", range: [1, null] }),
  field("when", "string | closure", "When it judges: always, or only when the loop stalls.", {
    values: ["always", "stalled"],
    default: '"always"',
  }),
  field("max_invocations", "int", "It judges so often at most.", { range: [0, null], bounds: true }),
  field("min_iterations_before_first", "int", "Turns before it judges at all.", {
    default: "0",
    range: [0, null],
  }),
]);

/** `verify_completion_judge` and `done_judge`. */
export const judgeFields = fieldTable(() => [
  ...judgeQuestion(),
  field("max_invocations", "int", "Vetoes after which the loop ends as `verify_capped`; 0 for no cap.", {
    range: [0, null],
    bounds: true,
  }),
  field("max_feedback", "int", "Another name for `max_invocations`.", { range: [0, null], bounds: true }),
  field("cadence", "dict", "When it judges.", { nested: cadenceFields }),
  field("fail_open", "bool", "Accept when the judge can't be asked.", { default: "false" }),
]);

export const stepJudgeFields = fieldTable(() => [
  ...judgeQuestion(),
  field("rubric", "string", "What is looked at: `default`, `adversarial`, or your own words.", {
    default: '"default"',
  }),
  field("on_veto", "string", "Whether the step is taken out of the conversation or stays.", {
    values: ["replace", "retain"],
    default: '"replace"',
  }),
  field("max_attempts", "int", "Vetoes in a row; the next step passes.", { default: "3", range: [1, null] }),
  field("skip_when_empty", "bool", "Steps without text and calls pass.", { default: "true" }),
  field("skip_when_stalled", "bool", "Steps in which a stall was seen pass.", { default: "true" }),
  field("skip_when_iterations_remaining", "int", "Steps pass when so few turns are left.", {
    default: "1",
    range: [0, null],
  }),
  field("fail_open", "bool", "Pass when the judge can't be asked.", { default: "true" }),
]);
