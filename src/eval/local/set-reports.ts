/** Reports of stored sets: what summary, gates and baselines need, and how a command about a set ends. */

import { exitCode, inStore, UsageError } from "../../host/command/index.ts";
import { ScriptError } from "../../values/index.ts";
import { checkGate, type EvalStore, misnamedIn } from "../engine/index.ts";
import { codedText, type Gate, likelyMetric, parseGate, type Sample, type TaskSpec } from "../index.ts";
import {
  type GateResult,
  reportOf,
  type SetReport,
  type StoredSet,
  setExit,
  storedSetOf,
} from "../report/index.ts";
import { agreementsOf } from "./labels.ts";
import { askedModel } from "./recorded-calls.ts";

export interface ReportFlags {
  readonly baseline?: string;
  readonly gate?: readonly string[];
  readonly margin?: number;
  readonly strict?: boolean;
}

export function storedReport(store: EvalStore, set: StoredSet, flags: ReportFlags): SetReport {
  return reportOf(set, {
    baseline: (name) => {
      const row = store.set(name);
      return row === undefined ? undefined : storedSetOf(store, row);
    },
    baselineName: flags.baseline,
    gates: gatesOf(set.tasks, flags),
    agreements: (name) => agreementsOf(store, set, name),
    margin: flags.margin,
    models: (task, variant) => inStore((files) => askedModel(files, set, task.spec.name, variant)),
  });
}

/** The gates of the command line; one that can't be read is an error of how the command was called. */
export function gatesOf(
  tasks: readonly { readonly spec: Pick<TaskSpec, "name" | "scorers"> }[],
  flags: ReportFlags,
): Gate[] {
  const scorers = [...new Set(tasks.flatMap(({ spec }) => spec.scorers.map(({ name }) => name)))];
  return (flags.gate ?? []).map((text) => gateOfFlag(tasks[0]?.spec.name ?? "", text, scorers));
}

interface AskedTask {
  readonly spec: TaskSpec;
  readonly samples: readonly Sample[];
}

/** What a flag asks of tasks that none of them has is said before anything is paid for. */
export function checkGateFlags(tasks: readonly AskedTask[], flags: ReportFlags): void {
  const gates = gatesOf(tasks, flags);
  for (const gate of gates) {
    const problems = tasks.map((task) => gateProblem(gate, task));
    const [first] = problems;
    if (first !== undefined && problems.every((problem) => problem !== undefined))
      throw new UsageError(`--gate: ${first}`, "HARN-CLI-003");
  }
}

function gateProblem(gate: Gate, { spec, samples }: AskedTask): string | undefined {
  try {
    checkGate(gate, spec, spec, samples);
    return undefined;
  } catch (error) {
    if (error instanceof ScriptError) return codedText(error);
    throw error;
  }
}

/** Whether anything compares with a baseline. */
export const hasBaselineGate = (tasks: readonly AskedTask[], flags: ReportFlags): boolean =>
  [...gatesOf(tasks, flags), ...tasks.flatMap(({ spec }) => spec.gates)].some(
    ({ kind }) => kind === "not_below" || kind === "not_above",
  );

export const noBaselineGate = (name: string): string =>
  `--baseline ${name} decides nothing: no gate compares with it; add --gate "success not_below baseline by 0.05", or see \`harn eval compare\``;

/** A task that names a baseline which nothing compares with: a gate of the command line may be the one that does. */
function idleBaselines(tasks: readonly AskedTask[], flags: ReportFlags): string[] {
  if (flags.baseline !== undefined) return [];
  return tasks
    .filter((task) => task.spec.baseline !== null && !hasBaselineGate([task], flags))
    .map(
      ({ spec }) =>
        `task \`${spec.name}\`: \`baseline\` decides nothing: no gate compares with it; add \`gates: ["success not_below baseline by 0.05"]\`, or see \`harn eval compare ${spec.baseline}\``,
    );
}

/** What is most likely not meant, said before the set is paid for. `sources` are the texts of the program's modules. */
export const planWarnings = (
  tasks: readonly AskedTask[],
  flags: ReportFlags,
  sources: readonly string[],
): string[] => [
  ...idleBaselines(tasks, flags),
  ...misnamedMetrics(tasks, flags, sources),
  ...tasks.flatMap((task) => misnamedIn(task, sources)),
];

/** Names that only `eval_metric` could measure, near to one that there is, and that no call of it in the program has. */
function misnamedMetrics(
  tasks: readonly AskedTask[],
  flags: ReportFlags,
  sources: readonly string[],
): string[] {
  const measured = new Set(
    sources.flatMap((text) => [...text.matchAll(/\beval_metric\(\s*"([^"\\$]*)"/gu)].map(([, name]) => name)),
  );
  const said = (where: string, names: readonly string[], scorers: readonly string[]): string[] =>
    [...new Set(names)].flatMap((name) => {
      const near = measured.has(name) ? undefined : likelyMetric(name, scorers);
      if (near === undefined) return [];
      return `${where}: there is no metric \`${name}\` unless a trial measures it with eval_metric; did you mean \`${near}\`?`;
    });
  const scorersOf = ({ spec }: AskedTask): string[] => spec.scorers.map(({ name }) => name);
  return [
    ...tasks.flatMap((task) =>
      said(
        `task \`${task.spec.name}\``,
        [...(task.spec.metrics ?? []), ...task.spec.gates.map(({ metric }) => metric)],
        scorersOf(task),
      ),
    ),
    ...said(
      "--gate",
      gatesOf(tasks, flags).map(({ metric }) => metric),
      tasks.flatMap(scorersOf),
    ),
  ];
}

function gateOfFlag(task: string, text: string, scorers: readonly string[]): Gate {
  try {
    return parseGate(task, text, scorers);
  } catch (error) {
    if (error instanceof ScriptError) throw new UsageError(`--gate: ${codedText(error)}`, "HARN-CLI-003");
    throw error;
  }
}

export const gatesIn = (report: SetReport): GateResult[] => report.tasks.flatMap(({ gates }) => gates);

const codes = {
  ok: exitCode.ok,
  failed: exitCode.failed,
  incomplete: exitCode.incomplete,
  waiting: exitCode.parked,
} as const;

/** 0, 1 (a gate failed), 5 (not complete), 75 (waits for a person). */
export const reportExitCode = (report: SetReport, strict: boolean): number =>
  codes[
    setExit({ isComplete: report.isComplete, isWaiting: report.isWaiting, gates: gatesIn(report), strict })
  ];
