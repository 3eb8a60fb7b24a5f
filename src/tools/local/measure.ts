/** Figures of repeated measurements. */

export interface RunTimes {
  readonly runs: number;
  readonly min_ms: number;
  readonly median_ms: number;
  /** From the first to the third quartile: half of the runs lie within. */
  readonly spread_ms: number;
}

export function benchFigures(times: readonly number[]): RunTimes {
  const sorted = [...times].sort((a, b) => a - b);
  return {
    runs: sorted.length,
    min_ms: toMicroseconds(sorted[0]!),
    median_ms: toMicroseconds(sortedQuantile(sorted, 0.5)),
    spread_ms: toMicroseconds(sortedQuantile(sorted, 0.75) - sortedQuantile(sorted, 0.25)),
  };
}

/** Between two measurements it lies on the line from one to the other. */
function sortedQuantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)]!;
  const above = sorted[Math.ceil(at)]!;
  return below + (above - below) * (at - Math.floor(at));
}

/** To a microsecond: what a clock of a process tells. */
const toMicroseconds = (ms: number): number => Math.round(ms * 1000) / 1000;

/** Three digits that mean something. */
export function benchTimeText(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toPrecision(3)} s`;
  if (ms >= 100) return `${Math.round(ms)} ms`;
  return `${ms < 0.01 ? ms.toFixed(3) : ms.toPrecision(3)} ms`;
}
