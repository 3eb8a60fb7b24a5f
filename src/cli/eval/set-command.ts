/** `harn eval run` and `harn eval resume`: sets of trials, from the program to the summary. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { showOneLine } from "../../diagnostics/index.ts";
import type { EvalStore } from "../../eval/engine/index.ts";
import { dollarText, readSet, type StoredSet, setAsJson, summaryText } from "../../eval/report/index.ts";
import { exitCode } from "../exit-codes.ts";
import { reportAsJson, reportError, tell } from "../report.ts";
import { UsageError } from "../usage-error.ts";
import { type EvalFlags, evalCommand, scriptNotes } from "./eval-command.ts";
import { progressView } from "./progress-view.ts";
import { transcriptsOf, worstCode, writeForms } from "./report-command.ts";
import {
  type EvalRunFlags,
  paramsOf,
  planChoice,
  redoOf,
  type SetFlags,
  setOptions,
  staleOf,
} from "./run-options.ts";
import { gatesOf, marginOf, reportExitCode, storedReport } from "./set-reports.ts";
import { type Evaluated, evaluate, resumeEvaluation, stopSignal } from "./sets/evaluate.ts";
import { NothingChosen } from "./sets/plan-run.ts";

export async function runSetsCommand(
  targets: readonly string[],
  args: readonly string[],
  flags: EvalRunFlags,
): Promise<number> {
  const scripts = targets.flatMap(scriptTargets);
  if (flags.set !== undefined && scripts.length > 1)
    throw new UsageError("--set names one set: name one script");
  const codes: number[] = [];
  let missed: NothingChosen | undefined;
  for (const target of scripts) {
    try {
      codes.push(await runTarget(target, args, flags));
    } catch (error) {
      if (!(error instanceof NothingChosen)) throw error;
      missed = error;
    }
  }
  if (codes.length === 0 && missed !== undefined) throw missed;
  return worstCode(codes);
}

/** What is wrong with how reports are asked for is said before the set is paid for. */
function checkReportFlags(flags: SetFlags): void {
  marginOf(flags);
  transcriptsOf(flags.transcripts);
}

/** Addresses are `SET:TRIAL`, so a set's name has no colon. */
function checkSetName(name: string | undefined): void {
  if (name !== undefined && !/^[^\s:~%\p{Cc}]+$/u.test(name))
    throw new UsageError(
      `--set must be a name without blanks, \`:\`, \`~\` and \`%\`; got ${name === "" ? "an empty text" : showOneLine(name)}`,
    );
}

interface RunTarget {
  readonly path: string;
  /** `file.harn::TASK` */
  readonly task: string | undefined;
}

/** Scripts, and every `*.eval.harn` of a folder that has some; anything else is a matter of records. */
export function scriptTargets(named: string): RunTarget[] {
  const [path = "", task] = named.split("::", 2);
  if (existsSync(path) && statSync(path).isDirectory()) {
    const found = readdirSync(path, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".eval.harn"))
      .sort();
    if (found.length > 0) return found.map((name) => ({ path: join(path, name), task }));
  }
  return [{ path, task }];
}

async function runTarget(
  { path, task }: RunTarget,
  args: readonly string[],
  flags: EvalRunFlags,
): Promise<number> {
  const old: EvalFlags = flags;
  if (!path.endsWith(".harn") || flags.structuralExperiment !== undefined)
    return await evalCommand(path, args, old);
  checkReportFlags(flags);
  checkSetName(flags.set);
  const view = progressView(flags);
  const stop = stopSignal();
  try {
    const done = await evaluate({
      file: path,
      args,
      flags,
      params: paramsOf(flags.param),
      choice: planChoice(flags, task),
      set: flags.set,
      options: setOptions(flags),
      redo: redoOf(flags) ?? null,
      ...(staleOf(flags) === undefined ? {} : { stale: staleOf(flags) as "ask" }),
      signal: stop.signal,
      onProgress: (progress, ended) => view.onProgress(progress, ended),
      onTasks: (tasks) => void gatesOf(tasks, flags),
      onPlanned: ({ name, store, trials }) => {
        if (flags.quiet !== true) reportError(`${boundText(storedOf(store, name), trials)}\n`);
        view.begin(store, name);
      },
    });
    view.close();
    if (done.kind === "no set") return scriptNotes(path, { ...done.notes, exitCode: done.exitCode }, old);
    return tellSet(done, flags);
  } finally {
    view.close();
    stop.close();
  }
}

export async function resumeSetCommand(name: string | undefined, flags: SetFlags): Promise<number> {
  checkReportFlags(flags);
  const view = progressView(flags);
  const stop = stopSignal();
  const redo = redoOf(flags);
  try {
    const done = await resumeEvaluation({
      set: name ?? "last",
      flags,
      options: setOptions(flags),
      ...(redo === undefined ? {} : { redo }),
      signal: stop.signal,
      onProgress: (progress, ended) => view.onProgress(progress, ended),
      onPlanned: ({ name: found, store }) => {
        gatesOf(storedOf(store, found).tasks, flags);
        view.begin(store, found);
      },
    });
    view.close();
    return tellSet(done, flags);
  } finally {
    view.close();
    stop.close();
  }
}

const storedOf = (store: EvalStore, name: string): StoredSet => {
  const row = store.set(name);
  if (row === undefined) throw new UsageError(`the set ${name} is gone`);
  return readSet(store, row);
};

/** `400 trials, at most $80.00 (400 × $0.20)`, or that nothing bounds it. */
export function boundText(set: StoredSet, trials: number): string {
  const open = set.tasks.map(({ spec, trials: own }) => ({
    each: spec.limits.costUsd,
    count: own.filter(({ state }) => state !== "done" && state !== "skipped").length,
  }));
  const count = `${trials.toLocaleString("en-US")} ${trials === 1 ? "trial" : "trials"}`;
  const left = open.reduce((sum, one) => sum + one.count, 0);
  const begun = left === trials ? count : `${count}, ${left.toLocaleString("en-US")} of them to run`;
  const parts = open.filter((one) => one.count > 0);
  const sums = parts.map(({ each, count: own }) => (each === null ? null : each * own));
  if (sums.every((sum) => sum !== null)) {
    const bound = sums.reduce<number>((sum, one) => sum + (one ?? 0), 0);
    const how = parts.map(({ each, count: own }) => `${own} × ${dollarText(each)}`).join(" + ");
    return parts.length === 0 ? begun : `${begun}, at most ${dollarText(bound)} (${how})`;
  }
  if (set.costLimit !== null) return `${begun}, at most ${dollarText(set.costLimit)} (--cost)`;
  return `${begun}, no bound: set limits.cost_usd or --cost`;
}

/** Summary, forms and gates of a set that has been worked on; the code of a signal or of a wrong task outranks the report's. */
function tellSet({ end, store }: Extract<Evaluated, { kind: "set" }>, flags: SetFlags): number {
  const report = storedReport(store, storedOf(store, end.set.name), flags);
  writeForms(report, flags);
  if (flags.json === true) reportAsJson(setAsJson(report, flags.strict === true));
  else tell(summaryText(report));
  const own: readonly number[] = [exitCode.ok, exitCode.incomplete, exitCode.parked];
  return own.includes(end.exitCode) ? reportExitCode(report, flags.strict === true) : end.exitCode;
}
