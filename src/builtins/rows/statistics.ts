/** Rows of the statistics of evaluations (`std/eval/stats`). */
import { type Rows, row, rows } from "../../table/index.ts";
import type { List } from "../../values/index.ts";

const rowsOf = <const R extends Rows>(make: () => R) => rows(make, { strict: true });

const share = (doc: string, usual: number) =>
  row.number(doc, usual, { min: 0, max: 1 }).where("float between 0 and 1", (one) => one > 0 && one < 1);
const level = () => share("How sure the interval is.", 0.95);
const clusters = () =>
  row.handle<List>("list", "The group of each value, in the same order: rows of one customer, one document.");
const seedRow = () =>
  row.handle<number | bigint>("int", "The same seed gives the same draws.").or(0).usually("0");
const resamples = () => row.int("Resamples that are drawn.", 2000, { min: 1, max: 1_000_000 });
const alphaRow = () => share("Share of false alarms.", 0.05);
const powerRow = () => share("How likely a difference that is there is found.", 0.8);
const neededNumber = (doc: string) => row.number(doc).required();
const counted = (doc: string, min = 0) => row.int(doc, null, { min }).required();

export const meanIntervalFields = rowsOf(() => ({
  clusters: clusters(),
  trials: row.int(
    "Trials that passed or failed and that the values are means of: they count for no more than so many.",
  ),
  level: level(),
  method: row.oneOf(["wilson", "wilson_eff", "t", "bootstrap"], "Chosen by the kind of data unless given."),
  seed: seedRow(),
  resamples: resamples(),
}));
export const pairedFields = rowsOf(() => ({
  clusters: clusters(),
  level: level(),
  kind: row.oneOf(
    ["share", "score", "amount"],
    "Shares of trials that passed or failed, scores on a scale from 0 to 1, amounts. Unless given, shares where all values lie from 0 to 1, else amounts.",
  ),
}));
const chances = () => ({ power: powerRow(), alpha: alphaRow() });
export const detectableFields = rowsOf(chances);
export const samplesNeededFields = rowsOf(() => ({
  delta: neededNumber("The difference that is to be found.").where(
    "a number that is not 0",
    (delta) => delta !== 0,
  ),
  omega2: neededNumber("Variance of true differences between samples."),
  sigma2_a: neededNumber("Variance within samples of the first."),
  k_a: row.int("Epochs of the first.", 1, { min: 1 }),
  sigma2_b: neededNumber("Variance within samples of the second."),
  k_b: row.int("Epochs of the second.", 1, { min: 1 }),
  ...chances(),
}));
export const sequenceFields = rowsOf(() => ({ alpha: alphaRow() }));
export const drawsFields = rowsOf(() => ({
  trial_cost: neededNumber("What a trial costs."),
  draw_cost: neededNumber("What one more draw of the judge costs."),
  within: neededNumber("Variance within samples."),
  judge: neededNumber("Variance of the judge."),
}));
export const kappaFields = rowsOf(() => ({
  weights: row.oneOf(["none", "linear", "quadratic"], "How far apart two values are.", "none"),
}));
export const alphaFields = rowsOf(() => ({
  level: row.oneOf(["nominal", "ordinal", "interval"], "What the ratings are.", "nominal"),
}));
export const roganGladenFields = rowsOf(() => ({
  q: neededNumber("The share that the judge passed."),
  n: counted("Of how many.", 1),
  tp: counted("Passed by the judge and by people."),
  fn: counted("Failed by the judge, passed by people."),
  tn: counted("Failed by both."),
  fp: counted("Passed by the judge, failed by people."),
  level: level(),
}));
export const bootstrapFields = rowsOf(() => ({
  clusters: clusters(),
  resamples: resamples(),
  alpha: alphaRow(),
  seed: seedRow(),
}));
