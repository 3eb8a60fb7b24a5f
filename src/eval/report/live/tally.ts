/** What is known of a set while it runs: counts and successes by task and variant, as trials end one by one. */
import { meanInterval } from "../../stats/index.ts";

export interface EndedTrial {
  readonly task: string;
  readonly variant: string;
  readonly sample: string;
  /** Undefined: unscored, or it errored. */
  readonly success: 0 | 1 | undefined;
  readonly isErrored: boolean;
  readonly costUsd: number;
  /** What kind of error, for the first line about it. */
  readonly error: string | null;
}

export interface LineTally {
  readonly task: string;
  readonly variant: string;
  readonly total: number;
  readonly done: number;
  readonly errored: number;
  readonly costUsd: number;
  readonly success: {
    readonly value: number;
    readonly low: number | null;
    readonly high: number | null;
  } | null;
}

class TallyLine {
  done = 0;
  errored = 0;
  costUsd = 0;
  readonly total: number;
  readonly bySample = new Map<string, number[]>();

  constructor(total: number) {
    this.total = total;
  }

  add({ sample, success, isErrored, costUsd }: EndedTrial): void {
    this.costUsd += costUsd;
    if (isErrored) this.errored++;
    else this.done++;
    if (success === undefined) return;
    const values = this.bySample.get(sample);
    if (values === undefined) this.bySample.set(sample, [success]);
    else values.push(success);
  }

  success(): LineTally["success"] {
    const rows = [...this.bySample.values()];
    if (rows.length === 0) return null;
    const { value, low, high } = meanInterval(
      rows.map((row) => row.reduce((sum, one) => sum + one, 0) / row.length),
      { trials: rows.reduce((sum, row) => sum + row.length, 0) },
    );
    return { value, low: low ?? null, high: high ?? null };
  }
}

export class Tally {
  private readonly lines = new Map<string, TallyLine>();
  private readonly names: (readonly [task: string, variant: string])[] = [];
  /** Kinds of errors that were told. */
  private readonly shown = new Set<string>();

  /** A task's variant and how many trials it has in all. */
  expect(task: string, variant: string, total: number): void {
    this.names.push([task, variant]);
    this.lines.set(keyOf(task, variant), new TallyLine(total));
  }

  /** Gives whether its error is the first of its kind. */
  add(trial: EndedTrial): boolean {
    this.lines.get(keyOf(trial.task, trial.variant))?.add(trial);
    if (trial.error === null || this.shown.has(trial.error)) return false;
    this.shown.add(trial.error);
    return true;
  }

  /** Of a task, all variants together. */
  ofTask(task: string): Pick<LineTally, "done" | "errored" | "total" | "success"> {
    const own = this.names.filter(([name]) => name === task).map((name) => this.line(...name));
    const joined = new TallyLine(own.reduce((sum, { total }) => sum + total, 0));
    for (const line of own) {
      joined.done += line.done;
      joined.errored += line.errored;
      for (const [sample, values] of line.bySample) {
        joined.bySample.set(sample, [...(joined.bySample.get(sample) ?? []), ...values]);
      }
    }
    return { done: joined.done, errored: joined.errored, total: joined.total, success: joined.success() };
  }

  all(): LineTally[] {
    return this.names.map(([task, variant]) => {
      const line = this.line(task, variant);
      const { total, done, errored, costUsd } = line;
      return { task, variant, total, done, errored, costUsd, success: line.success() };
    });
  }

  private line(task: string, variant: string): TallyLine {
    return this.lines.get(keyOf(task, variant)) as TallyLine;
  }
}

const keyOf = (task: string, variant: string): string => JSON.stringify([task, variant]);
