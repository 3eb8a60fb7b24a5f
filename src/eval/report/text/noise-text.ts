/** What `harn eval noise` prints. */
import { showOneLine } from "../../../diagnostics/index.ts";
import type { CrossedDesign, NoiseDesignError, NoiseReport } from "../noise.ts";
import { columnLines } from "./columns.ts";
import { countedText, dollarText } from "./figure-text.ts";

/** Variances are small: as many digits as tell them apart. */
export const varianceText = (value: number): string =>
  Math.abs(value) >= 0.00005 || value === 0 ? value.toFixed(4) : value.toExponential(1);

export function noiseText(reports: readonly NoiseReport[]): string {
  return reports
    .map((report) => [
      noiseHead(report),
      ...leftLines(report),
      ...partLines(report),
      ...buyLines(report),
      ...fewLines(report),
    ])
    .map((lines) => lines.map((line) => `${line}\n`).join(""))
    .join("\n");
}

/** `refunds  gpt-4o  success   20 samples × 2 agents × 2 users × 2 judgements` */
export function noiseHead({ task, variant, metric, design, samples }: NoiseReport): string {
  const names = variant === "default" ? [task, metric] : [task, variant, metric];
  return `${showOneLine(names.join("  "))}   ${countedText(samples, "sample")}${designText(design)}`;
}

/** What is said beside the table of sources. */
export const noiseWords = (report: NoiseReport): string[] =>
  [...leftLines(report), ...buyLines(report), ...fewLines(report)].map((line) => line.slice(2));

function leftLines({ left }: NoiseReport): string[] {
  if (left.length === 0) return [];
  const shown = left.slice(0, 8).map(showOneLine).join(", ");
  const more = left.length > 8 ? ` and ${left.length - 8} more` : "";
  return [`  left out, since a trial errored or is unscored: ${shown}${more}`];
}

const designText = ({ agents, users, environments, judges }: CrossedDesign): string =>
  (
    [
      [agents, "agent"],
      [users, "user"],
      [environments, "re-run"],
      [judges, "judgement"],
    ] as const
  )
    .filter(([count]) => count > 1)
    .map(([count, noun]) => ` × ${countedText(count, noun)}`)
    .join("");

/** Name, variance, share and interval of each source. */
export const noiseSources = ({ parts }: NoiseReport): string[][] =>
  parts.map(({ name, variance, share, low, high }) => [
    name,
    varianceText(variance),
    `${Math.round(share * 100)} %`,
    low === null || high === null ? "" : `[${varianceText(low)}, ${varianceText(high)}]`,
  ]);

function partLines(report: NoiseReport): string[] {
  if (report.parts.length === 0) return ["  nothing to see: no sample has all of its trials"];
  const rows = [["source", "variance", "share", ""], ...noiseSources(report)];
  return columnLines(
    rows.map(([name = "", ...cells]) => [`  ${name}`, ...cells]),
    [3, 2, 2],
  );
}

/** From here on intervals of resampled variances hold about what they say. */
const enoughSamples = 50;

const fewLines = ({ parts, samples }: NoiseReport): string[] =>
  parts.length === 0 || samples >= enoughSamples
    ? []
    : [
        `  brackets of fewer than ${enoughSamples} samples are too narrow: they hold the true variance less often than 95 times of 100`,
      ];

const whats: Readonly<Record<NoiseDesignError["what"], string>> = {
  now: "now",
  samples: "twice the samples",
  epochs: "twice the epochs",
  draws: "twice the draws",
};

function buyLines({ errors, bestDraws }: NoiseReport): string[] {
  if (errors.length === 0) return [];
  const rows = errors.map(({ what, samples, epochs, draws, se, costUsd }) => [
    `  ${whats[what]}`,
    `${countedText(samples, "sample")} × ${countedText(epochs, "epoch")} × ${countedText(draws, "draw")}`,
    `standard error ${se.toFixed(4)}`,
    costUsd === null ? "cost unknown" : dollarText(costUsd),
  ]);
  const best =
    bestDraws === null
      ? []
      : [
          `  best number of draws: ${Math.max(1, Math.round(bestDraws.value))} (${bestDraws.value.toFixed(2)}; a trial costs ${dollarText(bestDraws.trialCost)}, a draw ${dollarText(bestDraws.drawCost)})`,
        ];
  return [...columnLines(rows, [3, 2, 2]), ...best];
}
