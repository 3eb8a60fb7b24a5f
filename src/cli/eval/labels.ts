/** Labels of people: sheets out, sheets in, and how far a judge agrees with them. */
import { readFileSync, writeFileSync } from "node:fs";
import { type EvalLabelRow, evals } from "../../durable/index.ts";
import type { EvalStore } from "../../eval/engine/index.ts";
import {
  type Calibration,
  calibrationOf,
  calibrationText,
  countedText,
  type Label,
  labelSheet,
  labelValue,
  readSheet,
  type StoredSet,
  type StoredTrial,
  trialsToLabel,
} from "../../eval/report/index.ts";
import { hostError } from "../../host/index.ts";
import { ownPath } from "../../process/index.ts";
import { isJsonObject, jsonOrText } from "../../values/index.ts";
import { exitCode } from "../exit-codes.ts";
import { print, reportFigures } from "../report.ts";
import { UsageError } from "../usage-error.ts";
import { exportedText, writing } from "../written-file.ts";
import { csvRowsOf } from "./csv-file.ts";
import { inEvalStore, storedSet } from "./stored-sets.ts";

export interface LabelFlags {
  readonly scorer: string;
  readonly n?: string;
  readonly seed?: string;
  readonly out?: string;
  readonly in?: string;
  readonly rater?: string;
}

const usualCount = 60;

export function labelCommand(name: string, flags: LabelFlags): number {
  if ((flags.in === undefined) === (flags.out === undefined))
    throw new UsageError("name a sheet: --out FILE writes one, --in FILE --rater NAME reads it");
  return inEvalStore((store) => {
    const set = storedSet(store, name);
    mustHaveScorer(set, flags.scorer);
    return flags.out === undefined ? takeSheet(store, set, flags) : giveSheet(store, set, flags, flags.out);
  });
}

function mustHaveScorer(set: StoredSet, scorer: string): void {
  const names = [...new Set(set.tasks.flatMap(({ spec }) => spec.scorers.map((one) => one.name)))];
  if (!names.includes(scorer))
    throw new UsageError(`the set ${set.name} has no scorer ${scorer}; there are ${names.join(", ")}`);
}

/** What a sheet calls a trial: an address would name its variant. */
const blindName = (set: StoredSet, trial: StoredTrial): string => `${set.name}#${trial.id}`;

function giveSheet(store: EvalStore, set: StoredSet, flags: LabelFlags, path: string): number {
  const n = flags.n === undefined ? usualCount : Number(flags.n);
  if (!Number.isInteger(n) || n < 1)
    throw new UsageError(`--n must be a whole number from 1 on; got ${flags.n ?? ""}`);
  const seed = flags.seed ?? set.row.seed;
  const chosen = trialsToLabel(set, flags.scorer, n, (address) => store.digest(`${seed}\n${address}`));
  const text = labelSheet(
    chosen,
    (trial) => blindName(set, trial as StoredTrial),
    (trial) => (trial as StoredTrial).outcome,
  );
  writing(path, () => writeFileSync(ownPath(path), exportedText(text)));
  print(
    `${countedText(chosen.length, "trial")} in ${path}: fill in the column label (pass, fail, or a number)\n`,
  );
  return exitCode.ok;
}

