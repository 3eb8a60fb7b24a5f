/** Rows of the statistics of evaluations (`std/eval/stats`). */
import { type Field, field, fieldTable } from "../../table/index.ts";

const level = (): Field =>
  field("level", "float", "How sure the interval is.", { default: "0.95", range: [0, 1] });
const clusters = (): Field =>
  field(
    "clusters",
    "list",
    "The group of each value, in the same order: rows of one customer, one document.",
  );
const seed = (): Field => field("seed", "int", "The same seed gives the same draws.", { default: "0" });
const resamples = (): Field =>
  field("resamples", "int", "Resamples that are drawn.", { default: "2000", range: [1, 1_000_000] });
const alphaRow = (): Field =>
  field("alpha", "float", "Share of false alarms.", { default: "0.05", range: [0, 1] });
const powerRow = (): Field =>
  field("power", "float", "How likely a difference that is there is found.", {
    default: "0.8",
    range: [0, 1],
  });

export const meanIntervalFields = fieldTable(
  () => [
    clusters(),
    field(
      "trials",
      "int",
      "Trials that passed or failed and that the values are means of: they count for no more than so many.",
    ),
    level(),
    field("method", "string", "Chosen by the kind of data unless given.", {
      values: ["wilson", "wilson_eff", "t", "bootstrap"],
    }),
    seed(),
    resamples(),
  ],
  { strict: true },
);
export const pairedFields = fieldTable(
  () => [
    clusters(),
    level(),
    field(
      "kind",
      "string",
      "Shares of trials that passed or failed, scores on a scale from 0 to 1, amounts. Unless given, shares where all values lie from 0 to 1, else amounts.",
      { values: ["share", "score", "amount"] },
    ),
  ],
  { strict: true },
);
export const detectableFields = fieldTable(() => [powerRow(), alphaRow()], { strict: true });
const numberRow = (name: string, doc: string): Field => field(name, "int | float", doc);
export const samplesNeededFields = fieldTable(
  () => [
    numberRow("delta", "The difference that is to be found."),
    numberRow("omega2", "Variance of true differences between samples."),
    numberRow("sigma2_a", "Variance within samples of the first."),
    field("k_a", "int", "Epochs of the first.", { default: "1", range: [1, null] }),
    numberRow("sigma2_b", "Variance within samples of the second."),
    field("k_b", "int", "Epochs of the second.", { default: "1", range: [1, null] }),
    powerRow(),
    alphaRow(),
  ],
  { strict: true },
);
export const sequenceFields = fieldTable(() => [alphaRow()], { strict: true });
export const drawsFields = fieldTable(
  () => [
    numberRow("trial_cost", "What a trial costs."),
    numberRow("draw_cost", "What one more draw of the judge costs."),
    numberRow("within", "Variance within samples."),
    numberRow("judge", "Variance of the judge."),
  ],
  { strict: true },
);
export const kappaFields = fieldTable(
  () => [
    field("weights", "string", "How far apart two values are.", {
      values: ["none", "linear", "quadratic"],
      default: '"none"',
    }),
  ],
  { strict: true },
);
export const alphaFields = fieldTable(
  () => [
    field("level", "string", "What the ratings are.", {
      values: ["nominal", "ordinal", "interval"],
      default: '"nominal"',
    }),
  ],
  { strict: true },
);
export const roganGladenFields = fieldTable(
  () => [
    numberRow("q", "The share that the judge passed."),
    field("n", "int", "Of how many.", { range: [1, null] }),
    field("tp", "int", "Passed by the judge and by people.", { range: [0, null] }),
    field("fn", "int", "Failed by the judge, passed by people.", { range: [0, null] }),
    field("tn", "int", "Failed by both.", { range: [0, null] }),
    field("fp", "int", "Passed by the judge, failed by people.", { range: [0, null] }),
    level(),
  ],
  { strict: true },
);
export const bootstrapFields = fieldTable(() => [clusters(), resamples(), alphaRow(), seed()], {
  strict: true,
});
