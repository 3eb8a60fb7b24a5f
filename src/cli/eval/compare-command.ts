/** `harn eval compare`: two sets on the samples that both have, or the variants of one. */

import {
  inEvalStore,
  judgedPairs,
  judgedPairsJson,
  judgedPairsText,
  storedSet,
} from "../../eval/local/index.ts";
import {
  comparedJson,
  compareSets,
  compareText,
  compareVariants,
  comparisonProblem,
  isComparable,
  metricOf,
  primaryMetric,
  type StoredSet,
  shownMetrics,
} from "../../eval/report/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, print, reportAsJson, UsageError } from "../../host/command/index.ts";
import type { compareFlags } from "../flags/eval.ts";

export type CompareFlags = FlagsOf<typeof compareFlags>;

export async function compareCommand(a: string, b: string | undefined, flags: CompareFlags): Promise<number> {
  const { margin } = flags;
  const all = inEvalStore((store) => {
    const first = storedSet(store, a);
    const second = b === undefined ? undefined : storedSet(store, b);
    const sets = second === undefined ? [first] : [first, second];
    const problem = comparisonProblem(sets, { metrics: flags.metric, by: flags.by });
    if (problem !== undefined) throw new UsageError(`--${problem}`, "HARN-CLI-003");
    const options = { margin, by: flags.by, metrics: comparisonMetrics(first, flags) };
    return second === undefined ? compareVariants(first, options) : compareSets(first, second, options);
  });
  const judged =
    flags.judge === undefined ? [] : await judgedPairs(b === undefined ? [a] : [a, b], flags.judge);
  if (flags.json === true) reportAsJson([...all.map((one) => comparedJson(one)), ...judgedPairsJson(judged)]);
  else print(`${compareText(all)}${judged.length === 0 ? "" : "\n"}${judgedPairsText(judged)}`);
  return judged.some(({ isStopped }) => isStopped) ? exitCode.incomplete : exitCode.ok;
}

/** Those that were named; without any the primary one, then the others that tasks show. */
function comparisonMetrics(set: StoredSet, { metric: named }: CompareFlags): string[] {
  const [task] = set.tasks;
  if (task === undefined) return [];
  if (named !== undefined) return [...named];
  const primary = primaryMetric(task);
  const others = shownMetrics(task).filter((name) => {
    const metric = metricOf(task, name);
    return name !== primary && metric !== undefined && isComparable(metric);
  });
  return [primary, ...others];
}
