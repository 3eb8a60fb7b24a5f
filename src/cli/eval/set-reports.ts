/** Reports of stored sets: what summary, gates and baselines need, and how a command about a set ends. */

import type { EvalStore } from "../../eval/engine/index.ts";
import { type Gate, parseGate, type TaskSpec } from "../../eval/index.ts";
import {
  type GateResult,
  readSet,
  reportOf,
  type SetReport,
  type StoredSet,
  setExit,
} from "../../eval/report/index.ts";
import { ScriptError, textOf } from "../../values/index.ts";
import { exitCode } from "../exit-codes.ts";
import { UsageError } from "../usage-error.ts";
import { agreementsOf } from "./labels.ts";

export interface ReportFlags {
  readonly baseline?: string;
  readonly gate?: readonly string[];
  readonly margin?: string;
  readonly strict?: boolean;
}

export function storedReport(store: EvalStore, set: StoredSet, flags: ReportFlags): SetReport {
  return reportOf(set, {
    baseline: (name) => {
      const row = store.set(name);
      return row === undefined ? undefined : readSet(store, row);
    },
    baselineName: flags.baseline,
    gates: gatesOf(set.tasks, flags),
    agreements: (name) => agreementsOf(store, set, name),
    margin: marginOf(flags),
  });
}

/** The gates of the command line; one that can't be read is an error of how the command was called. */
export function gatesOf(
  tasks: readonly { readonly spec: Pick<TaskSpec, "name" | "scorers"> }[],
  flags: ReportFlags,
): Gate[] {
  const scorers = [...new Set(tasks.flatMap(({ spec }) => spec.scorers.map(({ name }) => name)))];
  return (flags.gate ?? []).map((text) => readGate(tasks[0]?.spec.name ?? "", text, scorers));
}

function readGate(task: string, text: string, scorers: readonly string[]): Gate {
  try {
    return parseGate(task, text, scorers);
  } catch (error) {
    if (error instanceof ScriptError) throw new UsageError(`--gate: ${textOf(error.value)}`);
    throw error;
  }
}

export const marginOf = ({ margin }: ReportFlags): number | undefined =>
  margin === undefined ? undefined : readNumber("--margin", margin);

export function readNumber(flag: string, text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < 0)
    throw new UsageError(`${flag} must be a number from 0 on; got ${text}`);
  return value;
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