function takeSheet(store: EvalStore, set: StoredSet, flags: LabelFlags): number {
  const { in: path = "", rater } = flags;
  if (rater === undefined || rater === "") throw new UsageError("--in needs --rater NAME: who has labelled");
  let text: string;
  try {
    text = readFileSync(ownPath(path), "utf8");
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${hostError(error).message}`, exitCode.failed);
  }
  const rows = readSheet(csvRowsOf(text));
  if (typeof rows === "string") throw new UsageError(`${path}: ${rows}`, exitCode.failed);
  const byName = new Map(
    set.tasks.flatMap(({ trials }) => trials.map((trial) => [blindName(set, trial), trial] as const)),
  );
  const now = Date.now();
  const writes = rows.map(({ address, label, note }) => {
    const trial = byName.get(address);
    if (trial === undefined)
      throw new UsageError(`${path}: ${address} is not a trial of ${set.name}`, exitCode.failed);
    const row: EvalLabelRow = {
      trial: trial.id,
      scorer: flags.scorer,
      rater,
      ...labelValue(label),
      note: JSON.stringify({ note, version: newestVersion(store, trial, flags.scorer) }),
      at: now,
    };
    return { table: "eval_label" as const, row: { ...row } };
  });
  store.write(writes);
  print(`${countedText(writes.length, "label")} of ${rater} for ${flags.scorer}\n`);
  return exitCode.ok;
}

const newestVersion = (store: EvalStore, trial: StoredTrial, scorer: string): number =>
  Math.max(0, ...store.scoresOf(trial.id).flatMap((row) => (row.scorer === scorer ? row.version : [])));

const labelRows = (store: EvalStore): readonly EvalLabelRow[] =>
  store.operations.readSync(evals.rows, {
    table: "eval_label",
    where: {},
  }) as unknown as readonly EvalLabelRow[];

interface KnownLabel extends Label {
  readonly scorer: string;
  /** The version of the score when the label was given. */
  readonly version: number;
  readonly trial: StoredTrial;
}

/** Labels with a number of the trials of a set. */
function labelsOf(store: EvalStore, set: StoredSet): KnownLabel[] {
  const trials = new Map(
    set.tasks.flatMap(({ trials: own }) => own.map((trial) => [trial.id, trial] as const)),
  );
  return labelRows(store).flatMap(({ trial: id, scorer, rater, value, note }) => {
    const trial = trials.get(id);
    if (trial === undefined || value === null) return [];
    const said = jsonOrText(note ?? "");
    const version = isJsonObject(said) && typeof said.version === "number" ? said.version : 1;
    return [{ trial, scorer, rater, value, version }];
  });
}

/** κ of each labelled scorer of a task; a text where its rubric or model has changed since. */
export function agreementsOf(
  store: EvalStore,
  set: StoredSet,
  task: string,
): ReadonlyMap<string, number | string> {
  const labels = labelsOf(store, set);
  if (labels.length === 0) return new Map();
  const own = new Set(set.tasks.find(({ spec }) => spec.name === task)?.trials ?? []);
  const scorers = [...new Set(labels.map(({ scorer }) => scorer))];
  return new Map(
    scorers.map((scorer) => {
      const ownLabels = labels.filter((label) => label.scorer === scorer && own.has(label.trial));
      if (ownLabels.some(({ trial, version }) => newestVersion(store, trial, scorer) !== version))
        return [scorer, "its rubric or model changed since the labels were given"];
      const found = calibrationOf(set, scorer, ownLabels).agreements.at(-1)?.kappa ?? null;
      return [scorer, found ?? "there are too few labels"];
    }),
  );
}

/** How far each labelled scorer of a set agrees with people. */
export function calibrationsOf(store: EvalStore, set: StoredSet): Calibration[] {
  const labels = Map.groupBy(labelsOf(store, set), ({ scorer }) => scorer);
  return [...labels].map(([scorer, own]) => calibrationOf(set, scorer, own));
}

export function calibrateCommand(
  name: string,
  flags: { readonly scorer: string; readonly json?: boolean },
): number {
  inEvalStore((store) => {
    const set = storedSet(store, name);
    mustHaveScorer(set, flags.scorer);
    const labels = labelsOf(store, set).filter(({ scorer }) => scorer === flags.scorer);
    const found = calibrationOf(set, flags.scorer, labels);
    if (flags.json === true) {
      const agreements = found.agreements.map(({ disagreements, ...one }) => ({
        ...one,
        disagreements: disagreements.length,
      }));
      reportFigures({ ...found, agreements });
    } else print(calibrationText(set, found));
  });
  return exitCode.ok;
}
