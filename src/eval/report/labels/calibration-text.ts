/** What `harn eval calibrate` prints. */
import { showOneLine } from "../../../diagnostics/index.ts";
import { trialPath } from "../../plan/index.ts";
import type { RecordedSet } from "../recorded-set.ts";
import { columnLines } from "../text/columns.ts";
import type { Agreement, Calibration } from "./calibration.ts";

const maxDisagreements = 20;

export function calibrationText(set: RecordedSet, found: Calibration): string {
  const pooled = found.agreements.at(-1);
  if (pooled === undefined) {
    return `${showOneLine(found.scorer)}: no trial that it scored has a label; harn eval label ${showOneLine(set.name)} --scorer ${showOneLine(found.scorer)} --out sheet.csv writes a sheet\n`;
  }
  const lines = [
    showOneLine(`${set.name}   ${found.scorer} against people`),
    ...columnLines([agreementHead, ...found.agreements.map(agreementCells)], [3, 2]),
    ...calibrationLines(set, found),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** What is said below the table of raters. */
export function calibrationLines(set: RecordedSet, found: Calibration): string[] {
  const pooled = found.agreements.at(-1);
  return [
    ...(found.betweenRaters === null ? [] : [`between raters: alpha ${three(found.betweenRaters)}`]),
    ...(found.betweenDraws === null
      ? []
      : [`between draws of the judge: alpha ${three(found.betweenDraws)}`]),
    ...correctedLines(found),
    ...found.warnings,
    ...(pooled === undefined ? [] : disagreementLines(set, pooled)),
  ];
}

export const agreementHead: readonly string[] = [
  "",
  "n",
  "base rate",
  "accuracy",
  "always the commoner",
  "kappa",
  "sensitivity",
  "specificity",
];

const three = (value: number | null): string => (value === null ? "-" : value.toFixed(3));

export const agreementCells = (one: Agreement): string[] => [
  one.rater,
  String(one.n),
  three(one.baseRate),
  three(one.accuracy),
  three(one.alwaysAccuracy),
  one.low === null ? three(one.kappa) : `${three(one.kappa)} [${three(one.low)}, ${three(one.high)}]`,
  three(one.sensitivity),
  three(one.specificity),
];

function correctedLines({ raw, roganGladen, predictionPowered }: Calibration): string[] {
  const interval = ({ value, low, high }: { value: number; low: number; high: number }): string =>
    `${three(value)} [${three(low)}, ${three(high)}]`;
  return [
    `the judge says ${three(raw)}`,
    ...(roganGladen === null
      ? []
      : [
          typeof roganGladen === "string"
            ? `corrected by its errors (Rogan-Gladen): refused, ${roganGladen}`
            : `corrected by its errors (Rogan-Gladen): ${interval(roganGladen)}`,
        ]),
    ...(predictionPowered === null
      ? []
      : [`corrected by labels (prediction-powered): ${interval(predictionPowered)}`]),
  ];
}

function disagreementLines(set: RecordedSet, { disagreements }: Agreement): string[] {
  if (disagreements.length === 0) return [];
  const named = disagreements.slice(0, maxDisagreements).map((trial) => {
    const task = set.tasks.find(({ trials }) => trials.includes(trial))?.spec.name ?? "";
    const { variant, sample, epoch } = trial;
    return `  harn eval show ${set.name}:${trialPath({ task, variant, sample, epoch })}`;
  });
  const more = disagreements.length - named.length;
  return [
    `${disagreements.length} disagreements:`,
    ...named.map(showOneLine),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
