/** How continuations of a trial ended: those with a change beside those without. */
import { successOfScores } from "../plan/index.ts";
import type { StoredTask, StoredTrial } from "../sets/read-set.ts";
import { fisher, newcombe, wilson } from "../stats/index.ts";
import { signedText, valueText } from "./text/figure-text.ts";

interface ForkReport {
  /** As it was. */
  readonly same: ForkArmReport;
  readonly changed: ForkArmReport;
  /** Changed less as it was, for arms that share no samples; null while an arm has nothing that is scored. */
  readonly difference: {
    readonly value: number;
    readonly low: number;
    readonly high: number;
    readonly p: number;
  } | null;
}

export function forkArm({ spec }: StoredTask, trials: readonly StoredTrial[]) {
  const done = trials.filter(({ state }) => state === "done");
  const verdicts = done.map(({ scores }) => successOfScores(scores, spec.success));
  const scored = verdicts.filter((verdict) => verdict !== null);
  const succeeded = scored.filter((verdict) => verdict === 1).length;
  const interval = scored.length === 0 ? null : wilson(succeeded, scored.length);
  return {
    succeeded,
    /** Scored. */
    n: scored.length,
    errored: trials.filter(({ state }) => state === "errored").length,
    unscored: verdicts.length - scored.length,
    rate: scored.length === 0 ? null : succeeded / scored.length,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
  };
}

export type ForkArmReport = Readonly<ReturnType<typeof forkArm>>;

export function forkReport(same: ForkArmReport, changed: ForkArmReport): ForkReport {
  if (same.n === 0 || changed.n === 0) return { same, changed, difference: null };
  const { value, low, high } = newcombe(same.succeeded, same.n, changed.succeeded, changed.n);
  const p = fisher(same.succeeded, same.n - same.succeeded, changed.succeeded, changed.n - changed.succeeded);
  return { same, changed, difference: { value, low: low ?? value, high: high ?? value, p } };
}

const restText = ({ errored, unscored }: ForkArmReport): string =>
  [
    ...(errored === 0 ? [] : [`${errored} errored`]),
    ...(unscored === 0 ? [] : [`${unscored} unscored`]),
  ].join(", ");

const shareText = (value: number | null): string => valueText(value, "share");

/** `7 of 20  0.350 [0.181, 0.567]` */
export function forkArmText(arm: ForkArmReport): string {
  const { succeeded, n, rate, low, high } = arm;
  const figure =
    rate === null ? "nothing is scored" : `${shareText(rate)} [${shareText(low)}, ${shareText(high)}]`;
  const left = restText(arm);
  return `${succeeded} of ${n}  ${figure}${left === "" ? "" : `  ${left}`}`;
}

export function forkText({ same, changed, difference }: ForkReport): string {
  const signed = (value: number): string => signedText(value, "share");
  const lines = [`  as it was   ${forkArmText(same)}`, `  changed     ${forkArmText(changed)}`];
  if (difference !== null) {
    const { value, low, high, p } = difference;
    lines.push(`  difference  ${signed(value)} [${signed(low)}, ${signed(high)}], p ${shareText(p)}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}
