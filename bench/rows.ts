/** What a benchmark gives and how it is shown. A target is text for people; `npm run bench` never fails on time. */

export interface Row {
  readonly name: string;
  readonly value: number;
  /** `x` for a ratio, `ms`, `µs`, `MB` … */
  readonly unit: string;
  /** What the issue asks for, such as `<= 1.5 x`. */
  readonly target?: string;
}

export type Benchmark = () => Promise<readonly Row[]>;

/** The middle value; of an even number of samples the lower middle. */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
}

/** The sample below which this share of them lies. */
export function shareOf(samples: readonly number[], share: number): number {
  const sorted = samples.filter((one) => !Number.isNaN(one)).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function printRows(title: string, rows: readonly Row[]): void {
  console.log(`\n${title}`);
  for (const row of rows) {
    const value = row.value.toFixed(row.value < 10 ? 2 : 1).padStart(10);
    console.log(
      `  ${row.name.padEnd(44)}${value} ${row.unit.padEnd(4)}${row.target ? `  target ${row.target}` : ""}`,
    );
  }
}
