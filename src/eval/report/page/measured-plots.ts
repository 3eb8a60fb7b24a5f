/** Plots of what is measured beside a set: where its noise comes from, and how far its judges agree with people. */
import type { Calibration } from "../labels/calibration.ts";
import { agreementCells, agreementHead, calibrationLines } from "../labels/calibration-text.ts";
import type { NoiseReport } from "../noise.ts";
import type { RecordedSet } from "../recorded-set.ts";
import { noiseHead, noiseSources, noiseWords, varianceText } from "../text/noise-text.ts";
import type { Markup } from "./markup.ts";
import { axis, drawing, forestRow, type Plot, rowHeight, scaled } from "./plots.ts";

interface PlotValue {
  readonly name: string;
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** Points with their intervals, on a line that begins at 0 or below. */
function measuredDrawing(
  what: string,
  measured: readonly PlotValue[],
  text: (value: number) => string,
): Markup {
  const ends = measured.flatMap(({ value, low, high }) => [value ?? 0, low ?? 0, high ?? 0]);
  const [low, high] = [Math.min(0, ...ends), Math.max(1e-9, ...ends)];
  const x = scaled(low, high);
  const height = measured.length * rowHeight + 40;
  return drawing(
    height,
    what,
    ...measured.map((one, at) => forestRow(one.name, one, at * rowHeight, x)),
    axis(low, high, height - 24, text),
  );
}

export function noisePlot(report: NoiseReport): Plot | undefined {
  if (report.parts.length === 0) return undefined;
  return {
    title: `Noise of ${noiseHead(report)}`,
    svg: measuredDrawing(
      "the variance of each source with its 95 % interval",
      report.parts.map(({ name, variance, low, high }) => ({ name, value: variance, low, high })),
      varianceText,
    ),
    head: ["source", "variance", "share", "95 % interval"],
    rows: noiseSources(report),
    lines: noiseWords(report),
  };
}

export function agreementPlot(set: RecordedSet, found: Calibration): Plot | undefined {
  if (found.agreements.length === 0) return undefined;
  return {
    title: `${found.scorer} against people`,
    svg: measuredDrawing(
      "kappa of each rater with its 95 % interval",
      found.agreements.map(({ rater, kappa, low, high }) => ({ name: rater, value: kappa, low, high })),
      (value) => value.toFixed(2),
    ),
    head: agreementHead,
    rows: found.agreements.map(agreementCells),
    lines: calibrationLines(set, found),
  };
}
