/**
 * What sets have come to. `harn eval show`: the summary of a set, or a trial with its scores and its conversation; `failures`: failed
 * trials by what they have in common; `compare`: two sets on the samples that both have, or the variants of one.
 */

import {
  inEvalStore,
  judgedPairs,
  judgedPairsJson,
  judgedPairsText,
  recordedConversation,
  storedReport,
  storedSet,
  trialNamed,
} from "../../eval/local/index.ts";
import {
  comparedJson,
  compareSets,
  compareText,
  compareVariants,
  comparisonProblem,
  failureGroups,
  failuresText,
  isComparable,
  metricOf,
  primaryMetric,
  type StoredSet,
  setAsJson,
  shownMetrics,
  summaryText,
  trialText,
} from "../../eval/report/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  exitCode,
  inStore,
  print,
  reportAsJson,
  reportFigures,
  UsageError,
} from "../../host/command/index.ts";
import type { compareFlags, evalShowFlags } from "../flags/eval.ts";

export type EvalShowFlags = FlagsOf<typeof evalShowFlags>;

export function showSetCommand(named: string, flags: EvalShowFlags): number {
  return named.includes(":") ? showTrial(named, flags) : showSet(named, flags);
}

function showSet(name: string, flags: EvalShowFlags): number {
  inEvalStore((store) => {
    const set = storedSet(store, name);
    const report = storedReport(store, set, flags);
    if (flags.json === true) reportAsJson(setAsJson(report, flags.strict === true));
    else print(summaryText(report, { setName: name === "last" ? "last" : set.name }));
  });
  return exitCode.ok;
}

function showTrial(address: string, flags: EvalShowFlags): number {
  inEvalStore((store) => {
    const { set, task, trial } = trialNamed(store, address);
    if (flags.json === true) {
      const { row, scores, outcome } = trial;
      reportAsJson({
        set: set.name,
        task: task.spec.name,
        variant: trial.variant,
        sample: trial.sample,
        epoch: trial.epoch,
        state: trial.state,
        blame: trial.blame,
        error: trial.error,
        attempts: row.attempts,
        outcome,
        scores: scores.map(({ scorer, draw, value, pass, label, why, parts, error }) => ({
          scorer,
          draw,
          value,
          pass,
          label,
          why,
          parts,
          error,
        })),
      });
    } else {
      const conversation = inStore((files) => recordedConversation(files, task, trial));
      print(trialText({ set: set.name, task, trial, conversation, full: flags.full === true }));
    }
  });
  return exitCode.ok;
}

export function failuresCommand(name: string, flags: { readonly json?: boolean }): number {
  const groups = inEvalStore((store) => failureGroups(storedSet(store, name)));
  if (flags.json === true) reportFigures(groups);
  else print(failuresText(groups));
  return exitCode.ok;
}

type CompareFlags = FlagsOf<typeof compareFlags>;

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
