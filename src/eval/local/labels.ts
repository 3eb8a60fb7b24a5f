/** Labels of people, as the store and sheets have them, and how far a judge agrees with them. */
import type { EvalLabelRow } from "../../durable/index.ts";
import { UsageError } from "../../host/command/index.ts";
import { CsvReader, isJsonObject, jsonOrText } from "../../values/index.ts";
import type { EvalStore } from "../engine/index.ts";
import {
  type Calibration,
  calibrationOf,
  type Label,
  type StoredSet,
  type StoredTrial,
} from "../report/index.ts";

/** Refuses a scorer that no task of the set has. */
export function mustHaveScorer(set: StoredSet, scorer: string): void {
  const names = [...new Set(set.tasks.flatMap(({ spec }) => spec.scorers.map((one) => one.name)))];
  if (!names.includes(scorer))
    throw new UsageError(
      `the set ${set.name} has no scorer ${scorer}; there are ${names.join(", ")}`,
      "HARN-CLI-003",
    );
}

/** What a sheet calls a trial: an address would name its variant. */
export const blindName = (set: StoredSet, trial: StoredTrial): string => `${set.name}#${trial.id}`;

/** The version of a trial's newest score by a scorer; 0 without one. */
export const newestVersion = (store: EvalStore, trial: StoredTrial, scorer: string): number =>
  Math.max(0, ...store.scoresOf(trial.id).flatMap((row) => (row.scorer === scorer ? row.version : [])));

const labelRows = (store: EvalStore): readonly EvalLabelRow[] =>
  store.stored.rows({
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
export function labelsOf(store: EvalStore, set: StoredSet): KnownLabel[] {
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

/** Rows of cells without the mark that spreadsheets put before them; blank lines are skipped. */
export function csvRowsOf(text: string): string[][] {
  const reader = new CsvReader(",");
  return reader.push(text.replace(/^\ufeff/u, "")).concat(reader.end());
}
