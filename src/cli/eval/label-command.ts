/** `harn eval label` and `calibrate`: sheets for people out, their labels in, and how far a judge agrees with them. */

import { readFileSync, writeFileSync } from "node:fs";
import type { EvalLabelRow } from "../../durable/index.ts";
import type { EvalStore } from "../../eval/engine/index.ts";
import {
  blindName,
  csvRowsOf,
  inEvalStore,
  labelsOf,
  mustHaveScorer,
  newestVersion,
  storedSet,
} from "../../eval/local/index.ts";
import {
  calibrationOf,
  calibrationText,
  countedText,
  labelSheet,
  labelValue,
  type StoredSet,
  type StoredTrial,
  sheetRows,
  trialsToLabel,
} from "../../eval/report/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  exitCode,
  exportedText,
  print,
  reportFigures,
  UsageError,
  writing,
} from "../../host/command/index.ts";
import { hostError } from "../../host/index.ts";
import { ownPath } from "../../process/index.ts";
import type { labelFlags } from "../flags/eval.ts";

export type LabelFlags = FlagsOf<typeof labelFlags>;

const usualCount = 60;

export function labelCommand(name: string, flags: LabelFlags): number {
  if ((flags.in === undefined) === (flags.out === undefined))
    throw new UsageError(
      "name a sheet: --out FILE writes one, --in FILE --rater NAME reads it",
      "HARN-CLI-002",
    );
  return inEvalStore((store) => {
    const set = storedSet(store, name);
    mustHaveScorer(set, flags.scorer);
    return flags.out === undefined ? takeSheet(store, set, flags) : giveSheet(store, set, flags, flags.out);
  });
}

function giveSheet(store: EvalStore, set: StoredSet, flags: LabelFlags, path: string): number {
  const { n = usualCount } = flags;
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
  if (rater === undefined || rater === "")
    throw new UsageError("--in needs --rater NAME: who has labelled", "HARN-CLI-002");
  let text: string;
  try {
    text = readFileSync(ownPath(path), "utf8");
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${hostError(error).message}`, "HARN-CLI-006");
  }
  const rows = sheetRows(csvRowsOf(text));
  if (typeof rows === "string") throw new UsageError(`${path}: ${rows}`, "HARN-CLI-008");
  const byName = new Map(
    set.tasks.flatMap(({ trials }) => trials.map((trial) => [blindName(set, trial), trial] as const)),
  );
  const now = Date.now();
  const writes = rows.map(({ address, label, note }) => {
    const trial = byName.get(address);
    if (trial === undefined)
      throw new UsageError(`${path}: ${address} is not a trial of ${set.name}`, "HARN-CLI-008");
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
